// A connection of lines without a socket: what the door sends is handed to the proof at once, and its reader is always ready.
import type { LineConnection } from "../../../../transports/line-connection.ts"

export class LinePipe implements LineConnection {
  readonly closed: Promise<void>
  readonly waiting = 0
  isClosed = false
  readonly #onLine: (line: string) => void
  readonly #closed = Promise.withResolvers<void>()
  #room: PromiseWithResolvers<void> | undefined

  constructor(onLine: (line: string) => void) {
    this.closed = this.#closed.promise
    this.#onLine = onLine
  }

  send(line: string): void {
    if (!this.isClosed) this.#onLine(line)
  }

  sendBytes(line: Uint8Array): void {
    this.send(Buffer.from(line).toString("utf8"))
  }

  drained(): Promise<void> {
    return Promise.resolve()
  }

  pause(): void {
    this.#room ??= Promise.withResolvers()
  }

  resume(): void {
    this.#room?.resolve()
    this.#room = undefined
  }

  /** Resolves when the door reads; undefined while it does. */
  get room(): Promise<void> | undefined {
    return this.#room?.promise
  }

  end(): void {
    this.destroy()
  }

  destroy(): void {
    this.isClosed = true
    this.resume()
    this.#closed.resolve()
  }
}
