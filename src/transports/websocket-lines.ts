// Lines over a WebSocket, client side: one text frame is one line. Uses the WebSocket of browsers and Node.
import type { LineConnection, OnConnection } from "./line-connection.ts"

const POLL_MS = 20

/** Rejects when the server is unreachable or refuses the connection. */
export function connectToWebSocket(url: string, onConnection: OnConnection): Promise<LineConnection> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url)
    const connection = new WebSocketLines(socket)
    const onLine = onConnection(connection)
    socket.addEventListener("message", ({ data }) =>
      onLine(typeof data === "string" ? { kind: "line", text: data } : { kind: "not-utf8" }),
    )
    socket.addEventListener("open", () => resolve(connection))
    socket.addEventListener("error", () => reject(new Error(`${hostOf(url)} refused the connection`)))
  })
}

class WebSocketLines implements LineConnection {
  readonly closed: Promise<void>
  readonly #socket: WebSocket

  constructor(socket: WebSocket) {
    this.#socket = socket
    this.closed = new Promise((resolve) => socket.addEventListener("close", () => resolve()))
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

  destroy(): void {
    this.#socket.close()
  }
}

/** An address may contain a key, which must not be printed. */
function hostOf(url: string): string {
  return new URL(url).host
}
