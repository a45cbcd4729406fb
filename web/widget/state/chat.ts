// A conversation as the widget shows it. Everything that changes is a signal; what the visitor does is a method.
import { computed, signal } from "@preact/signals"
import {
  ConnectionLost,
  InteractionInvalid,
  QuestionGone,
  type ClientSession,
  type Turn,
  type TurnEvent,
  type TurnResult,
} from "../../../src/clients/ws/index.ts"
import type { JsonValue } from "../../../src/contract/values.ts"
import { applyEvent, bounded, changeCard, endTurn, linesOf, stopTurn, type CardLine, type Line } from "./lines.ts"
import { Link, type LinkOptions } from "./link.ts"
import type { Memory } from "./memory.ts"
import { turnNotice, type Problem } from "./problems.ts"
import { spoken } from "./spoken.ts"

export type Activity = "working" | "lookingUp" | "waitingForStaff"

/** A quick reply. */
export interface Suggestion {
  readonly text: string
  /** The message was refused until the visitor was verified, and is sent again. */
  readonly isRepeated?: boolean
}

export type ChatEvent =
  | { readonly type: "message"; readonly from: "visitor" | "agent"; readonly text: string }
  | { readonly type: "escalation"; readonly reason: string }
  | { readonly type: "directive"; readonly directive: JsonValue }

export interface ChatOptions extends Omit<LinkOptions, "conversationId" | "onSession" | "onReplaced"> {
  readonly memory: Memory
  readonly onEvent: (event: ChatEvent) => void
  readonly onProblem: (problem: Problem) => void
  /** Messages have changed: other windows with this conversation show them. */
  readonly onChanged: () => void
}

const PAGE = 50

export class Chat {
  readonly lines = signal<readonly Line[]>([])
  readonly activity = signal<Activity | undefined>(undefined)
  /** One sentence before the answer, while it is awaited. */
  readonly preamble = signal("")
  readonly suggestions = signal<readonly Suggestion[]>([])
  readonly agentName = signal("")
  readonly hasEarlier = signal(false)
  /** The newest answer, for screen readers. */
  readonly announcement = signal("")
  readonly draft = signal("")
  readonly hasUnread = signal(false)
  readonly isOpen = signal(false)
  readonly isBusy = computed(() => this.activity.value !== undefined)
  readonly #options: ChatOptions
  readonly #link: Link
  readonly #followed = new Map<string, Turn>()
  /** Written before there was a connection. */
  #outbox: string | undefined
  #cursor: string | undefined
  #sent = 0

  constructor(options: ChatOptions) {
    this.#options = options
    const { memory } = options
    this.draft.value = memory.draft
    this.#link = new Link({
      ...options,
      conversationId: () => memory.conversationId,
      onSession: (session) => void this.#join(session),
      onReplaced: ({ conversationId }) => (memory.conversationId = conversationId),
    })
  }

  get phase() {
    return this.#link.phase
  }

  /** Connects, unless that has happened. */
  start(): void {
    this.#link.start()
  }

  stop(): void {
    this.#link.stop()
    this.#followed.clear()
  }

  reconnect(): void {
    this.#link.restart()
  }

  write(draft: string): void {
    this.draft.value = draft
    this.#options.memory.draft = draft
  }

  /** False when the message has to wait: an answer is being written, or it is blank. */
  send(text: string): boolean {
    const message = text.trim()
    if (message === "" || this.isBusy.value) return false
    this.#add({ kind: "visitor", id: `own-${(this.#sent += 1)}`, text: message })
    this.suggestions.value = []
    this.activity.value = "working"
    this.#options.onEvent({ type: "message", from: "visitor", text: message })
    this.start()
    const { session } = this.#link
    if (session === undefined) this.#outbox = message
    else void this.#follow(session.send(message), message)
    return true
  }

  async cancel(): Promise<void> {
    if (this.#outbox !== undefined) {
      this.#outbox = undefined
      this.activity.value = undefined
      return this.#add({ kind: "notice", id: `end-${this.#sent}`, text: "cancelled" })
    }
    await this.#link.session?.turn?.cancel()
  }

  async confirm(line: CardLine, approved: boolean): Promise<void> {
    const { card } = line
    const turn = this.#turnOf(line)
    if (card.type !== "confirmation" || turn === undefined) return
    await this.#answer(line, approved ? "accepted" : "declined", "", () => turn.confirm(approved, { card }))
  }

  /** `summary` is what the card shows afterwards. */
  async submit(line: CardLine, values: JsonValue, summary: string): Promise<void> {
    const turn = this.#turnOf(line)
    if (turn !== undefined) await this.#answer(line, "accepted", summary, () => turn.answer(values))
  }

  async decline(line: CardLine): Promise<void> {
    const turn = this.#turnOf(line)
    if (turn !== undefined) await this.#answer(line, "declined", "", () => turn.decline())
  }

  async verify(line: CardLine, code: string): Promise<void> {
    const { session } = this.#link
    const { card } = line
    if (session === undefined || card.type !== "code") return
    await this.#answer(line, "accepted", "", async () => {
      const outcome = await session.verify(code)
      if (outcome.isVerified) return this.#offerRepetition(session)
      const isOver =
        outcome.attemptsRemaining === 0 || (outcome.error !== undefined && outcome.error !== "INVALID_CODE")
      const attempts = outcome.attemptsRemaining
      this.#change(line, () => ({ kind: "card", id: line.id, card: { ...card, attempts } }))
      throw new CodeRefused(isOver)
    })
  }

  async loadEarlier(): Promise<void> {
    const { session } = this.#link
    if (session === undefined || this.#cursor === undefined) return
    const page = await session.messages({ limit: PAGE, cursor: this.#cursor })
    this.#notePage(page)
    const { memory } = this.#options
    this.lines.value = [...linesOf(page.messages, (id) => memory.citations(id)), ...this.lines.value]
  }

  /** Another window has changed the conversation. */
  async refresh(): Promise<void> {
    const { session } = this.#link
    const { memory } = this.#options
    if (session === undefined) return
    if (memory.conversationId !== session.conversationId) return this.#switch()
    if (!this.isBusy.value) await this.#load(session)
  }

  startOver(): void {
    this.#options.memory.conversationId = undefined
    this.#switch()
    this.#options.onChanged()
  }

  #switch(): void {
    this.stop()
    this.lines.value = []
    this.announcement.value = ""
    this.suggestions.value = []
    this.activity.value = undefined
    this.#outbox = undefined
    this.#notePage({ hasMore: false, nextCursor: undefined })
    this.start()
  }

  async #join(session: ClientSession): Promise<void> {
    const { memory, agentId } = this.#options
    memory.conversationId = session.conversationId
    this.agentName.value = session.agentName === agentId ? "" : session.agentName
    session.on("turn", (turn) => void this.#follow(turn, undefined))
    if (session.isResumed) await this.#load(session).catch(() => {}) // without a connection; the next one loads them
    if (session.turn !== undefined) void this.#follow(session.turn, undefined)
    const message = this.#outbox
    this.#outbox = undefined
    if (message !== undefined) void this.#follow(session.send(message), message)
  }

  async #load(session: ClientSession): Promise<void> {
    const page = await session.messages({ limit: PAGE })
    if (session !== this.#link.session) return
    this.#notePage(page)
    const { memory } = this.#options
    const waiting = this.#outbox === undefined ? [] : this.lines.value.slice(-1)
    this.lines.value = [...linesOf(page.messages, (id) => memory.citations(id)), ...waiting]
  }

  #notePage({ hasMore, nextCursor }: { readonly hasMore: boolean; readonly nextCursor: string | undefined }): void {
    this.#cursor = nextCursor
    this.hasEarlier.value = hasMore
  }

  async #follow(turn: Turn, text: string | undefined): Promise<void> {
    const { requestId } = turn
    if (this.#followed.has(requestId)) return
    this.#followed.set(requestId, turn)
    this.activity.value = "working"
    this.#options.onChanged()
    try {
      for await (const event of turn) {
        this.#apply(event, requestId)
        await nextFrame() // the library merges what arrives meanwhile
      }
      this.#end(await turn.result, requestId)
    } catch (fault) {
      if (this.#followed.has(requestId)) this.lines.value = stopTurn(this.lines.value)
      if (this.#followed.has(requestId)) this.#add({ id: `end-${requestId}`, ...turnNotice(fault, text) })
    } finally {
      if (this.#followed.delete(requestId) && this.#followed.size === 0) this.activity.value = undefined
      this.preamble.value = ""
      this.#options.onChanged()
    }
  }

  #apply(event: TurnEvent, turn: string): void {
    if (!this.#followed.has(turn)) return
    this.activity.value = activityOf(event) ?? this.activity.value
    if (event.type === "preamble") this.preamble.value = event.text
    const lines = applyEvent(this.lines.value, event, turn)
    if (lines !== this.lines.value) this.lines.value = bounded(lines)
    if (event.type === "confirmation") this.announcement.value = event.description
    if (event.type === "interaction") this.announcement.value = event.reason
  }

  #end(result: TurnResult, turn: string): void {
    if (!this.#followed.has(turn)) return
    const { text, messageId, citations, suggestions, needsEscalation, escalationReason = "", directive } = result
    const { memory, onEvent } = this.#options
    this.lines.value = bounded(endTurn(this.lines.value, result, turn))
    this.suggestions.value = suggestions.map((suggestion) => ({ text: suggestion }))
    this.announcement.value = spoken(text)
    if (!this.isOpen.value) this.hasUnread.value = true
    if (citations.length > 0) memory.keepCitations(messageId, citations)
    if (needsEscalation) this.#add({ kind: "notice", id: `staff-${turn}`, text: "escalated" })
    onEvent({ type: "message", from: "agent", text })
    if (needsEscalation) onEvent({ type: "escalation", reason: escalationReason })
    if (directive !== undefined) onEvent({ type: "directive", directive })
  }

  async #answer(
    line: CardLine,
    outcome: NonNullable<CardLine["outcome"]>,
    answer: string,
    send: () => Promise<void>,
  ): Promise<void> {
    this.#change(line, (open) => ({ ...open, isBusy: true, errors: [] }))
    try {
      await send()
      this.#change(line, (open) => ({ ...open, isBusy: false, outcome: open.outcome ?? outcome, answer }))
    } catch (fault) {
      this.#change(line, (open) => ({ ...open, isBusy: false, ...failedAnswer(fault) }))
    }
  }

  /** The verified visitor's message did not reach its tool: the turn was over before the code was entered. */
  #offerRepetition(session: ClientSession): void {
    const last = this.lines.value.findLast(({ kind }) => kind === "visitor")
    if (session.turn === undefined && last?.kind === "visitor")
      this.suggestions.value = [{ text: last.text, isRepeated: true }]
  }

  #turnOf({ id }: CardLine): Turn | undefined {
    return this.#followed.get(id.slice(0, id.lastIndexOf("/")))
  }

  #change({ id }: CardLine, change: (line: CardLine) => CardLine): void {
    this.lines.value = changeCard(this.lines.value, id, change)
  }

  #add(line: Line): void {
    this.lines.value = bounded([...this.lines.value, line])
  }
}

class CodeRefused extends Error {
  readonly isOver: boolean

  constructor(isOver: boolean) {
    super("the code is not correct")
    this.isOver = isOver
  }
}

/** What an answer that was not taken makes of its card. */
function failedAnswer(fault: unknown): Partial<Pick<CardLine, "outcome" | "errors">> {
  if (fault instanceof InteractionInvalid) return { errors: fault.errors }
  if (fault instanceof CodeRefused) return fault.isOver ? { outcome: "over" } : {}
  if (fault instanceof QuestionGone) return { outcome: "elsewhere" }
  if (fault instanceof ConnectionLost) return {} // if it did not arrive, the server shows the card again
  return { errors: [{ field: "", message: fault instanceof Error ? fault.message : String(fault) }] }
}

function activityOf({ type }: TurnEvent): Activity | undefined {
  if (type === "tool-call") return "lookingUp"
  if (type === "alive") return "waitingForStaff"
  if (type === "token" || type === "tool-result" || type === "reasoning") return "working"
  return undefined
}

const HIDDEN_FRAME_MS = 200

/** Browsers draw no frames in hidden tabs. */
function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, HIDDEN_FRAME_MS)
    requestAnimationFrame(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
