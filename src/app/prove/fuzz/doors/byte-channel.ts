// How a client of the proof reaches a door: in this process, or another one.

export interface ByteChannel {
  /** Resolves when there is room for more; false if there was none for as long as a busy machine may need. */
  write(bytes: Uint8Array): Promise<boolean>
  /** The other side has ended it, or `close` was called. */
  readonly isClosed: boolean
  /** Resolves then. */
  readonly closed: Promise<unknown>
  close(): void
}

/** Called with each line that the door sends. */
export type Connect = (onLine: (line: string) => void) => Promise<ByteChannel>

/** What the clients of a door report to, and what they check beside its answers. */
export interface Door {
  readonly report: (event: string, what: string) => void
  /** Throws the first thing that was reported. */
  throwReported(): void
}

const newline = Buffer.from("\n")

/** The inputs of doors are lines; their end is added. */
export function asLine(input: Uint8Array): Uint8Array {
  return Buffer.concat([input, newline])
}

/** Whether one of the lines is well-formed. */
export function someLine(input: Uint8Array, isWellFormed: (line: string) => boolean): boolean {
  return Buffer.from(input.buffer, input.byteOffset, input.byteLength).toString("utf8").split("\n").some(isWellFormed)
}
