// One viewer: its handshake, then its messages, carried out strictly one after another; what it is told does not wait
// for that. What it said is carried out also when it is gone by then, or cannot be written to: whoever says `exit` and
// leaves is obeyed.
import type { Socket } from "node:net"
import { setImmediate } from "node:timers/promises"
import type { AgentMessage, Handshake, ViewerMessage } from "../../protocols/ipc/frames.ts"
import { encodeHandshakeResponse } from "../../protocols/ipc/encode.ts"
import { judgeHandshake, protocolVersion, type Welcome } from "../../protocols/ipc/handshake.ts"
import { isBlank, maxLineBytes, readHandshake, readViewerMessage, type Read } from "../../protocols/ipc/codec.ts"
import type { LineConnection } from "../../transports/line-connection.ts"
import { attachBytes } from "../../transports/socket-bytes.ts"
import { problem } from "../../protocols/ipc/errors.ts"
import type { Asker, Desk } from "./request-handler.ts"
import { Frame } from "./frame.ts"
import type { IpcLimits } from "../../protocols/ipc/limits.ts"
import { NoView, type LiveView, type Onlooker } from "./live-view.ts"
import { Outbox } from "./outbox.ts"
import { Reading, type Hearing } from "./frame-reader.ts"

export interface ViewerDeps {
  readonly limits: IpcLimits
  readonly live: LiveView
  readonly desk: Desk
  readonly key: Uint8Array
  readonly welcome: () => Welcome
  /** A viewer was let in. */
  readonly onAccepted: () => void
  /** It said something. */
  readonly onActivity: () => void
  /** It is gone, and everything it said is done. */
  readonly onGone: (viewer: Viewer) => void
  readonly warn: (message: string) => void
}

/** What it said, and how long that was. */
interface Said {
  readonly read: Read<ViewerMessage>
  readonly length: number
}

export class Viewer implements Onlooker, Asker, Hearing {
  readonly #deps: ViewerDeps
  readonly #connection: LineConnection
  readonly #outbox: Outbox
  readonly #reading = new Reading(this)
  readonly #deadline: NodeJS.Timeout
  readonly #inbox: Said[] = []
  #inboxLength = 0
  #stage: "waited for" | "refused" | "let in" | "greeted" = "waited for"
  #speaksSealed = false
  #badLines = 0
  #isAtWork = false
  /** Nothing more comes from it. */
  #isSilent = false
  #isGone = false

  constructor(socket: Socket, deps: ViewerDeps) {
    this.#deps = deps
    this.#connection = attachBytes(socket, () => this.#reading, "reads on")
    this.#outbox = new Outbox(this.#connection, {
      limits: deps.limits,
      key: () => (this.#speaksSealed ? deps.key : undefined),
      place: () => deps.live.place,
      upToDate: (place) => deps.live.upToDate(place),
    })
    this.#deadline = setTimeout(() => this.#connection.destroy(), deps.limits.handshakeMs)
    void this.#connection.closed.then(() => this.#gone())
  }

  get closed(): Promise<void> {
    return this.#connection.closed
  }

  tell(frame: Frame): void {
    this.#outbox.tell(frame)
  }

  answer(message: AgentMessage): void {
    this.#outbox.tell(new Frame(message))
  }

  /** Nothing more is heard. */
  end(): void {
    this.#reading.stop()
    this.#outbox.end()
  }

  /** Whoever was not let in has nothing to be told. */
  dismiss(lastWord: Frame): void {
    if (this.#stage === "waited for") return this.#connection.destroy()
    this.tell(lastWord)
    this.end()
  }

  destroy(): void {
    this.#connection.destroy()
  }

  handshake(text: string): Uint8Array | undefined {
    const handshake = readHandshake(text)
    if (handshake === undefined || !this.#judge(handshake)) return undefined
    this.#stage = "let in"
    this.#deps.onAccepted()
    void this.#greet()
    return this.#deps.key
  }

  longHandshake(): void {
    this.#judge(wrongToken)
  }

  message(text: string | undefined): void {
    if (text !== undefined && isBlank(text)) return
    this.#deps.onActivity()
    const read = text === undefined ? notText : readViewerMessage(text)
    if (read.kind === "bad") this.#countBad()
    this.#take({ read, length: text?.length ?? 0 })
  }

  sealed(): void {
    this.#speaksSealed = true
  }

  tooLong(): void {
    this.#isSilent = true
    const read = { kind: "bad", what: `Message exceeds maximum size of ${maxLineBytes} bytes` } as const
    this.#take({ read, length: 0 })
  }

  /** Who was refused has been told why, and may read it. */
  nonsense(): void {
    if (this.#stage !== "refused") this.#connection.destroy()
  }

  silence(): void {
    if (this.#stage === "waited for") return this.#connection.destroy()
    this.#isSilent = true
    this.#settle()
  }

  #judge(handshake: Handshake): boolean {
    const { accepted, response } = judgeHandshake(handshake, this.#deps.welcome())
    clearTimeout(this.#deadline)
    this.#connection.send(encodeHandshakeResponse(response))
    if (accepted) return true
    this.#stage = "refused"
    this.#outbox.end()
    return false
  }

  async #greet(): Promise<void> {
    const { live, desk } = this.#deps
    try {
      await Promise.all([live.enter(this), desk.stay()])
    } catch (fault) {
      this.#inbox.length = 0
      this.#isSilent = true
      this.answer({ type: "error", message: this.#wordsFor(fault), fatal: true })
    }
    this.#stage = "greeted"
    void this.#work()
  }

  #take(said: Said): void {
    this.#inbox.push(said)
    this.#inboxLength += said.length
    if (this.#isFull) this.#connection.pause()
    void this.#work()
  }

  #nextSaid(): Said | undefined {
    const wasFull = this.#isFull
    const said = this.#inbox.shift()
    this.#inboxLength -= said?.length ?? 0
    if (wasFull && !this.#isFull) this.#connection.resume()
    return said
  }

  get #isFull(): boolean {
    const { inboxMessages, inboxLength } = this.#deps.limits
    return this.#inbox.length >= inboxMessages || this.#inboxLength >= inboxLength
  }

  #countBad(): void {
    this.#badLines += 1
    if (this.#badLines <= this.#deps.limits.badLines) return
    this.#reading.stop()
    this.#isSilent = true
  }

  async #work(): Promise<void> {
    if (this.#isAtWork || this.#stage !== "greeted") return
    this.#isAtWork = true
    for (let said = this.#nextSaid(); said !== undefined; said = this.#nextSaid()) {
      await this.#carryOut(said.read).catch((fault: unknown) => this.answer(problem(this.#wordsFor(fault))))
      if (this.#inbox.length > 0) await setImmediate() // whoever says much at once leaves room for others
    }
    this.#isAtWork = false
    this.#settle()
  }

  async #carryOut(read: Read<ViewerMessage>): Promise<void> {
    if (read.kind === "bad") return this.answer(problem(read.what))
    await this.#deps.desk.carryOut(this, read.message)
  }

  /** What went wrong in an unforeseen way is for whoever runs the host. */
  #wordsFor(fault: unknown): string {
    if (fault instanceof NoView) return fault.message
    this.#deps.warn(`a viewer was not served: ${String(fault)}`)
    return "The agent could not do that"
  }

  #gone(): void {
    clearTimeout(this.#deadline)
    this.#isGone = true
    this.#outbox.stop()
    this.#settle()
  }

  #settle(): void {
    const isDone = this.#inbox.length === 0 && !this.#isAtWork && this.#stage !== "let in"
    if (!isDone) return
    if (this.#isSilent) this.#outbox.end()
    if (!this.#isGone) return
    this.#deps.live.leave(this)
    this.#deps.desk.left(this)
    this.#deps.onGone(this)
  }
}

/** Whatever makes a handshake so long is not the token. */
const wrongToken: Handshake = { version: protocolVersion, is_reattach: true, session_token: "-" }
const notText = { kind: "bad", what: "a line is not UTF-8" } as const
