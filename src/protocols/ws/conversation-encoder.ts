// A conversation as the network door tells it: its running turn, what the visitor is asked now, and frames for each
// thing that happens. One view serves all sockets of a conversation, so a frame is made once; whose it is says the turn.
import type { EventOf, Recorded } from "../../contract/events.ts"
import type { WatchItem } from "../../contract/host-port.ts"
import type { ApprovalId, InteractionId, PromptId, SessionId, TurnId } from "../../contract/ids.ts"
import type { SessionDelta } from "../../contract/deltas.ts"
import type { InteractionKind, JsonValue } from "../../contract/values.ts"
import { errors } from "./errors.ts"
import { cancelled } from "./server-events.ts"
import type { ServerEvent } from "./frames.ts"
import { TurnEncoder } from "./turn-encoder.ts"

/** What is told, to those who follow the turn or sent the prompt. */
export interface Told {
  readonly turnId: TurnId | undefined
  readonly promptIds: ReadonlySet<PromptId>
  readonly events: readonly ServerEvent[]
  /** Nothing of it comes afterwards. */
  readonly ends: boolean
}

/** What the visitor is asked for now. */
export interface OpenInteraction {
  readonly id: InteractionId
  readonly kind: InteractionKind
  readonly spec: JsonValue
}

export interface Replaced {
  readonly approvalId: ApprovalId
  readonly at: number
}

const nothing: readonly ServerEvent[] = []

export class ConversationEncoder {
  readonly sessionId: SessionId
  #turn: TurnEncoder | undefined
  /** Cards wait for each other: this wire shows one at a time. */
  readonly #approvals: EventOf<"approval.requested">[] = []
  #interaction: OpenInteraction | undefined
  #replaced: Replaced | undefined
  /** The last card of the turn that was settled: clients who did not do it still show it until another takes its place. */
  #settled: ApprovalId | undefined
  /** Prompts that wait, by what their senders call them. */
  readonly #waiting = new Map<PromptId, string>()
  #staffAsked = 0

  constructor(sessionId: SessionId) {
    this.sessionId = sessionId
  }

  get turn(): TurnEncoder | undefined {
    return this.#turn
  }

  /** Whether a prompt has not become a turn yet. */
  isWaiting(promptId: PromptId): boolean {
    return this.#waiting.has(promptId)
  }

  /** The approval whose card is shown. */
  get approval(): ApprovalId | undefined {
    return this.#approvals[0]?.approvalId
  }

  /** Which card the one that is shown took the place of. */
  get replaced(): Replaced | undefined {
    return this.#replaced
  }

  get interaction(): OpenInteraction | undefined {
    return this.#interaction
  }

  /** Somebody else is asked, and the visitor sees nothing but that the turn lives. */
  get waitsForStaff(): boolean {
    return this.#staffAsked > 0
  }

  encode(item: WatchItem, now: number): Told | undefined {
    const story = this.#turn
    const events = this.#eventsOf(item, now)
    if (item.kind === "event" && item.recorded.event.type === "prompt.withdrawn")
      return this.#withdrawn(item.recorded.event, now)
    const told = story ?? this.#turn
    if (told === undefined || events.length === 0) return undefined
    return { turnId: told.turnId, promptIds: told.promptIds, events, ends: told.isOver }
  }

  #eventsOf(item: WatchItem, now: number): readonly ServerEvent[] {
    switch (item.kind) {
      case "event":
        return this.#onEvent(item.recorded, now)
      case "delta":
        return this.#turn === undefined ? nothing : onDelta(this.#turn, item.delta, now)
      case "streamed":
        return item.blocks.flatMap((block) => this.#turn?.block(item.stepId, block, now) ?? nothing)
      case "lost":
        return nothing
    }
  }

  #onEvent(recorded: Recorded, now: number): readonly ServerEvent[] {
    const { event } = recorded
    switch (event.type) {
      case "prompt.admitted":
        this.#waiting.set(event.promptId, event.reference ?? event.promptId)
        return nothing
      case "turn.started":
        this.#turn = new TurnEncoder(this.sessionId, event)
        return nothing
      case "prompt.promoted":
        this.#waiting.delete(event.promptId)
        this.#turn?.promptIds.add(event.promptId)
        return nothing
      default:
        return this.#turn === undefined ? nothing : this.#onTurnEvent(this.#turn, recorded, now)
    }
  }

  #onTurnEvent(turn: TurnEncoder, { seq, at, event }: Recorded, now: number): readonly ServerEvent[] {
    switch (event.type) {
      case "step.started":
        turn.step(event, seq)
        return nothing
      case "text.ended":
        turn.textEnded(event)
        return turn.block(event.stepId, { kind: "text", block: event.block, text: event.text }, now)
      case "reasoning.ended":
        turn.reasoningEnded(event.text)
        return turn.block(event.stepId, { kind: "reasoning", block: event.block, text: event.text }, now)
      case "response.ended":
      case "workflow.judged":
        turn.spent(event)
        return nothing
      case "context.retrieved":
        turn.cites(event.passages)
        return nothing
      case "tool.called":
        turn.called(event)
        return nothing
      case "tool.modified":
        turn.modified(event)
        return nothing
      case "tool.started":
        return turn.shown(event.callId, now)
      case "tool.refused":
        return turn.result(event.callId, true, event.reason, now)
      case "tool.ended":
        turn.noted(event.details)
        turn.cites(event.citations ?? [])
        if (event.outcome === "cancelled") return nothing // the turn is cut off: nothing more is said of it
        return turn.result(event.callId, event.outcome !== "done", event.output, now)
      case "tool.unsettled":
        return turn.result(event.callId, true, event.evidence, now)
      case "approval.requested":
        return this.#asked(turn, event, now)
      case "approval.decided":
        return this.#decided(turn, event, now)
      case "interaction.requested":
        this.#interaction = { id: event.interactionId, kind: event.kind, spec: event.spec }
        return turn.interacts(event, now)
      case "interaction.answered":
        this.#interaction = undefined
        turn.settled()
        return nothing
      case "verification.requested":
        return turn.needsCode(event, now)
      case "verification.sent":
        return turn.codeSent(event, now)
      case "visit.verified":
        turn.codeSettled(event.verificationId)
        return nothing
      case "verification.failed":
        if (event.why !== "wrong-code") turn.codeSettled(event.verificationId)
        return nothing
      case "turn.parked":
        return event.until === undefined && event.waitsFor === undefined ? turn.fail(errors.turnParked, now) : nothing
      case "turn.ended":
        return this.#ended(turn, { seq, at, event }, now)
      default:
        return nothing // not for visitors
    }
  }

  #asked(turn: TurnEncoder, event: EventOf<"approval.requested">, now: number): readonly ServerEvent[] {
    if (event.audience === "approver") {
      this.#staffAsked += 1
      return turn.shown(event.callId, now)
    }
    this.#approvals.push(event)
    return this.#approvals.length > 1 ? nothing : this.#show(turn, event, now)
  }

  #decided(
    turn: TurnEncoder,
    { approvalId, outcome }: EventOf<"approval.decided">,
    now: number,
  ): readonly ServerEvent[] {
    const at = this.#approvals.findIndex((open) => open.approvalId === approvalId)
    if (at === -1) {
      this.#staffAsked = Math.max(0, this.#staffAsked - 1)
      return nothing
    }
    this.#approvals.splice(at, 1)
    if (at > 0) return nothing
    turn.settled()
    this.#settled = approvalId
    const next = this.#approvals[0]
    return next === undefined || outcome === "void" ? nothing : this.#show(turn, next, now)
  }

  #show(turn: TurnEncoder, event: EventOf<"approval.requested">, now: number): readonly ServerEvent[] {
    this.#replaced = this.#settled === undefined ? undefined : { approvalId: this.#settled, at: now }
    return turn.asked(event, now)
  }

  #ended(turn: TurnEncoder, recorded: Recorded<EventOf<"turn.ended">>, now: number): readonly ServerEvent[] {
    this.#turn = undefined
    this.#approvals.length = 0
    this.#interaction = undefined
    this.#settled = undefined
    this.#staffAsked = 0
    return turn.ended(recorded, now)
  }

  #withdrawn({ promptId }: EventOf<"prompt.withdrawn">, now: number): Told | undefined {
    const requestId = this.#waiting.get(promptId)
    this.#waiting.delete(promptId)
    if (requestId === undefined) return undefined
    return { turnId: undefined, promptIds: new Set([promptId]), events: [cancelled(requestId, now)], ends: true }
  }
}

/** The name of this door in what is stored. */
export const wsDoor = "ws"

function onDelta(turn: TurnEncoder, delta: SessionDelta, now: number): readonly ServerEvent[] {
  switch (delta.type) {
    case "text.delta":
      return turn.delta("stream_token", delta.stepId, delta.block, delta.delta, now)
    case "reasoning.delta":
      return turn.delta("stream_reasoning", delta.stepId, delta.block, delta.delta, now)
    case "turn.stalled":
      return turn.turnId === delta.turnId ? turn.stalled(now) : nothing
    case "preamble":
      return turn.turnId === delta.turnId ? turn.preamble(delta.text, now) : nothing
    default:
      return nothing // this wire has no word for it
  }
}
