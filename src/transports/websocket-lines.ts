// Lines over a WebSocket, client side: one text frame is one line. Uses the WebSocket of browsers and Node.
import type { LineConnection, OnConnection } from "./line-connection.ts"

const POLL_MS = 20
/** Browsers wait for minutes: a network that has just come back may swallow the first attempt. */
const CONNECT_MS = 10_000

/** Rejects when the server is unreachable, refuses the connection or does not answer in time. */
export function connectToWebSocket(
  url: string,
  onConnection: OnConnection,
  patienceMs = CONNECT_MS,
): Promise<LineConnection> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url)
    const connection = new WebSocketLines(socket)
    const onLine = onConnection(connection)
    const fail = (what: string) => {
      clearTimeout(timer)
      reject(new Error(`${hostOf(url)} ${what}`)) // first: destroying an attempt reports an error too
      connection.destroy()
    }
    const timer = setTimeout(() => fail("did not answer in time"), patienceMs)
    socket.addEventListener("message", ({ data }) => {
      if (!connection.isDestroyed)
        onLine(typeof data === "string" ? { kind: "line", text: data } : { kind: "not-utf8" })
    })
    socket.addEventListener("open", () => {
      clearTimeout(timer)
      resolve(connection)
    })
    socket.addEventListener("error", () => fail("refused the connection"))
  })
}

class WebSocketLines implements LineConnection {
  readonly #closed = Promise.withResolvers<void>()
  readonly closed = this.#closed.promise
  readonly #socket: WebSocket
  #isDestroyed = false

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener("close", () => this.#closed.resolve())
  }

  get isDestroyed(): boolean {
    return this.#isDestroyed
  }

  get waiting(): number {
    return this.#socket.bufferedAmount
  }

  send(line: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(line)
  }

  sendBytes(line: Uint8Array): void {
    this.send(new TextDecoder().decode(line).trimEnd())
  }

  /** Polls, because there is no event for it. */
  async drained(): Promise<void> {
    while (this.#socket.readyState === WebSocket.OPEN && this.#socket.bufferedAmount > 0)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }

  /** A browser cannot be made to read more slowly. */
  pause(): void {}

  resume(): void {}

  end(): void {
    this.#socket.close(1000)
  }

  /** A browser waits up to a minute for the other side to agree, which may be gone. */
  destroy(): void {
    this.#isDestroyed = true
    this.#socket.close()
    this.#closed.resolve()
  }
}

/** An address may contain a key, which must not be printed. */
function hostOf(url: string): string {
  return new URL(url).host
}
