// A connection that carries lines both ways, whatever is below it. No domain words here.
import type { Line } from "./framing/lines.ts"

export interface LineConnection {
  /** One line, without its end. What is sent in one turn of the event loop goes out in one write. */
  send(line: string): void
  /** The bytes of a line with its end; the same bytes may be sent to many. */
  sendBytes(line: Uint8Array): void
  /** Bytes that wait to be written. */
  readonly waiting: number
  /** Resolves when nothing waits any more, or nobody is there to read it. */
  drained(): Promise<void>
  /** Nothing more is read until `resume`: who sends is slowed down. */
  pause(): void
  resume(): void
  readonly closed: Promise<void>
  /** Writes what waits, then closes. */
  end(): void
  /** Closes now. What the system has not taken yet is lost. */
  destroy(): void
}

/** What comes in, for whoever splits it into lines or something else. */
export interface ByteReader {
  readonly bytes: (chunk: Uint8Array) => void
  /** The other side says nothing more. */
  readonly end: () => void
}

export type OnConnection = (connection: LineConnection) => (line: Line) => void
