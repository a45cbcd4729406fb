// Reads thrown values.

/** The message of an error; any other value as text. */
export function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault)
}

/** The code of a system error, such as ENOENT; undefined for any other error. */
export function systemCode(fault: unknown): string | undefined {
  if (!(fault instanceof Error) || !("code" in fault) || !("syscall" in fault)) return undefined
  return typeof fault.code === "string" ? fault.code : undefined
}
