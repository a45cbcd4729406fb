// One connected viewer: its handshake, then its messages, handled strictly one after another. Its messages are handled
// also when it has gone by then or cannot be written to, so that a viewer may send `exit` and disconnect.
import type { Socket } from "node:net"
import { setImmediate } from "node:timers/promises"
import {
  decodeHandshake,
  decodeViewerMessage,
  encodeHandshakeResponse,
  isBlank,
  type Decoded,
} from "../../protocols/ipc/codec.ts"
import { errorFrame } from "../../protocols/ipc/errors.ts"
import type { AgentMessage, Handshake, ViewerMessage } from "../../protocols/ipc/frames.ts"
import { checkHandshake, protocolVersion, type HandshakePolicy } from "../../protocols/ipc/handshake.ts"
import { frameLimits, type IpcLimits } from "../../protocols/ipc/limits.ts"
import type { LineConnection } from "../../transports/line-connection.ts"
import { attachBytes } from "../../transports/socket-bytes.ts"
import { Frame, type Requester } from "./frame.ts"
import { FrameReader, type FrameListener } from "./frame-reader.ts"
import { SessionUnavailable, type LiveSession } from "./live-session.ts"
import type { RequestHandler } from "./request-handler.ts"
import { ViewerOutbox } from "./viewer-outbox.ts"

export interface ViewerDeps {
  readonly limits: IpcLimits
  readonly live: LiveSession
  readonly requests: RequestHandler
  readonly key: Uint8Array
  readonly policy: () => HandshakePolicy
  readonly onAccepted: () => void
  /** It has sent a message. */
  readonly onActivity: () => void
  /** It has disconnected, and all its messages are handled. */
  readonly onGone: (viewer: Viewer) => void
  readonly warn: (message: string) => void
}

interface QueuedMessage {
  readonly decoded: Decoded<ViewerMessage>
  readonly length: number
}

export class Viewer implements Requester, FrameListener {
  readonly #deps: ViewerDeps
  readonly #connection: LineConnection
  readonly #outbox: ViewerOutbox
  readonly #reader = new FrameReader(this)
  readonly #deadline: NodeJS.Timeout
  readonly #inbox: QueuedMessage[] = []
  #inboxLength = 0
  #stage: "handshake" | "refused" | "joining" | "joined" = "handshake"
  #isSealed = false
  #badLines = 0
  #isHandling = false
  /** No further message comes from it. */
  #hasEnded = false
  #isGone = false

  constructor(socket: Socket, deps: ViewerDeps) {
    this.#deps = deps
    this.#connection = attachBytes(socket, () => this.#reader, "keep reading")
    this.#outbox = new ViewerOutbox(this.#connection, {
      limits: deps.limits,
      key: () => (this.#isSealed ? deps.key : undefined),
      position: () => deps.live.position,
      resyncFrames: (missedFrom) => deps.live.resyncFrames(missedFrom),
    })
    this.#deadline = setTimeout(() => this.#connection.destroy(), deps.limits.handshakeMs)
    void this.#connection.closed.then(() => this.#onClosed())
  }

  get closed(): Promise<void> {
    return this.#connection.closed
  }

  send(frame: Frame): void {
    this.#outbox.send(frame)
  }

  reply(message: AgentMessage): void {
    this.send(new Frame(message))
  }

  /** Ignores what the viewer still sends. */
  end(): void {
    this.#reader.stop()
    this.#outbox.end()
  }

  /** Ends the connection with a last frame, which only an accepted viewer gets. */
  dismiss(lastFrame: Frame): void {
    if (this.#stage === "handshake") return this.#connection.destroy()
    this.send(lastFrame)
    this.end()
  }

  destroy(): void {
    this.#connection.destroy()
  }

  onHandshake(text: string): Uint8Array | undefined {
    const handshake = decodeHandshake(text)
    if (handshake === undefined || !this.#answerHandshake(handshake)) return undefined
    this.#stage = "joining"
    this.#deps.onAccepted()
    void this.#join()
    return this.#deps.key
  }

  onLongHandshake(): void {
    this.#answerHandshake(wrongToken)
  }

  onMessage(text: string | undefined): void {
    if (text !== undefined && isBlank(text)) return
    this.#deps.onActivity()
    const decoded = text === undefined ? notUtf8 : decodeViewerMessage(text)
    if (decoded.kind === "bad") this.#countBadLine()
    this.#enqueue({ decoded, length: text?.length ?? 0 })
  }

  onSealed(): void {
    this.#isSealed = true
  }

  onTooLong(): void {
    this.#hasEnded = true
    this.#enqueue({ decoded: tooLong, length: 0 })
  }

  /** A refused viewer may still read why. */
  onInvalid(): void {
    if (this.#stage !== "refused") this.#connection.destroy()
  }

  onEnd(): void {
    if (this.#stage === "handshake") return this.#connection.destroy()
    this.#hasEnded = true
    this.#finish()
  }

  #answerHandshake(handshake: Handshake): boolean {
    const { accepted, response } = checkHandshake(handshake, this.#deps.policy())
    clearTimeout(this.#deadline)
    this.#connection.send(encodeHandshakeResponse(response))
    if (accepted) return true
    this.#stage = "refused"
    this.#outbox.end()
    return false
  }

  async #join(): Promise<void> {
    const { live, requests } = this.#deps
    try {
      await Promise.all([live.join(this), requests.stay()])
    } catch (fault) {
      this.#inbox.length = 0
      this.#hasEnded = true
      this.reply({ type: "error", message: this.#describeFault(fault), fatal: true })
    }
    this.#stage = "joined"
    void this.#handleMessages()
  }

  #enqueue(message: QueuedMessage): void {
    this.#inbox.push(message)
    this.#inboxLength += message.length
    if (this.#isInboxFull) this.#connection.pause()
    void this.#handleMessages()
  }

  #dequeue(): QueuedMessage | undefined {
    const wasFull = this.#isInboxFull
    const message = this.#inbox.shift()
    this.#inboxLength -= message?.length ?? 0
    if (wasFull && !this.#isInboxFull) this.#connection.resume()
    return message
  }

  get #isInboxFull(): boolean {
    const { inboxMessages, inboxLength } = this.#deps.limits
    return this.#inbox.length >= inboxMessages || this.#inboxLength >= inboxLength
  }

  #countBadLine(): void {
    this.#badLines += 1
    if (this.#badLines <= this.#deps.limits.badLines) return
    this.#reader.stop()
    this.#hasEnded = true
  }

  async #handleMessages(): Promise<void> {
    if (this.#isHandling || this.#stage !== "joined") return
    this.#isHandling = true
    for (let message = this.#dequeue(); message !== undefined; message = this.#dequeue()) {
      await this.#handle(message.decoded).catch((fault: unknown) => this.reply(errorFrame(this.#describeFault(fault))))
      if (this.#inbox.length > 0) await setImmediate() // a viewer with many messages leaves time for others
    }
    this.#isHandling = false
    this.#finish()
  }

  async #handle(decoded: Decoded<ViewerMessage>): Promise<void> {
    if (decoded.kind === "bad") return this.reply(errorFrame(decoded.problem))
    await this.#deps.requests.handle(this, decoded.message)
  }

  /** The details of an unexpected fault go to the log of the host only. */
  #describeFault(fault: unknown): string {
    if (fault instanceof SessionUnavailable) return fault.message
    this.#deps.warn(`a viewer was not served: ${String(fault)}`)
    return "The agent could not do that"
  }

  #onClosed(): void {
    clearTimeout(this.#deadline)
    this.#isGone = true
    this.#finish()
  }

  /** Leaves once all its messages are handled. */
  #finish(): void {
    if (this.#inbox.length > 0 || this.#isHandling || this.#stage === "joining") return
    if (this.#hasEnded) this.#outbox.end()
    if (!this.#isGone) return
    this.#deps.live.leave(this)
    this.#deps.requests.disconnected(this)
    this.#deps.onGone(this)
  }
}

/** Whatever makes a handshake so long, it is not the token. */
const wrongToken: Handshake = { version: protocolVersion, is_reattach: true, session_token: "-" }
const notUtf8 = { kind: "bad", problem: "a line is not UTF-8" } as const
const tooLong = { kind: "bad", problem: `Message exceeds maximum size of ${frameLimits.lineBytes} bytes` } as const
