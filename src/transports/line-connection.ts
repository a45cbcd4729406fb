// A connection that carries lines both ways, on any transport.
import type { Line } from "./framing/lines.ts"

export interface LineConnection {
  /** One line, without its end. What is sent in one turn of the event loop goes out in one write. */
  send(line: string): void
  /** The bytes of a line with its end; the same bytes may be sent to many clients. */
  sendBytes(line: Uint8Array): void
  /** Bytes that are not written yet. */
  readonly waiting: number
  /** Resolves when everything is written, or the peer reads no more. */
  drained(): Promise<void>
  /** Reads nothing until `resume`, which slows the sender down. */
  pause(): void
  resume(): void
  readonly closed: Promise<void>
  /** Writes what is left, then closes. */
  end(): void
  /** Closes now. Bytes that the system has not accepted yet are lost. */
  destroy(): void
}

/** Receives the bytes of a connection. */
export interface ByteReader {
  readonly bytes: (chunk: Uint8Array) => void
  /** The peer has ended its side. */
  readonly end: () => void
}

export type OnConnection = (connection: LineConnection) => (line: Line) => void

export interface LineListener {
  /** Accepts no more connections and closes the open ones. */
  close(): Promise<void>
}
