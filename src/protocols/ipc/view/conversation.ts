// Frames of the conversation: prompts, turns, approvals, notices and the status line. A turn has a fixed order: prompt,
// status, text and calls, one end of the stream, all its text as a message, status. In plan mode all of it belongs to
// the plan.
import type { SessionDelta } from "../../../contract/deltas.ts"
import type { EventOf, Recorded } from "../../../contract/events.ts"
import type { WatchItem } from "../../../contract/host-port.ts"
import type { CallId, PromptId, SessionId } from "../../../contract/ids.ts"
import type { Shortfall } from "../../../contract/values.ts"
import { undecidedSentence } from "../../../features/voting/odds.ts"
import {
  findApproval,
  foldRequests,
  requestsIn,
  type OpenApproval,
  type OpenRequests,
} from "../../../projection/open-requests.ts"
import type { OpenPlan, SessionSnapshot } from "../../../contract/views/session-snapshot.ts"
import type { SessionStatus } from "../../../projection/status.ts"
import type { AgentMessage, DisplayMessage } from "../frames.ts"
import { toast } from "./agent-frames.ts"
import { decisionText, requestText } from "./approval-text.ts"
import { History } from "./history.ts"
import { asPlanFrame, planSessionId, TurnFrames } from "./turn-frames.ts"
import { answeringStatus, currentStatus, failedStatus, idleStatus, StatusLine, statusTexts } from "./status-line.ts"
import type { Throttle } from "./throttle.ts"
import { unsettledText, type OpenTurn } from "./turn-items.ts"

export interface EventContext {
  /** The status before the event, and with it. */
  readonly before: SessionStatus
  readonly after: SessionStatus
  readonly now: number
  /** For viewers that must start afresh. */
  readonly resync: () => readonly AgentMessage[]
}

type Prompt = EventOf<"prompt.admitted" | "prompt.promoted" | "prompt.withdrawn">
type Decision = EventOf<"approval.decided" | "child.answered">

const nothing: readonly AgentMessage[] = []
/** The door of these viewers. */
const OWN_DOOR = "ipc"
const WARNING_MS = 10_000
const DROPPED_EVERY_MS = 1000
/** The reference of a prompt for which the viewer expects no acknowledgement. */
export const planInput = "plan_mode_user_input"

export class Conversation {
  readonly line = new StatusLine()
  readonly #sessionId: SessionId
  readonly #history: History
  readonly #throttle: Throttle
  /** Prompts that had to wait. */
  readonly #queued = new Set<PromptId>()
  #requests: OpenRequests
  #answeredAt: number | undefined
  #turn: TurnFrames | undefined
  #plan: OpenPlan | undefined

  constructor(sessionId: SessionId, snapshot: SessionSnapshot, throttle: Throttle) {
    const { items, seq, status } = snapshot
    this.#sessionId = sessionId
    this.#throttle = throttle
    this.#plan = snapshot.plan
    this.#history = new History(snapshot)
    this.#requests = requestsIn(items, sessionId)
    const time = { seq, at: items.at(-1)?.at ?? 0 }
    for (const event of snapshot.asked) this.#requested({ ...time, event })
    for (const item of items) if (item.kind === "user" && item.state === "waiting") this.#queued.add(item.promptId)
    if (status.inTurn) this.#turn = this.#newTurn(time, this.#history.openTurn)
    this.#updateStatus(status)
  }

  get messages(): readonly DisplayMessage[] {
    return this.#history.messages
  }

  get plan(): OpenPlan | undefined {
    return this.#plan
  }

  get planMessages(): readonly DisplayMessage[] {
    return this.#history.planMessages
  }

  /** Pending approvals, oldest first. */
  get requests(): readonly OpenApproval[] {
    return this.#requests.approvals
  }

  /** When an approval was last answered. */
  get answeredAt(): number | undefined {
    return this.#answeredAt
  }

  /** The text of the running turn. */
  get turnText(): string {
    return this.#turn?.text ?? ""
  }

  /** What the running calls of the turn have printed, for a viewer that joins. */
  get progressFrames(): readonly AgentMessage[] {
    return this.#turn?.calls.progressFrames() ?? nothing
  }

  get turnModel(): string | undefined {
    return this.#turn?.model
  }

  delta(delta: SessionDelta, now: number): readonly AgentMessage[] {
    if (delta.type === "host.warned") return [toast(delta.message, WARNING_MS)]
    return this.#inPlan(this.#turn?.delta(delta, now) ?? nothing)
  }

  streamed(item: Extract<WatchItem, { kind: "streamed" }>): readonly AgentMessage[] {
    return this.#inPlan(this.#turn?.streamed(item) ?? nothing)
  }

  encode(recorded: Recorded, context: EventContext): readonly AgentMessage[] {
    return this.#inPlan(this.#encode(recorded, context))
  }

  #inPlan(messages: readonly AgentMessage[]): readonly AgentMessage[] {
    return this.#plan === undefined ? messages : messages.map(asPlanFrame)
  }

  #encode(recorded: Recorded, context: EventContext): readonly AgentMessage[] {
    const { event } = recorded
    switch (event.type) {
      case "prompt.admitted":
      case "prompt.promoted":
      case "prompt.withdrawn":
        return this.#prompt(recorded, event, context)
      case "turn.started":
        this.#turn = this.#newTurn(recorded)
        this.#history.fold(recorded)
        return nothing
      case "turn.ended":
        return this.#turnEnded(recorded, event, context)
      case "response.ended":
        return this.#responseEnded(recorded, event, context)
      case "approval.requested":
      case "child.asked":
        return this.#requested(recorded)
      case "approval.decided":
      case "child.answered":
        return this.#decided(recorded, event, context)
      case "tool.unsettled":
        return this.#unsettled(recorded, event, context)
      case "context.cleared":
      case "context.rewound":
        return this.#hidden(recorded, event, context)
      default:
        return this.#turn?.encode(recorded, context.resync) ?? this.#sessionChanged(recorded, context)
    }
  }

  #newTurn(start: Pick<Recorded, "seq" | "at">, open?: OpenTurn): TurnFrames {
    return new TurnFrames(this.line, this.#throttle, start, answeringStatus(this.#plan), open)
  }

  #prompt(recorded: Recorded, event: Prompt, { before, now }: EventContext): readonly AgentMessage[] {
    const added = messageAdded(this.#history.fold(recorded))
    switch (event.type) {
      case "prompt.admitted":
        return this.#admitted(event, before)
      case "prompt.promoted": {
        const isQueued = this.#queued.delete(event.promptId) && this.#plan === undefined
        return [...added, this.line.announce(isQueued ? statusTexts.queued : answeringStatus(this.#plan))]
      }
      case "prompt.withdrawn":
        this.#queued.delete(event.promptId)
        return this.#throttle.offer("dropped", DROPPED_EVERY_MS, now, () =>
          toast(`A queued message was dropped: ${event.reason}`, 3000),
        )
    }
  }

  #admitted(event: EventOf<"prompt.admitted">, before: SessionStatus): readonly AgentMessage[] {
    const waits = before.inTurn || before.compacting || before.waitingPrompts > 0
    if (waits) this.#queued.add(event.promptId)
    const command = waits || event.delivery === "next-boundary" ? "queue_message" : "user_input"
    return event.by.door === OWN_DOOR && event.reference !== planInput ? [{ type: "ack", command }] : nothing
  }

  #turnEnded(recorded: Recorded, event: EventOf<"turn.ended">, { after }: EventContext): readonly AgentMessage[] {
    const turn = this.#turn
    this.#turn = undefined
    const failure = event.reason === "failed" ? (event.error ?? "The turn failed.") : undefined
    return [
      ...(turn?.calls.cancelAll() ?? []),
      ...(failure === undefined ? [] : [{ type: "error", message: failure, fatal: false } as const]),
      { type: "stream_end", finish_reason: finishReasons[event.finish ?? event.reason] },
      ...messageAdded(this.#history.addAnswer(turn?.text ?? "", turn?.lastStep ?? recorded)),
      ...messageAdded(this.#history.fold(recorded)),
      this.line.announce(failedStatus(event, failure) ?? idleStatus(after.model, this.#plan)),
    ]
  }

  #responseEnded(
    recorded: Recorded,
    { votes }: EventOf<"response.ended">,
    { resync }: EventContext,
  ): readonly AgentMessage[] {
    const frames = this.#turn?.encode(recorded, resync) ?? nothing
    const undecided = votes === undefined ? undefined : undecidedSentence(votes)
    return undecided === undefined ? frames : [...frames, ...this.#notice(undecided, recorded)]
  }

  #requested(recorded: Recorded): readonly AgentMessage[] {
    const inputOf = (callId: CallId) => this.#turn?.calls.find(callId)?.input
    this.#requests = foldRequests(this.#requests, recorded, this.#sessionId, inputOf)
    const request = this.requests.at(-1)
    if (request === undefined) return nothing
    return [
      toast(request.questions === undefined ? `Approval needed: ${request.tool}` : `Question: ${request.reason}`, 3000),
      ...this.#notice(this.#requestText(request), recorded),
      ...this.line.update(statusTexts.waiting(request.tool)),
    ]
  }

  #requestText(request: OpenApproval): string {
    return requestText(request, request.sessionId === this.#sessionId ? undefined : request.sessionId)
  }

  #decided(recorded: Recorded, event: Decision, { after }: EventContext): readonly AgentMessage[] {
    const { approvalId, outcome } = event
    const request = findApproval(this.#requests, approvalId)
    this.#requests = foldRequests(this.#requests, recorded, this.#sessionId)
    this.#answeredAt = recorded.at
    if (request === undefined) return nothing
    const added = this.#notice(decisionText(request, event), recorded)
    const isOfCall = request.server === undefined // a server may withdraw its request, and the turn goes on
    const isEndOfTurn = event.type === "approval.decided" && outcome === "void" && isOfCall
    return isEndOfTurn ? added : [...added, ...this.#updateStatus(after)]
  }

  #unsettled(recorded: Recorded, event: EventOf<"tool.unsettled">, { resync }: EventContext): readonly AgentMessage[] {
    const tool = this.#turn?.calls.find(event.callId)?.tool
    if (this.#turn === undefined || tool === undefined) return nothing
    const added = this.#notice(unsettledText(tool, event.evidence), recorded)
    return [...(this.#turn.encode(recorded, resync) ?? []), ...added]
  }

  /** Pending approvals are listed again when the messages about them are hidden. The view sends the list anew. */
  #hidden(
    recorded: Recorded,
    event: EventOf<"context.cleared" | "context.rewound">,
    { after }: EventContext,
  ): readonly AgentMessage[] {
    this.#history.fold(recorded)
    const hidden = this.requests.filter(({ seq }) => event.type === "context.cleared" || seq > event.toSeq)
    for (const request of hidden) this.#history.addNotice(this.#requestText(request), recorded)
    this.#updateStatus(after)
    return nothing
  }

  /** Changes of the session that are not part of a turn. */
  #sessionChanged(recorded: Recorded, { after }: EventContext): readonly AgentMessage[] {
    const { event } = recorded
    switch (event.type) {
      case "turn.parked":
        return [...messageAdded(this.#history.fold(recorded)), toast(event.message, 3000), ...this.#updateStatus(after)]
      case "interaction.requested": // only the visitor's own client can answer it
        return [toast(`The visitor was asked (${event.kind}): ${event.reason}`, 3000)]
      case "escalation.raised":
        return [toast(`A person is needed: ${event.reason}`, 3000)]
      case "verification.requested":
        if (event.channels.length === 0) return nothing
        return [toast(`The visitor was asked for a code to use ${event.tool}`, 3000)]
      case "turn.adopted":
        return this.line.update(statusTexts.pending)
      case "compaction.failed":
        return [...messageAdded(this.#history.fold(recorded)), ...this.#updateStatus(after)]
      case "context.compacted": {
        const added = messageAdded(this.#history.fold(recorded))
        const status = this.#updateStatus(after)
        return after.inTurn ? [...added, ...status] : nothing // between turns the view sends the list anew
      }
      case "plan.entered":
        return this.#planEntered(recorded, event)
      case "plan.exited":
        this.#plan = undefined
        return [
          { type: "plan_mode_exited", summary: event.summary ?? null },
          ...messageAdded(this.#history.fold(recorded)),
          ...this.#updateStatus(after),
        ]
      case "model.selected":
        return after.inTurn ? [toast(`Model from the next turn on: ${event.model}`, 1500)] : this.#updateStatus(after)
      case "session.ended":
        this.#plan = undefined
        this.#history.fold(recorded)
        return this.#updateStatus(after)
      case "turn.resumed":
      case "compaction.started":
      case "session.hibernated":
      case "session.woken":
      case "session.reopened":
        return this.#updateStatus(after)
      default:
        return nothing // not part of the conversation
    }
  }

  #planEntered(recorded: Recorded, { planId, focus }: EventOf<"plan.entered">): readonly AgentMessage[] {
    this.#plan = { id: planId, focus }
    this.#history.fold(recorded)
    const status = statusTexts.planMode(focus)
    const messages = [...this.planMessages]
    return [
      { type: "plan_mode_entered", plan_session_id: planSessionId(planId), messages, status },
      ...this.line.update(status),
    ]
  }

  #notice(text: string, recorded: Recorded): readonly AgentMessage[] {
    return messageAdded(this.#history.addNotice(text, recorded))
  }

  #updateStatus(status: SessionStatus): readonly AgentMessage[] {
    const activity = { waiting: this.requests[0]?.tool, executing: this.#turn?.calls.executing, plan: this.#plan }
    return this.line.update(currentStatus(status, activity))
  }
}

const finishReasons = {
  done: "stop",
  interrupted: "cancelled",
  failed: "error",
  "step-limit": "length",
  length: "length",
  "content-filter": "content_filter",
  refusal: "refusal",
  empty: "empty",
} as const satisfies Record<EventOf<"turn.ended">["reason"] | Shortfall, string>

function messageAdded(message: DisplayMessage | undefined): readonly AgentMessage[] {
  return message === undefined ? nothing : [{ type: "message_added", message }]
}
