// A turn from its message to its end, over as many connections as it takes.
import { EventQueue } from "../../base/event-queue.ts"
import { TurnState } from "../../base/turn.ts"
import type { FrameFields } from "../connection/connection.ts"
import type { FrameContent } from "../connection/read-frame.ts"
import { TurnCancelled, TurnFailed, TurnLost, TurnRefused, TurnTooLong } from "../faults.ts"
import type { Message } from "../messages.ts"
import type { Limits } from "../options.ts"
import { ReplayFilter } from "./replay-filter.ts"
import type { Card, TurnEvent, TurnResult } from "./turn-events.ts"

/** The message that started the turn. */
export interface Outgoing {
  readonly text: string
  readonly fields: FrameFields
}

/** Not sent; sent without a sign of its arrival; stored by the server. */
export type TurnPhase = "unsent" | "sent" | "stored"

export class OpenTurn extends TurnState<TurnEvent, TurnResult> {
  readonly requestId: string
  /** Undefined for a turn that another client started. */
  readonly outgoing: Outgoing | undefined
  readonly #maxLength: number
  readonly #filter = new ReplayFilter()
  #phase: TurnPhase
  #sentAfter: number | undefined
  #isSeen = false
  #isTooLong = false
  isCancelRequested = false
  /** It was sent again to a server that stores a message once. */
  isRepeated = false

  constructor(requestId: string, outgoing: Outgoing | undefined, { waitingEvents, turnLength }: Limits) {
    const tooMany = `the reader does not keep up: more than ${waitingEvents} events of the turn are unread`
    super(new EventQueue({ merge, maxItems: waitingEvents, onOverflow: () => new TurnTooLong(tooMany) }))
    this.requestId = requestId
    this.outgoing = outgoing
    this.#maxLength = turnLength
    this.#phase = outgoing === undefined ? "stored" : "unsent"
  }

  get phase(): TurnPhase {
    return this.#phase
  }

  get text(): string {
    return this.#filter.text
  }

  get openCard(): Card | undefined {
    return this.#filter.openCard
  }

  /** The current connection has sent a frame about it. */
  get isSeen(): boolean {
    return this.#isSeen
  }

  /** The newest frame exceeded the limit. */
  get isTooLong(): boolean {
    return this.#isTooLong
  }

  /** The server's clock before the message was first sent. */
  get sentAfter(): number | undefined {
    return this.#sentAfter
  }

  markSent(serverTime: number | undefined): void {
    if (this.#phase !== "unsent") return // a repetition: the first time counts
    this.#phase = "sent"
    this.#sentAfter = serverTime
  }

  markStored(): void {
    this.#phase = "stored"
  }

  /** A new connection: its frames start at the beginning of the turn. */
  restart(): void {
    this.#isSeen = false
    this.#filter.restart()
  }

  /** No effect when another card is open already. */
  closeCard(card: Card | undefined): void {
    this.#filter.closeCard(card)
  }

  receive(content: FrameContent): void {
    this.#isTooLong = false
    if (this.isOver) return
    this.#isSeen = true
    switch (content.kind) {
      case "response":
        return this.markStored()
      case "event":
        this.markStored()
        return this.#emit(this.#filter.filter(content.event))
      case "ended":
        return this.#endWith(content.result)
      case "cancelled":
        return this.fail(new TurnCancelled())
      case "error":
        return this.#handleError(content.code, content.message)
      case "pong":
      case "code":
        return // not about a turn
    }
  }

  /** The turn ended while there was no connection. */
  endFromMessage({ id, text }: Message): void {
    const unknown = { needsEscalation: false, citations: [], suggestions: [] }
    this.#endWith({ text, messageId: id, ...unknown, isFromMessages: true })
  }

  lose(message: string, cause?: unknown): void {
    this.fail(new TurnLost(message, isStored[this.#phase], cause))
  }

  #endWith(result: TurnResult): void {
    if (this.isOver) return
    this.#emit(this.#filter.complete(result.text, result.isFromMessages))
    this.complete(result)
  }

  #handleError(code: string, message: string): void {
    // Real servers end the turn after this error as if nothing had happened.
    if (code === "OTP_SEND_FAILED") return this.#emit([{ type: "code-not-sent", message }])
    // Another client's turn is running. The message is sent again when that one ends.
    if (code === "TURN_IN_PROGRESS" && this.isRepeated) return void (this.#isSeen = false)
    this.fail(this.#phase === "stored" ? new TurnFailed(code, message) : new TurnRefused(code, message))
  }

  #emit(events: readonly TurnEvent[]): void {
    for (const event of events) this.events.push(event)
    if (this.#filter.length <= this.#maxLength) return
    this.#isTooLong = true
    this.fail(new TurnTooLong(`the turn has more than ${this.#maxLength} characters`))
  }
}

const isStored = { unsent: false, sent: undefined, stored: true } as const

function merge(last: TurnEvent, event: TurnEvent): TurnEvent | undefined {
  if (last.type === "alive" && event.type === "alive") return last
  if (last.type === "token" && event.type === "token") return { type: "token", text: last.text + event.text }
  if (last.type === "reasoning" && event.type === "reasoning")
    return { type: "reasoning", text: last.text + event.text }
  return undefined
}
