// Text frames over WebSocket, on the upgrades of an HTTP server; for a door that reads lines, one frame is one line. A
// frame that is too large closes its own socket only; a peer that has vanished is detected by pings.
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { WebSocketServer, type RawData, type WebSocket } from "ws"
import type { BudgetHolder, FrameBudget } from "./frame-budget.ts"
import type { Line } from "./framing/lines.ts"
import type { LineConnection, OnConnection } from "./line-connection.ts"

export interface TextSocket {
  send(text: string): void
  readonly isOpen: boolean
  /** Bytes that are not written yet. */
  readonly waiting: number
  /** Resolves when everything is written, or the peer is gone. */
  drained(): Promise<void>
  readonly closed: Promise<void>
  close(code: number, reason: string): void
}

/** An accepted socket, which is also a connection of lines. */
export interface FlowingSocket extends TextSocket, LineConnection {
  /** Allows frames of the full size from now on. */
  raiseFrameLimit(): void
}

/** Called with the text of each frame; undefined for a frame that is not text. */
export type OnText = (text: string | undefined) => void

export interface Upgrades {
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, onSocket: (socket: FlowingSocket) => OnText): void
  readonly size: number
  /** Resolves when all are closed. */
  closeAll(code: number, reason: string): Promise<void>
}

export interface UpgradeOptions {
  /** Bytes of one message: past it the socket is closed with 1009. */
  readonly maxFrameBytes: number
  /** The same until `raiseFrameLimit`. Default: no lower limit. */
  readonly firstFrameBytes?: number
  /** Past the budget of all sockets the newest is closed with 1013. */
  readonly budget?: FrameBudget
  /** How often a peer is pinged; one that has not answered the last ping is closed. */
  readonly pingMs?: number
}

/** How long a socket may take to close. */
const closingMs = 2000
const CLOSE_POLL_MS = 20
const DEFAULT_PING_MS = 30_000

export function openUpgrades(options: UpgradeOptions): Upgrades {
  const { maxFrameBytes, pingMs = DEFAULT_PING_MS } = options
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
    clientTracking: true,
  })
  const silent = new WeakSet<WebSocket>()
  const pingTimer = setInterval(() => {
    for (const client of server.clients) {
      if (silent.has(client)) client.terminate()
      else silent.add(client)
      if (client.readyState === client.OPEN) client.ping()
    }
  }, pingMs)
  pingTimer.unref()
  const attached = (webSocket: WebSocket, stream: Duplex, onSocket: (socket: FlowingSocket) => OnText) => {
    webSocket.on("pong", () => silent.delete(webSocket))
    webSocket.on("error", ignore)
    const onText = onSocket(new UpgradedSocket(webSocket, stream, new UnfinishedFrame(webSocket, stream, options)))
    webSocket.on("message", (data, isBinary) => onText(isBinary ? undefined : textOf(data)))
  }
  return {
    accept: (request, socket, head, onSocket) =>
      server.handleUpgrade(request, socket, head, (webSocket) => attached(webSocket, socket, onSocket)),
    get size() {
      return server.clients.size
    },
    closeAll: async (code, reason) => {
      clearInterval(pingTimer)
      await Promise.all([...server.clients].map((client) => closeSoon(client, code, reason)))
    },
  }
}

const noText: Line = { kind: "not-utf8" }

/** Reads the frames of an accepted socket as lines. */
export function linesOn(socket: FlowingSocket, onConnection: OnConnection): OnText {
  const onLine = onConnection(socket)
  return (text) => onLine(text === undefined ? noText : { kind: "line", text })
}

const tooLarge = 1009
const tryLater = 1013
/** Bytes that a client's control frame has besides its data. */
const controlHeaderBytes = 6

/**
 * Bytes that a socket has received since its last complete message. The library has one limit for all sockets; here each
 * socket has its own, and all of them share a budget.
 */
class UnfinishedFrame implements BudgetHolder {
  readonly #webSocket: WebSocket
  readonly #budget: FrameBudget | undefined
  #limit: number
  #bytes = 0

  constructor(webSocket: WebSocket, stream: Duplex, { firstFrameBytes = Infinity, budget }: UpgradeOptions) {
    this.#webSocket = webSocket
    this.#budget = budget
    this.#limit = firstFrameBytes
    budget?.enter(this)
    stream.prependListener("data", (piece: Buffer) => this.#add(piece.length)) // before the library reads it
    webSocket.on("message", () => this.#add(-this.#bytes))
    webSocket.on("ping", (data) => this.#add(-Math.min(this.#bytes, data.length + controlHeaderBytes)))
    webSocket.on("pong", (data) => this.#add(-Math.min(this.#bytes, data.length + controlHeaderBytes)))
    webSocket.once("close", () => budget?.leave(this))
  }

  get unfinished(): number {
    return this.#bytes
  }

  raiseLimit(): void {
    this.#limit = Infinity // the library has its own bound
  }

  refuse(): void {
    this.#stop(tryLater, "too many unfinished frames; try again later")
  }

  #add(bytes: number): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return
    this.#bytes += bytes
    this.#budget?.change(bytes)
    if (this.#bytes > this.#limit) this.#stop(tooLarge, "the first frames must be smaller")
  }

  /** Reads nothing more, so that the peer's system keeps what it sends. */
  #stop(code: number, reason: string): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return
    this.#budget?.leave(this)
    void closeSoon(this.#webSocket, code, reason)
    this.#webSocket.pause()
  }
}

/** The same bytes go to many clients: their text is decoded once. */
const texts = new WeakMap<Uint8Array, string>()

/** A class instead of closures, because there are thousands of them. */
class UpgradedSocket implements FlowingSocket {
  readonly closed: Promise<void>
  readonly #webSocket: WebSocket
  readonly #stream: Duplex
  readonly #frame: UnfinishedFrame
  #isGathering = false

  constructor(webSocket: WebSocket, stream: Duplex, frame: UnfinishedFrame) {
    this.#webSocket = webSocket
    this.#stream = stream
    this.#frame = frame
    this.closed = new Promise((resolve) => webSocket.on("close", () => resolve()))
  }

  get isOpen(): boolean {
    return this.#webSocket.readyState === this.#webSocket.OPEN
  }

  get waiting(): number {
    return this.#webSocket.bufferedAmount
  }

  send(text: string): void {
    if (!this.isOpen) return
    if (!this.#isGathering) this.#gather()
    this.#webSocket.send(text)
  }

  sendBytes(line: Uint8Array): void {
    const text = texts.get(line) ?? Buffer.from(line).toString("utf8").trimEnd()
    texts.set(line, text)
    this.send(text)
  }

  /** Polls, because the library has no event for it. */
  async drained(): Promise<void> {
    while (this.isOpen && this.waiting > 0) await new Promise((resolve) => setTimeout(resolve, CLOSE_POLL_MS))
  }

  end(): void {
    this.close(1000, "bye")
  }

  destroy(): void {
    this.close(1011, "cut off")
  }

  close(code: number, reason: string): void {
    void closeSoon(this.#webSocket, code, reason)
  }

  pause(): void {
    this.#webSocket.pause()
  }

  resume(): void {
    this.#webSocket.resume()
  }

  raiseFrameLimit(): void {
    this.#frame.raiseLimit()
  }

  /** Frames of one tick go out in one write: for short frames the system call is the main cost. */
  #gather(): void {
    this.#isGathering = true
    this.#stream.cork()
    process.nextTick(() => {
      this.#isGathering = false
      this.#stream.uncork()
    })
  }
}

function ignore(): void {
  // the frame is too large or invalid: the library closes the socket with the right code
}

function textOf(data: RawData): string {
  if (Buffer.isBuffer(data)) return data.toString("utf8")
  return Array.isArray(data) ? Buffer.concat(data).toString("utf8") : Buffer.from(data).toString("utf8")
}

function closeSoon(webSocket: WebSocket, code: number, reason: string): Promise<void> {
  return new Promise((resolve) => {
    if (webSocket.readyState === webSocket.CLOSED) return resolve()
    const deadline = setTimeout(() => webSocket.terminate(), closingMs)
    webSocket.once("close", () => {
      clearTimeout(deadline)
      resolve()
    })
    webSocket.close(code, reason)
  })
}
