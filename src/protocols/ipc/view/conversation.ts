// The conversation as viewers follow it: prompts, turns, questions to people, notices, and the status line. A turn is
// told in a fixed order: prompt, status, words and calls, one end of the stream, all its text as a message, status.
// While a plan is open all of it belongs to the plan.
import type { SessionDelta } from "../../../contract/deltas.ts"
import type { EventOf, Recorded } from "../../../contract/events.ts"
import type { WatchItem } from "../../../contract/host-port.ts"
import type { PromptId, SessionId } from "../../../contract/ids.ts"
import type { Shortfall } from "../../../contract/values.ts"
import { undecidedSentence } from "../../../features/voting/odds.ts"
import type { SessionStatus } from "../../../projection/status.ts"
import type { Request } from "./approval-text.ts"
import { unsettledWords } from "./turn-items.ts"
import { toast } from "./agent-frames.ts"
import type { AgentMessage, DisplayMessage } from "../frames.ts"
import { History } from "./history.ts"
import type { Pace } from "./throttle.ts"
import { Requests } from "./open-requests.ts"
import { inPlan, planSessionId } from "./plan-frames.ts"
import type { OpenPlan, SessionSnapshot } from "../../../projection/session-snapshot.ts"
import { StatusLine } from "./status-line.ts"
import { atEnd, atRest, atWork, statusNow, statusWords } from "./status-text.ts"
import { ToldTurn } from "./turn-frames.ts"

/** How long a viewer shows a warning of the host. */
const warningMs = 10_000

export interface Moment {
  /** The session's line before the event, and with it. */
  readonly before: SessionStatus
  readonly after: SessionStatus
  readonly now: number
  /** For viewers who must begin anew. */
  readonly greeting: () => readonly AgentMessage[]
}

type Prompt = EventOf<"prompt.admitted" | "prompt.promoted" | "prompt.withdrawn">

const nothing: readonly AgentMessage[] = []
/** The door at which viewers speak. */
const ownDoor = "ipc"
const droppedEveryMs = 1000
/** What the door calls a prompt whose sender waits for no acknowledgement. */
export const planInput = "plan_mode_user_input"

export class Conversation {
  readonly line = new StatusLine("")
  readonly #history: History
  readonly #requests: Requests
  readonly #pace: Pace
  /** Prompts that had to wait. */
  readonly #queued = new Set<PromptId>()
  #turn: ToldTurn | undefined
  #plan: OpenPlan | undefined

  constructor(sessionId: SessionId, scene: SessionSnapshot, pace: Pace) {
    this.#pace = pace
    this.#plan = scene.plan
    this.#history = new History(scene)
    this.#requests = new Requests(sessionId, scene.items)
    const place = { seq: scene.seq, at: scene.items.at(-1)?.at ?? 0 }
    for (const asked of scene.asked)
      this.#history.noted(this.#requests.words(this.#requests.asked(asked, scene.seq)), place)
    for (const item of scene.items)
      if (item.kind === "user" && item.state === "waiting") this.#queued.add(item.promptId)
    if (scene.status.inTurn) this.#turn = new ToldTurn(this.line, pace, place, atWork(this.#plan), this.#history.open)
    this.#sayNow(scene.status)
  }

  get messages(): readonly DisplayMessage[] {
    return this.#history.messages
  }

  /** The plan that is open. */
  get plan(): OpenPlan | undefined {
    return this.#plan
  }

  get planMessages(): readonly DisplayMessage[] {
    return this.#history.planMessages
  }

  get requests(): readonly Request[] {
    return this.#requests.open
  }

  get answeredAt(): number | undefined {
    return this.#requests.answeredAt
  }

  /** What the running turn has said. */
  get said(): string {
    return this.#turn?.said ?? ""
  }

  get turnModel(): string | undefined {
    return this.#turn?.model
  }

  delta(delta: SessionDelta, now: number): readonly AgentMessage[] {
    if (delta.type === "host.warned") return [toast(delta.message, warningMs)]
    return this.#told(this.#turn?.delta(delta, now) ?? nothing)
  }

  streamed(item: Extract<WatchItem, { kind: "streamed" }>): readonly AgentMessage[] {
    return this.#told(this.#turn?.streamed(item) ?? nothing)
  }

  tell(recorded: Recorded, moment: Moment): readonly AgentMessage[] {
    return this.#told(this.#tell(recorded, moment))
  }

  #told(messages: readonly AgentMessage[]): readonly AgentMessage[] {
    return this.#plan === undefined ? messages : messages.map(inPlan)
  }

  #tell(recorded: Recorded, moment: Moment): readonly AgentMessage[] {
    const { event, seq } = recorded
    switch (event.type) {
      case "prompt.admitted":
      case "prompt.promoted":
      case "prompt.withdrawn":
        return this.#prompt(recorded, event, moment)
      case "turn.started":
        this.#turn = new ToldTurn(this.line, this.#pace, recorded, atWork(this.#plan))
        this.#history.fold(recorded)
        return nothing
      case "turn.ended":
        return this.#turnEnded(recorded, event, moment)
      case "response.ended":
        return this.#responseEnded(recorded, event, moment)
      case "approval.requested":
        return this.#asked(recorded, this.#requests.requested(event, seq, this.#turn?.calls.find(event.callId)?.input))
      case "child.asked":
        return this.#asked(recorded, this.#requests.asked(event, seq))
      case "approval.decided":
      case "child.answered":
        return this.#decided(recorded, event, moment)
      case "tool.unsettled":
        return this.#unsettled(recorded, event, moment)
      case "context.cleared":
      case "context.rewound":
        return this.#hidden(recorded, event, moment)
      default:
        return this.#turn?.tell(recorded, moment.greeting) ?? this.#changed(recorded, moment)
    }
  }

  #prompt(recorded: Recorded, event: Prompt, moment: Moment): readonly AgentMessage[] {
    const added = messageAdded(this.#history.fold(recorded))
    switch (event.type) {
      case "prompt.admitted":
        return this.#admitted(event, moment.before)
      case "prompt.promoted": {
        const hasWaited = this.#queued.delete(event.promptId)
        const isQueued = hasWaited && this.#plan === undefined
        return [...added, this.line.announce(isQueued ? statusWords.queued : atWork(this.#plan))]
      }
      case "prompt.withdrawn":
        this.#queued.delete(event.promptId)
        return this.#pace.offer("dropped", droppedEveryMs, moment.now, () =>
          toast(`A queued message was dropped: ${event.reason}`, 3000),
        )
    }
  }

  #admitted(event: EventOf<"prompt.admitted">, before: SessionStatus): readonly AgentMessage[] {
    const waits = before.inTurn || before.compacting || before.waitingPrompts > 0
    if (waits) this.#queued.add(event.promptId)
    const command = waits || event.delivery === "next-boundary" ? "queue_message" : "user_input"
    return event.by.door === ownDoor && event.reference !== planInput ? [{ type: "ack", command }] : nothing
  }

  #turnEnded(recorded: Recorded, event: EventOf<"turn.ended">, { after }: Moment): readonly AgentMessage[] {
    const turn = this.#turn
    this.#turn = undefined
    const failure = event.reason === "failed" ? (event.error ?? "The turn failed.") : undefined
    return [
      ...(turn?.calls.allCancelled() ?? []),
      ...(failure === undefined ? [] : [{ type: "error", message: failure, fatal: false } as const]),
      { type: "stream_end", finish_reason: finishReason[event.finish ?? event.reason] },
      ...messageAdded(this.#history.said(turn?.said ?? "", turn?.lastStep ?? recorded)),
      ...messageAdded(this.#history.fold(recorded)),
      this.line.announce(atEnd(event, failure) ?? atRest(after.model, this.#plan)),
    ]
  }

  #responseEnded(
    recorded: Recorded,
    { votes }: EventOf<"response.ended">,
    { greeting }: Moment,
  ): readonly AgentMessage[] {
    const told = this.#turn?.tell(recorded, greeting) ?? nothing
    const undecided = votes === undefined ? undefined : undecidedSentence(votes)
    return undecided === undefined ? told : [...told, ...messageAdded(this.#history.noted(undecided, recorded))]
  }

  #asked(recorded: Recorded, request: Request): readonly AgentMessage[] {
    return [
      toast(`Approval needed: ${request.tool}`, 3000),
      ...messageAdded(this.#history.noted(this.#requests.words(request), recorded)),
      ...this.line.say(statusWords.asking(request.tool)),
    ]
  }

  #decided(
    recorded: Recorded,
    event: EventOf<"approval.decided" | "child.answered">,
    { after }: Moment,
  ): readonly AgentMessage[] {
    const words = this.#requests.decided(event, recorded.at)
    if (words === undefined) return nothing
    const added = messageAdded(this.#history.noted(words, recorded))
    const isEndOfTurn = event.type === "approval.decided" && event.outcome === "void"
    return isEndOfTurn ? added : [...added, ...this.#sayNow(after)]
  }

  #unsettled(recorded: Recorded, event: EventOf<"tool.unsettled">, { greeting }: Moment): readonly AgentMessage[] {
    const tool = this.#turn?.calls.find(event.callId)?.tool
    if (this.#turn === undefined || tool === undefined) return nothing
    const noted = this.#history.noted(unsettledWords(tool, event.evidence), recorded)
    return [...(this.#turn.tell(recorded, greeting) ?? []), ...messageAdded(noted)]
  }

  /** Whoever comes back to an earlier place still has to answer what waits. The list is told anew by the view. */
  #hidden(
    recorded: Recorded,
    event: EventOf<"context.cleared" | "context.rewound">,
    { after }: Moment,
  ): readonly AgentMessage[] {
    this.#history.fold(recorded)
    for (const request of this.#requests.hiddenBy(event)) this.#history.noted(this.#requests.words(request), recorded)
    this.#sayNow(after)
    return nothing
  }

  /** What concerns the session rather than the words of a turn. */
  #changed(recorded: Recorded, { after }: Moment): readonly AgentMessage[] {
    const { event } = recorded
    switch (event.type) {
      case "turn.parked":
        return [...messageAdded(this.#history.fold(recorded)), toast(event.message, 3000), ...this.#sayNow(after)]
      case "interaction.requested": // can be answered only where the visitor is
        return [toast(`The visitor is asked (${event.kind}): ${event.reason}`, 3000)]
      case "escalation.raised":
        return [toast(`A person is wanted: ${event.reason}`, 3000)]
      case "verification.requested":
        return event.channels.length === 0
          ? nothing
          : [toast(`The visitor is asked for a code to use ${event.tool}`, 3000)]
      case "turn.adopted":
        return this.line.say(statusWords.pending)
      case "compaction.failed":
        return [...messageAdded(this.#history.fold(recorded)), ...this.#sayNow(after)]
      case "context.compacted":
        return this.#compacted(recorded, after)
      case "plan.entered":
        return this.#planEntered(recorded, event)
      case "plan.exited":
        this.#plan = undefined
        return [
          { type: "plan_mode_exited", summary: event.summary ?? null },
          ...messageAdded(this.#history.fold(recorded)),
          ...this.#sayNow(after),
        ]
      case "model.selected":
        return after.inTurn ? [toast(`Model from the next turn on: ${event.model}`, 1500)] : this.#sayNow(after)
      case "session.ended":
        this.#plan = undefined
        this.#history.fold(recorded)
        return this.#sayNow(after)
      case "turn.resumed":
      case "compaction.started":
      case "session.hibernated":
      case "session.woken":
      case "session.reopened":
        return this.#sayNow(after)
      default:
        return nothing // not part of the conversation
    }
  }

  #planEntered(recorded: Recorded, { planId, focus }: EventOf<"plan.entered">): readonly AgentMessage[] {
    this.#plan = { id: planId, focus }
    this.#history.fold(recorded)
    const status = statusWords.planMode(focus)
    const messages = [...this.planMessages]
    return [
      { type: "plan_mode_entered", plan_session_id: planSessionId(planId), messages, status },
      ...this.line.say(status),
    ]
  }

  /** Between turns the whole list is told anew by the view. */
  #compacted(recorded: Recorded, after: SessionStatus): readonly AgentMessage[] {
    const added = messageAdded(this.#history.fold(recorded))
    const said = this.#sayNow(after)
    return after.inTurn ? [...added, ...said] : nothing
  }

  #sayNow(status: SessionStatus): readonly AgentMessage[] {
    const { asking } = this.#requests
    return this.line.say(statusNow(status, { asking, executing: this.#turn?.calls.executing, plan: this.#plan }))
  }
}

const finishReason = {
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
