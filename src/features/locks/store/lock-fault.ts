// Why the lock table cannot be used, in one sentence.
export class LockFault extends Error {
  override readonly name = "LockFault"
}

/** A fault of SQLite or the file system. */
export function isStorageFault(fault: unknown): fault is Error {
  return fault instanceof Error && ("errcode" in fault || "syscall" in fault)
}
