// Lines over a WebSocket, server side: one text frame is one line.
import type { Line } from "./framing/lines.ts"
import type { LineConnection, OnConnection } from "./line-connection.ts"
import type { FlowingSocket, OnText } from "./websocket.ts"

/** Adapts an accepted socket (`Upgrades.accept`) to a door that reads lines. */
export function linesOn(socket: FlowingSocket, onConnection: OnConnection): OnText {
  const onLine = onConnection(new SocketConnection(socket))
  return (text) => onLine(text === undefined ? noText : { kind: "line", text })
}

const noText: Line = { kind: "not-utf8" }
/** The same bytes go to many clients: their text is decoded once. */
const texts = new WeakMap<Uint8Array, string>()

class SocketConnection implements LineConnection {
  readonly #socket: FlowingSocket

  constructor(socket: FlowingSocket) {
    this.#socket = socket
  }

  get waiting(): number {
    return this.#socket.waiting
  }

  get closed(): Promise<void> {
    return this.#socket.closed
  }

  send(line: string): void {
    this.#socket.send(line)
  }

  sendBytes(line: Uint8Array): void {
    const text = texts.get(line) ?? Buffer.from(line).toString("utf8").trimEnd()
    texts.set(line, text)
    this.#socket.send(text)
  }

  drained(): Promise<void> {
    return this.#socket.drained()
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  end(): void {
    this.#socket.close(1000, "bye")
  }

  destroy(): void {
    this.#socket.close(1011, "cut off")
  }
}
