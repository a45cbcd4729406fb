// A WebSocket that carries text. Reports its end exactly once, and does not wait long for a server that does not close.
import { NotConnected } from "../faults.ts"

/** The part of a WebSocket that is used here: the browser's, Node's, and that of the package `ws` have it. */
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
  /** Not called for a socket that never opened. */
  readonly onEnd: (end: SocketEnd) => void
}

const ABNORMAL_CLOSURE = 1006

export class TextSocket {
  readonly #options: SocketOptions
  readonly #socket: WebSocketLike
  readonly #opened = Promise.withResolvers<void>()
  /** Rejects when the connection cannot be opened. */
  readonly opened: Promise<void> = this.#opened.promise
  readonly #ended = Promise.withResolvers<SocketEnd>()
  #isOpen = false
  #isOver = false

  constructor(url: string, options: SocketOptions) {
    this.#options = options
    this.#socket = new options.WebSocket(url)
    this.opened.catch(() => {}) // reported to its caller
    const timer = setTimeout(() => this.drop("the server did not accept in time"), options.connectMs)
    void this.#ended.promise.then(() => clearTimeout(timer))
    this.#socket.addEventListener("open", () => {
      clearTimeout(timer)
      if (this.#isOver) return this.#socket.close()
      this.#isOpen = true
      this.#opened.resolve()
    })
    this.#socket.addEventListener("message", ({ data }) => {
      if (!this.#isOver && typeof data === "string") options.onText(data)
    })
    this.#socket.addEventListener("close", ({ code, reason }) => this.#end({ code, reason }))
    this.#socket.addEventListener("error", () => {}) // a close event follows
  }

  get waitingBytes(): number {
    return this.#socket.bufferedAmount
  }

  get isOver(): boolean {
    return this.#isOver
  }

  send(text: string): void {
    if (!this.#isOver) this.#socket.send(text)
  }

  /** Closing handshake, for at most `closeMs`. */
  async close(): Promise<SocketEnd> {
    if (this.#isOver) return this.#ended.promise
    this.#socket.close(1000, "bye")
    const timer = setTimeout(() => this.#end({ code: ABNORMAL_CLOSURE, reason: "" }), this.#options.closeMs)
    const end = await this.#ended.promise
    clearTimeout(timer)
    return end
  }

  /** Ends at once, without waiting for the server. */
  drop(reason: string): void {
    if (this.#isOver) return
    this.#end({ code: ABNORMAL_CLOSURE, reason })
    this.#socket.close()
  }

  #end(end: SocketEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#ended.resolve(end)
    if (this.#isOpen) return this.#options.onEnd(end)
    const detail = end.reason === "" ? "" : `: ${end.reason}`
    this.#opened.reject(new NotConnected(`the server could not be reached${detail}`, end.code))
  }
}
