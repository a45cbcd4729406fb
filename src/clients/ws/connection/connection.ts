// One connection: requests and their responses; all other frames go to `onFrame`. A silent server is pinged, and dropped
// when it does not answer.
import type { JsonValue } from "../../../contract/values.ts"
import type { ActionName } from "../../../protocols/ws/action-names.ts"
import { onAbort } from "../../base/abort.ts"
import { PendingRequests, type WaitOptions } from "../../base/pending-requests.ts"
import { ConnectionLost, InteractionInvalid, NotReading, RequestRefused, RequestTimedOut } from "../faults.ts"
import type { Limits, Timeouts } from "../options.ts"
import { readFrame, type FrameContent, type ServerFrame } from "./read-frame.ts"
import { TextSocket, type SocketEnd, type WebSocketClass } from "./text-socket.ts"

export type FrameFields = Readonly<Record<string, JsonValue | undefined>>

export interface ConnectionOptions {
  readonly WebSocket: WebSocketClass
  readonly timeouts: Timeouts
  readonly limits: Limits
  /** A frame that answers no request of this connection. */
  readonly onFrame: (frame: ServerFrame) => void
  /** A text that is no known frame. */
  readonly onNoise: (text: string) => void
  readonly onEnd: (end: SocketEnd) => void
}

export class Connection {
  readonly #options: ConnectionOptions
  readonly #socket: TextSocket
  readonly #pending = new PendingRequests<string, FrameContent>((action, ms) => new RequestTimedOut(action, ms))
  #heartbeat: ReturnType<typeof setTimeout> | undefined
  #serverTime: number | undefined

  /** Rejects when the server cannot be reached. */
  static async open(url: string, options: ConnectionOptions, signal: AbortSignal): Promise<Connection> {
    signal.throwIfAborted()
    const connection = new Connection(url, options)
    const removeListener = onAbort(signal, () => connection.#socket.drop("the attempt was aborted"))
    try {
      await connection.#socket.opened
      signal.throwIfAborted()
      connection.#restartHeartbeat()
      return connection
    } finally {
      removeListener()
    }
  }

  private constructor(url: string, options: ConnectionOptions) {
    this.#options = options
    const { WebSocket, timeouts } = options
    this.#socket = new TextSocket(url, {
      WebSocket,
      connectMs: timeouts.connectMs,
      closeMs: timeouts.closeMs,
      onText: (text) => this.#receive(text),
      onEnd: (end) => {
        this.#stop()
        options.onEnd(end)
      },
    })
  }

  /** The newest timestamp that the server sent. */
  get serverTime(): number | undefined {
    return this.#serverTime
  }

  get isOver(): boolean {
    return this.#socket.isOver
  }

  /** Uses a fresh id, so that an error belongs to this request and to no turn. */
  async request(action: ActionName, fields: FrameFields, options: WaitOptions): Promise<FrameContent> {
    options.signal?.throwIfAborted()
    this.#requireRoom()
    const requestId = newRequestId()
    const read = (content: FrameContent) => successfulContent(action, content)
    const response = this.#pending.wait(requestId, { name: action, read, ...options })
    this.send(action, { requestId, ...fields })
    return response
  }

  send(action: ActionName, fields: FrameFields): void {
    this.#requireRoom()
    if (this.isOver) this.#rejectPending()
    else this.#socket.send(JSON.stringify({ action, ...fields }))
  }

  close(): Promise<SocketEnd> {
    this.#stop()
    return this.#socket.close()
  }

  /** Whether the send buffer is below its limit. */
  get hasRoom(): boolean {
    return this.#socket.waitingBytes <= this.#options.limits.waitingBytes
  }

  #requireRoom(): void {
    if (!this.hasRoom) throw new NotReading(this.#socket.waitingBytes)
  }

  #receive(text: string): void {
    this.#restartHeartbeat()
    const frame = readFrame(text)
    if (frame === undefined) return this.#options.onNoise(text)
    if (frame.timestamp !== undefined) this.#serverTime = frame.timestamp
    const { requestId, content } = frame
    if (requestId === undefined || !this.#pending.answer(requestId, content)) this.#options.onFrame(frame)
  }

  #stop(): void {
    clearTimeout(this.#heartbeat)
    this.#rejectPending()
  }

  #rejectPending(): void {
    this.#pending.rejectAll((action) => new ConnectionLost(action))
  }

  #restartHeartbeat(): void {
    const { heartbeatMs } = this.#options.timeouts
    clearTimeout(this.#heartbeat)
    if (heartbeatMs > 0 && !this.isOver) this.#heartbeat = setTimeout(() => void this.#ping(), heartbeatMs)
  }

  async #ping(): Promise<void> {
    try {
      await this.request("ping", {}, { timeoutMs: this.#options.timeouts.heartbeatMs })
    } catch (fault) {
      if (!(fault instanceof RequestRefused)) this.#socket.drop("the server is silent") // a refusal is a sign of life
    }
  }
}

function successfulContent(action: ActionName, content: FrameContent): FrameContent {
  if (content.kind === "error") throw new RequestRefused(action, content.code, content.message)
  if (content.kind === "event" && content.event.type === "interaction-invalid")
    throw new InteractionInvalid(content.event.errors)
  return content
}

export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16)) // pages without TLS have no `randomUUID`
  return `req-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`
}
