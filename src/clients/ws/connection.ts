// One socket that speaks the protocol: requests and their answers, and everything else to whoever listens. A server that
// is silent for too long is asked whether it is there; one that does not answer is given up.
import type { JsonValue } from "../../contract/values.ts"
import type { ActionName } from "../../protocols/ws/actions.ts"
import { NotReading, RequestRefused } from "./faults.ts"
import type { Limits, Timeouts } from "./options.ts"
import { PendingRequests, type Patience } from "./pending-requests.ts"
import { readFrame, type Said, type ServerFrame } from "./read-frame.ts"
import { TextSocket, type SocketEnd, type WebSocketClass } from "./text-socket.ts"

export type FrameMembers = Readonly<Record<string, JsonValue | undefined>>

export interface ConnectionOptions {
  readonly WebSocket: WebSocketClass
  readonly timeouts: Timeouts
  readonly limits: Limits
  /** What answers no request of this connection. */
  readonly onFrame: (frame: ServerFrame) => void
  /** What is no frame, or none that is known. */
  readonly onNoise: (text: string) => void
  readonly onEnd: (end: SocketEnd) => void
}

export class Connection {
  readonly #options: ConnectionOptions
  readonly #socket: TextSocket
  readonly #pending = new PendingRequests()
  #heartbeat: ReturnType<typeof setTimeout> | undefined
  #serverTime: number | undefined

  /** Rejects when the server cannot be reached. */
  static async open(url: string, options: ConnectionOptions, signal: AbortSignal): Promise<Connection> {
    signal.throwIfAborted()
    const connection = new Connection(url, options)
    const stop = () => connection.#socket.drop("it was called off")
    signal.addEventListener("abort", stop, { once: true })
    try {
      await connection.#socket.opened
      signal.throwIfAborted()
      connection.#beat()
      return connection
    } finally {
      signal.removeEventListener("abort", stop)
    }
  }

  private constructor(url: string, options: ConnectionOptions) {
    this.#options = options
    const { WebSocket, timeouts } = options
    this.#socket = new TextSocket(url, {
      WebSocket,
      connectMs: timeouts.connectMs,
      closeMs: timeouts.closeMs,
      onText: (text) => this.#hear(text),
      onEnd: (end) => this.#end(end),
    })
  }

  /** The newest that the server has said of its clock. */
  get serverTime(): number | undefined {
    return this.#serverTime
  }

  get isOver(): boolean {
    return this.#socket.isOver
  }

  /** Under a fresh id: an error is then about this request and about no turn. */
  async ask(action: ActionName, members: FrameMembers, patience: Patience): Promise<Said> {
    patience.signal?.throwIfAborted()
    this.#mindRoom()
    const requestId = newRequestId()
    const answer = this.#pending.wait(requestId, action, patience)
    this.tell(action, { requestId, ...members })
    return answer
  }

  tell(action: ActionName, members: FrameMembers): void {
    this.#mindRoom()
    if (this.#socket.isOver) this.#pending.fail()
    else this.#socket.send(JSON.stringify({ action, ...members }))
  }

  /** Nobody waits for an answer any more. */
  close(): Promise<SocketEnd> {
    clearTimeout(this.#heartbeat)
    this.#pending.fail()
    return this.#socket.close()
  }

  /** Whether the server takes what it is sent. */
  get hasRoom(): boolean {
    return this.#socket.waiting <= this.#options.limits.waitingBytes
  }

  #mindRoom(): void {
    if (!this.hasRoom) throw new NotReading(this.#socket.waiting)
  }

  #hear(text: string): void {
    this.#beat()
    const frame = readFrame(text)
    if (frame === undefined) return this.#options.onNoise(text)
    if (frame.at !== undefined) this.#serverTime = frame.at
    if (!this.#pending.answer(frame.requestId, frame.said)) this.#options.onFrame(frame)
  }

  #end(end: SocketEnd): void {
    clearTimeout(this.#heartbeat)
    this.#pending.fail()
    this.#options.onEnd(end)
  }

  #beat(): void {
    const { heartbeatMs } = this.#options.timeouts
    clearTimeout(this.#heartbeat)
    if (heartbeatMs > 0 && !this.#socket.isOver) this.#heartbeat = setTimeout(() => void this.#probe(), heartbeatMs)
  }

  async #probe(): Promise<void> {
    try {
      await this.ask("ping", {}, { timeoutMs: this.#options.timeouts.heartbeatMs })
    } catch (fault) {
      if (!(fault instanceof RequestRefused)) this.#socket.drop("the server is silent") // a no is a sign of life
    }
  }
}

export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16)) // `randomUUID` is not there on pages without TLS
  return `req-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`
}
