// A turn as this client knows it, from the message that asks for it to the frame that ends it, over as many connections
// as it takes. The first end counts; whatever comes afterwards is not heard.
import { EventQueue } from "./event-queue.ts"
import { TurnCancelled, TurnFailed, TurnLost, TurnRefused, TurnTooLong } from "./faults.ts"
import type { FrameMembers } from "./connection.ts"
import type { Limits } from "./options.ts"
import type { Said } from "./read-frame.ts"
import type { Message } from "./rows.ts"
import { Told } from "./told.ts"
import type { Confirmation, Interaction, TurnEvent, TurnResult } from "./turn-events.ts"

/** The message of a turn that this client began. */
export interface Outgoing {
  readonly text: string
  readonly members: FrameMembers
}

export class OpenTurn {
  readonly requestId: string
  /** Nothing for a turn that ran when the session came in. */
  readonly outgoing: Outgoing | undefined
  readonly events: EventQueue
  readonly #limits: Limits
  readonly #told = new Told()
  readonly #result = Promise.withResolvers<TurnResult>()
  readonly #over = Promise.withResolvers<void>()
  /** Not sent; on its way, with no sign that it arrived; known to be stored. */
  #phase: "unsent" | "sent" | "stored"
  #sentAfter: number | undefined
  #isHeard = false
  #isOver = false
  #isTooLong = false
  isCancelWanted = false
  /** It was sent again to a server that stores it once. */
  isRepeated = false

  constructor(requestId: string, outgoing: Outgoing | undefined, limits: Limits) {
    this.requestId = requestId
    this.outgoing = outgoing
    this.#limits = limits
    this.#phase = outgoing === undefined ? "stored" : "unsent"
    this.events = new EventQueue(limits.waitingEvents)
    this.#result.promise.catch(() => {}) // whoever asks is told
  }

  get result(): Promise<TurnResult> {
    return this.#result.promise
  }

  /** Settles when it is over in whatever way. */
  get over(): Promise<void> {
    return this.#over.promise
  }

  get isOver(): boolean {
    return this.#isOver
  }

  get phase(): "unsent" | "sent" | "stored" {
    return this.#phase
  }

  get text(): string {
    return this.#told.text
  }

  get asked(): Confirmation | Interaction | undefined {
    return this.#told.open
  }

  /** The server has spoken of it on this connection. */
  get isHeard(): boolean {
    return this.#isHeard
  }

  /** What was just heard was too much of it. */
  get isTooLong(): boolean {
    return this.#isTooLong
  }

  /** The server's clock before the message was sent first. */
  get sentAfter(): number | undefined {
    return this.#sentAfter
  }

  sent(serverTime: number | undefined): void {
    if (this.#phase !== "unsent") return // sent again: it was not stored before that either
    this.#phase = "sent"
    this.#sentAfter = serverTime
  }

  /** It was found among the messages. */
  stored(): void {
    this.#phase = "stored"
  }

  /** Another connection: what it tells begins at the beginning. */
  again(): void {
    this.#isHeard = false
    this.#told.again()
  }

  /** Another question may have taken its place already. */
  immediateResponse(card: Confirmation | Interaction | undefined): void {
    this.#told.immediateResponse(card)
  }

  hear(said: Said): void {
    this.#isTooLong = false
    if (this.#isOver) return
    this.#isHeard = true
    switch (said.kind) {
      case "answer":
        this.#phase = "stored"
        return
      case "event":
        this.#phase = "stored"
        return this.#give(this.#told.hear(said.event))
      case "ended":
        return this.#complete(said.result)
      case "cancelled":
        return this.fail(new TurnCancelled())
      case "error":
        return this.#erred(said.code, said.message)
      case "pong":
      case "code":
        return // not about a turn
    }
  }

  /** It ended while nobody listened. */
  endedWith({ id, text }: Message): void {
    const unknown = { needsEscalation: false, citations: [], suggestions: [] }
    this.#complete({ text, messageId: id, ...unknown, isFromMessages: true })
  }

  lost(sentence: string, cause?: unknown): void {
    this.fail(new TurnLost(sentence, isStored[this.#phase], cause))
  }

  fail(fault: Error): void {
    if (this.#isOver) return
    this.#finish()
    this.events.fail(fault)
    this.#result.reject(fault)
  }

  #complete(result: TurnResult): void {
    if (this.#isOver) return
    this.#give(this.#told.completed(result.text, result.isFromMessages))
    if (this.#isOver) return
    this.#finish()
    this.events.end()
    this.#result.resolve(result)
  }

  #erred(code: string, message: string): void {
    // Real servers end the turn after this one as if nothing had been.
    if (code === "OTP_SEND_FAILED") return this.#give([{ type: "code-not-sent", message }])
    // The connection has come into a turn of somebody else. It is tried again when that one is over.
    if (code === "TURN_IN_PROGRESS" && this.isRepeated) return void (this.#isHeard = false)
    this.fail(this.#phase === "stored" ? new TurnFailed(code, message) : new TurnRefused(code, message))
  }

  #give(events: readonly TurnEvent[]): void {
    for (const event of events) this.events.push(event)
    if (this.#told.length > this.#limits.turnLength) {
      this.#isTooLong = true
      this.fail(new TurnTooLong(`the turn has more than ${this.#limits.turnLength} characters`))
    }
  }

  #finish(): void {
    this.#isOver = true
    this.#over.resolve()
  }
}

const isStored = { unsent: false, sent: undefined, stored: true } as const
