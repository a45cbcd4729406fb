// What the screen knows of a session: the shared projections, continued with every watched item. The transcript, the text
// that streams and the output of calls change in place.
import type { SessionDelta } from "../../contract/deltas.ts"
import type { Recorded, SessionEvent } from "../../contract/events.ts"
import type { WatchItem } from "../../contract/host-port.ts"
import type { CallId, SessionId, TurnId } from "../../contract/ids.ts"
import { addOutput, type OutputPiece } from "../../contract/rules/live-output.ts"
import type { By, JsonValue, ToolMode } from "../../contract/values.ts"
import type { OpenRequest } from "../../contract/views/host.ts"
import type { SessionSnapshot } from "../../contract/views/session-snapshot.ts"
import { foldTasks, type TaskList } from "../../features/tasks/task-list.ts"
import { foldRequests, requestsIn, type OpenRequests } from "../../projection/open-requests.ts"
import { foldStatus, type SessionStatus } from "../../projection/status.ts"
import { foldTranscript, type Transcript, type UserEntry } from "../../projection/transcript.ts"
import { LiveText } from "./live-text.ts"
import { foldTurnEnds } from "./turn-ends.ts"

export interface SessionModel {
  readonly sessionId: SessionId
  /** The last event that it contains. */
  readonly seq: number
  readonly transcript: Transcript
  /** Where earlier turns can be read from, and whether there are some. */
  readonly start: number
  readonly hasEarlier: boolean
  readonly status: SessionStatus
  readonly requests: OpenRequests
  /** When a request was last answered, by any client. */
  readonly answeredAt: number
  readonly toolMode: ToolMode
  readonly tasks: TaskList
  /** Clients that watch; `who` names the first few. */
  readonly viewers: { readonly watching: number; readonly who: readonly By[] }
  readonly turn: TurnFacts
  readonly live: LiveText
  readonly outputs: Map<CallId, OutputPiece>
  /** Ends of turns in the transcript, oldest first: where it can be cut. */
  readonly turnEnds: readonly number[]
}

export interface TurnFacts {
  readonly startedAt: number | undefined
  /** How the newest turn ended. */
  readonly end: "done" | "interrupted" | "failed" | "step-limit" | undefined
  /** Why nothing happens at the moment. */
  readonly stall: string | undefined
  /** Why the turn is parked, where this window saw it. */
  readonly parked?: "budget" | "quota" | "adoption"
}

/** `approvals`: the open requests of the host, which have what a transcript lacks. */
export function joinedModel(
  sessionId: SessionId,
  snapshot: SessionSnapshot,
  approvals: readonly OpenRequest[],
  watching: readonly By[],
): SessionModel {
  const { seq, start, items, earlier, status, plan, toolMode, tasks } = snapshot
  const begun = items.findLast((item) => item.kind === "user" && item.state === "promoted")
  const turn = status.inTurn ? { id: UNKNOWN_TURN, planId: plan?.id } : undefined
  return {
    sessionId,
    seq,
    transcript: { items: [...items], turn, planId: plan?.id },
    start,
    hasEarlier: earlier,
    status,
    requests: openRequests(sessionId, snapshot, approvals),
    answeredAt: 0,
    toolMode,
    tasks,
    viewers: { watching: watching.length, who: watching },
    turn: { startedAt: status.inTurn ? begun?.settledAt : undefined, end: endOf(snapshot), stall: undefined },
    live: new LiveText(),
    outputs: new Map(),
    turnEnds: [],
  }
}

/** A turn that did not end well has left a notice, which is the newest item. */
function endOf({ items, status }: SessionSnapshot): TurnFacts["end"] {
  const newest = items.at(-1)
  return status.inTurn || newest?.kind !== "notice" ? undefined : newest.end
}

/** The transcript uses only the plan of a turn that began before the client joined. */
const UNKNOWN_TURN: TurnId = "trn_joined"

function openRequests(
  sessionId: SessionId,
  { items, asked, seq }: SessionSnapshot,
  approvals: readonly OpenRequest[],
): OpenRequests {
  const own = requestsIn(items, sessionId).approvals.map((request) => {
    const full = approvals.find((one) => one.kind === "approval" && one.approvalId === request.approvalId)
    if (full?.kind !== "approval") return request
    const { digest, causes, changes, audience, expiresAt, askedAt } = full
    return { ...request, digest, causes, changes, audience, expiresAt, at: askedAt }
  })
  const at = items.at(-1)?.at ?? 0
  const start: OpenRequests = { approvals: own }
  return asked.reduce((open, event) => foldRequests(open, { seq, at, event }, sessionId), start)
}

export function foldItem(model: SessionModel, item: Exclude<WatchItem, { kind: "lost" }>): SessionModel {
  switch (item.kind) {
    case "event":
      return item.recorded.seq <= model.seq ? model : foldEvent(model, item.recorded)
    case "delta":
      return foldDelta(model, item.delta)
    case "streamed":
      model.live.streamed(item.stepId, item.blocks)
      return model
  }
}

function foldEvent(model: SessionModel, recorded: Recorded): SessionModel {
  const { event, seq, at } = recorded
  const { transcript, sessionId } = model
  foldTranscript(transcript, recorded)
  foldLive(model, event)
  const requests = foldRequests(model.requests, recorded, sessionId, (callId) => inputOf(transcript, callId))
  const isAnswer = event.type === "approval.decided" || event.type === "child.answered"
  return {
    ...model,
    seq,
    status: foldStatus(model.status, recorded),
    requests,
    answeredAt: isAnswer ? at : model.answeredAt,
    toolMode: event.type === "tools.selected" ? event.mode : model.toolMode,
    tasks: foldTasks(model.tasks, recorded),
    turn: foldTurn(model.turn, recorded),
    turnEnds: foldTurnEnds(model.turnEnds, recorded),
  }
}

function inputOf({ items }: Transcript, callId: CallId): JsonValue | undefined {
  const call = items.findLast((item) => item.kind === "call" && item.callId === callId)
  return call?.kind === "call" ? call.input : undefined
}

function foldLive({ live, outputs }: SessionModel, event: SessionEvent): void {
  if (event.type === "step.started") live.startStep(event.stepId)
  if (event.type === "text.ended" || event.type === "reasoning.ended") live.ended(event.stepId, event.block, event.text)
  if (event.type === "tool.ended" || event.type === "tool.unsettled") outputs.delete(event.callId)
  if (event.type !== "turn.ended") return
  live.startStep(undefined)
  outputs.clear()
}

function foldTurn(turn: TurnFacts, { event, at }: Recorded): TurnFacts {
  if (event.type === "turn.started") return { startedAt: at, end: undefined, stall: undefined }
  if (event.type === "turn.ended") return { startedAt: undefined, end: event.reason, stall: undefined }
  if (event.type === "turn.parked") return { ...turn, stall: undefined, parked: event.why }
  return turn.stall === undefined ? turn : { ...turn, stall: undefined }
}

function foldDelta(model: SessionModel, delta: SessionDelta): SessionModel {
  switch (delta.type) {
    case "text.delta":
      model.live.delta("text", delta.stepId, delta.block, delta.delta)
      return model
    case "reasoning.delta":
      model.live.delta("reasoning", delta.stepId, delta.block, delta.delta)
      return model
    case "tool.progressed": {
      const { callId, output, message } = delta
      const piece = output ?? { from: 0, text: `${message}\n` }
      model.outputs.set(callId, output === undefined ? piece : addOutput(model.outputs.get(callId), piece))
      return model
    }
    case "presence.changed":
      return { ...model, viewers: { watching: delta.watching, who: delta.who } }
    case "turn.stalled":
      return { ...model, turn: { ...model.turn, stall: delta.what ?? "the log cannot be written" } }
    default:
      return model // not shown
  }
}

/** With turns before those that it has. */
export function withEarlier(
  model: SessionModel,
  page: Pick<SessionSnapshot, "start" | "items" | "earlier">,
): SessionModel {
  model.transcript.items.unshift(...page.items)
  return { ...model, start: page.start, hasEarlier: page.earlier, turnEnds: [model.start, ...model.turnEnds] }
}

/** Prompts that wait for the next step or turn. */
export function queuedPrompts({ transcript }: Pick<SessionModel, "transcript">): readonly UserEntry[] {
  return transcript.items.filter((item): item is UserEntry => item.kind === "user" && item.state === "waiting")
}
