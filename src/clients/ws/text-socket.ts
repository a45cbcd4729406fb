// One WebSocket as text in and text out. It is told to be over exactly once, at the latest some time after it was asked
// to close: nobody waits for a peer that does not answer.
import { NotConnected } from "./faults.ts"

/** As much of a WebSocket as is used here: the browser's, Node's, and that of the package `ws`. */
export interface WebSocketLike {
  readonly bufferedAmount: number
  send(text: string): void
  close(code?: number, reason?: string): void
  addEventListener(type: "open" | "error", listener: () => void): void
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void
  addEventListener(type: "close", listener: (event: { readonly code: number; readonly reason: string }) => void): void
}
export type WebSocketClass = new (url: string) => WebSocketLike

export interface SocketEnd {
  readonly code: number
  readonly reason: string
}

export interface SocketOptions {
  readonly WebSocket: WebSocketClass
  readonly connectMs: number
  readonly closeMs: number
  readonly onText: (text: string) => void
  /** At the moment it is over; not for a socket that never opened. */
  readonly onEnd: (end: SocketEnd) => void
}

const abnormal = 1006

export class TextSocket {
  readonly #options: SocketOptions
  readonly #socket: WebSocketLike
  readonly #opened = Promise.withResolvers<void>()
  readonly #ended = Promise.withResolvers<SocketEnd>()
  #isOpen = false
  #isOver = false

  constructor(url: string, options: SocketOptions) {
    this.#options = options
    this.#socket = new options.WebSocket(url)
    this.#opened.promise.catch(() => {}) // whoever waits for it is told
    const late = setTimeout(() => this.#giveUp("the server did not accept in time"), options.connectMs)
    this.#ended.promise.then(() => clearTimeout(late)).catch(() => {})
    this.#socket.addEventListener("open", () => {
      clearTimeout(late)
      if (this.#isOver) return this.#socket.close()
      this.#isOpen = true
      this.#opened.resolve()
    })
    this.#socket.addEventListener("message", ({ data }) => {
      if (!this.#isOver && typeof data === "string") options.onText(data)
    })
    this.#socket.addEventListener("close", ({ code, reason }) => this.#end({ code, reason }))
    this.#socket.addEventListener("error", () => {}) // the close that follows says it
  }

  /** Rejects when it cannot be opened. */
  get opened(): Promise<void> {
    return this.#opened.promise
  }

  get ended(): Promise<SocketEnd> {
    return this.#ended.promise
  }

  get waiting(): number {
    return this.#socket.bufferedAmount
  }

  get isOver(): boolean {
    return this.#isOver
  }

  send(text: string): void {
    if (!this.#isOver) this.#socket.send(text)
  }

  /** Asks the other side, and does not wait for it longer than it may take. */
  async close(): Promise<SocketEnd> {
    if (this.#isOver) return this.#ended.promise
    this.#socket.close(1000, "bye")
    const late = setTimeout(() => this.#end({ code: abnormal, reason: "" }), this.#options.closeMs)
    const end = await this.#ended.promise
    clearTimeout(late)
    return end
  }

  /** It is over from here on, whatever the other side does: for one that is silent. */
  drop(reason: string): void {
    if (!this.#isOver) this.#giveUp(reason)
  }

  #giveUp(reason: string): void {
    this.#end({ code: abnormal, reason })
    this.#socket.close()
  }

  #end(end: SocketEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#ended.resolve(end)
    if (this.#isOpen) return this.#options.onEnd(end)
    const why = end.reason === "" ? "" : `: ${end.reason}`
    this.#opened.reject(new NotConnected(`the server could not be reached${why}`, end.code))
  }
}
