// For tests: a client on a Unix socket that sends what a test wants and keeps the JSON lines that it receives.
import { createConnection, type Socket } from "node:net"
import { LineSplitter } from "../../transports/framing/lines.ts"

export type ReceivedFrame = Readonly<Record<string, unknown>>

const MAX_LINE_BYTES = 64 * 1024 * 1024

export class LineClient {
  readonly socket: Socket
  readonly received: ReceivedFrame[] = []
  /** Resolves at the end of the connection, with its error if it failed. */
  readonly closed: Promise<unknown>

  constructor(pathOrSocket: string | Socket) {
    this.socket = typeof pathOrSocket === "string" ? createConnection(pathOrSocket) : pathOrSocket
    this.closed = new Promise((resolve) => {
      this.socket.on("error", resolve)
      this.socket.once("close", () => resolve(undefined))
    })
    const splitter = new LineSplitter(MAX_LINE_BYTES, (line) => {
      if (line.kind === "line") this.received.push(JSON.parse(line.text))
    })
    this.socket.on("data", (chunk: Buffer) => splitter.push(chunk))
  }

  say(...frames: readonly object[]): void {
    this.socket.write(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""))
  }

  types(): unknown[] {
    return this.received.map(({ type }) => type)
  }

  all(type: string): ReceivedFrame[] {
    return this.received.filter((frame) => frame["type"] === type)
  }

  /** Repeats `look` after every chunk until it finds something. */
  async until<Value>(look: () => Value | undefined | false): Promise<Value> {
    for (;;) {
      const found = look()
      if (found !== undefined && found !== false) return found
      if (this.socket.destroyed)
        throw new Error(`the connection was closed after ${JSON.stringify(this.received.at(-1))}`)
      await Promise.race([new Promise((resolve) => this.socket.once("data", resolve)), this.closed])
    }
  }
}
