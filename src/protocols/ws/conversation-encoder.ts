// Encodes what happens in a conversation as frames: its running turn, and the requests to the visitor, one card at a
// time. One encoder serves all sockets of a conversation; each frame names the turn or prompt that it belongs to.
import type { SessionDelta } from "../../contract/deltas.ts"
import type { EventOf, Recorded } from "../../contract/events.ts"
import type { WatchItem } from "../../contract/host-port.ts"
import type { ApprovalId, PromptId, SessionId, TurnId } from "../../contract/ids.ts"
import {
  foldRequests,
  noRequests,
  type OpenApproval,
  type OpenInteraction,
  type OpenRequests,
} from "../../projection/open-requests.ts"
import { errors } from "./errors.ts"
import type { ServerEvent } from "./frames.ts"
import { cancelled, keepalive } from "./server-events.ts"
import { TurnEncoder } from "./turn-encoder.ts"

/** This door's name in stored events. */
export const wsDoor = "ws"

/** Frames for the sockets that follow the turn or sent one of the prompts. */
export interface TurnFrames {
  readonly turnId: TurnId | undefined
  readonly promptIds: ReadonlySet<PromptId>
  readonly events: readonly ServerEvent[]
  /** The last frames of the turn. */
  readonly ends: boolean
}

export interface ReplacedCard {
  readonly approvalId: ApprovalId
  readonly at: number
}

const nothing: readonly ServerEvent[] = []

export class ConversationEncoder {
  readonly sessionId: SessionId
  #turn: TurnEncoder | undefined
  #requests: OpenRequests = noRequests
  #replaced: ReplacedCard | undefined
  /** The turn's last settled card: other clients show it until a new one replaces it. */
  #settled: ApprovalId | undefined
  /** Request ids of prompts that wait for their turn. */
  readonly #waiting = new Map<PromptId, { readonly requestId: string; readonly text: string }>()

  constructor(sessionId: SessionId) {
    this.sessionId = sessionId
  }

  get turn(): TurnEncoder | undefined {
    return this.#turn
  }

  isWaiting(promptId: PromptId): boolean {
    return this.#waiting.has(promptId)
  }

  /** The approval whose card is shown: the oldest that the visitor may answer. */
  get approval(): ApprovalId | undefined {
    return this.#card?.approvalId
  }

  /** The card that the shown one replaced. */
  get replaced(): ReplacedCard | undefined {
    return this.#replaced
  }

  get interaction(): OpenInteraction | undefined {
    return this.#requests.interaction
  }

  /** An approval waits for staff; the visitor sees no card. */
  get waitsForStaff(): boolean {
    return this.#requests.approvals.some((approval) => this.#isOwn(approval) && !isForVisitor(approval))
  }

  encode(item: WatchItem, now: number): TurnFrames | undefined {
    if (item.kind === "event" && item.recorded.event.type === "prompt.withdrawn")
      return this.#withdraw(item.recorded.event, now)
    const before = this.#turn
    const events = this.#eventsOf(item, now)
    const turn = before ?? this.#turn
    return turn === undefined || events.length === 0 ? undefined : framesOf(turn, events)
  }

  keepalive(now: number): TurnFrames | undefined {
    return this.#turn === undefined ? undefined : framesOf(this.#turn, [keepalive(this.#turn.requestId, now)])
  }

  get #card(): OpenApproval | undefined {
    return this.#requests.approvals.find((approval) => this.#isOwn(approval) && isForVisitor(approval))
  }

  #isOwn({ sessionId }: OpenApproval): boolean {
    return sessionId === this.sessionId
  }

  #eventsOf(item: WatchItem, now: number): readonly ServerEvent[] {
    switch (item.kind) {
      case "event":
        return this.#onEvent(item.recorded, now)
      case "delta":
        return this.#turn === undefined ? nothing : onDelta(this.#turn, item.delta, now)
      case "streamed":
        return item.blocks.flatMap((block) => this.#turn?.textSoFar(item.stepId, block, now) ?? nothing)
      case "lost":
        return nothing
    }
  }

  #onEvent(recorded: Recorded, now: number): readonly ServerEvent[] {
    const { event } = recorded
    switch (event.type) {
      case "prompt.admitted":
        this.#waiting.set(event.promptId, { requestId: event.reference ?? event.promptId, text: event.text })
        return nothing
      case "turn.started":
        this.#turn = new TurnEncoder(this.sessionId, event)
        return nothing
      case "prompt.promoted":
        this.#turn?.addPrompt(event.promptId, this.#waiting.get(event.promptId)?.text ?? "")
        this.#waiting.delete(event.promptId)
        return nothing
      default:
        return this.#turn === undefined ? nothing : this.#onTurnEvent(this.#turn, recorded, now)
    }
  }

  #onTurnEvent(turn: TurnEncoder, recorded: Recorded, now: number): readonly ServerEvent[] {
    const { seq, at, event } = recorded
    const card = this.#card
    const { verification } = this.#requests
    this.#requests = foldRequests(this.#requests, recorded, this.sessionId)
    switch (event.type) {
      case "approval.requested":
        if (!isForVisitor(event)) return turn.toolCall(event.callId, now)
        return card === undefined ? this.#showCard(turn, now) : nothing
      case "approval.decided":
        return card?.approvalId === event.approvalId ? this.#settle(turn, event, now) : nothing
      case "interaction.answered":
        turn.removeCard()
        return nothing
      case "verification.sent":
        return verification === undefined ? nothing : turn.codeSent(event, verification.callId, now)
      case "visit.verified":
      case "verification.failed":
        if (verification !== undefined && this.#requests.verification === undefined) turn.removeCodeCards()
        return nothing
      case "turn.ended":
        this.#turn = this.#settled = undefined
        this.#requests = noRequests
        return turn.ended({ seq, at, event }, now)
      default:
        return turn.event(recorded, now)
    }
  }

  #settle(turn: TurnEncoder, { approvalId, outcome }: EventOf<"approval.decided">, now: number) {
    turn.removeCard()
    this.#settled = approvalId
    return outcome === "void" ? nothing : this.#showCard(turn, now)
  }

  #showCard(turn: TurnEncoder, now: number): readonly ServerEvent[] {
    const card = this.#card
    if (card === undefined) return nothing
    this.#replaced = this.#settled === undefined ? undefined : { approvalId: this.#settled, at: now }
    return turn.confirmation(card, now)
  }

  #withdraw({ promptId }: EventOf<"prompt.withdrawn">, now: number): TurnFrames | undefined {
    const requestId = this.#waiting.get(promptId)?.requestId
    this.#waiting.delete(promptId)
    if (requestId === undefined) return undefined
    return { turnId: undefined, promptIds: new Set([promptId]), events: [cancelled(requestId, now)], ends: true }
  }
}

/** Questions, and requests of MCP servers, are for people of other doors: visitors are asked with cards. */
function isForVisitor({
  audience,
  questions,
  server,
}: Pick<OpenApproval, "audience" | "questions" | "server">): boolean {
  return audience !== "approver" && questions === undefined && server === undefined
}

function framesOf({ turnId, promptIds, isOver }: TurnEncoder, events: readonly ServerEvent[]): TurnFrames {
  return { turnId, promptIds, events, ends: isOver }
}

function onDelta(turn: TurnEncoder, delta: SessionDelta, now: number): readonly ServerEvent[] {
  switch (delta.type) {
    case "text.delta":
      return turn.delta("stream_token", delta, now)
    case "reasoning.delta":
      return turn.delta("stream_reasoning", delta, now)
    case "turn.stalled":
      return turn.turnId === delta.turnId ? turn.fail(errors.replyNotStored, now) : nothing
    case "preamble":
      return turn.turnId === delta.turnId ? turn.preamble(delta.text, now) : nothing
    default:
      return nothing // no frame of this protocol
  }
}
