// The agents of a session, for the tools of one of its calls. All that must survive a crash is in the parent's log: which
// agent a call started, whether it lives, and its result. The agent's own session is asked only for its activity.
import { createHash } from "node:crypto"
import type { EventOf } from "../../../contract/events.ts"
import type { WatchItem } from "../../../contract/host-port.ts"
import type { CallId, SessionId } from "../../../contract/ids.ts"
import { describeRefusal } from "../../../contract/text/describe-refusal.ts"
import type { By } from "../../../contract/values.ts"
import { treeDoor } from "../../../contract/rules/session-settings.ts"
import { currentActivity } from "../../../session/activity.ts"
import { isBusy } from "../../../session/state.ts"
import type { AgentLine, AgentOrder, AgentResult, Agents, SessionAgent, StartedAgent } from "../../../tools/tool.ts"
import type { SessionContext } from "../../../runner/session-context.ts"
import { pause, untilAborted } from "../../../runner/waiting.ts"
import { openApprovals } from "../../approvals/state.ts"
import { openChildApprovals, type ChildState } from "../state.ts"

/** Ended agents that are listed. */
const newestEnded = 20
const retryMs = 1000

export function agentsOf(session: SessionContext, callId: CallId, signal: AbortSignal): Agents {
  return {
    ownId: childIdOf(session.id, callId),
    start: (order) => start(session, callId, order),
    list: (id) => list(session, id),
    steer: (id, message) => steer(session, callId, id, message),
    result: async (id, waitMs) => withWorktree(session, id, await result(session, id, waitMs, signal)),
  }
}

async function start(session: SessionContext, callId: CallId, order: AgentOrder): Promise<StartedAgent> {
  const childId = childIdOf(session.id, callId)
  if (isKnown(session, childId)) return { kind: "started", id: childId } // it was started before a crash
  const { task, role: reason, cwd, worktree } = order
  const named = reason === undefined ? undefined : await session.services.agents?.find(reason)
  const spawn = { type: "spawn", childId, task, reason, cwd, worktree, ...agentSettings(order, named) } as const
  const command = order.isAwaited ? { ...spawn, callId } : spawn
  const sent = await session.send(command, byOf(session))
  if (sent.kind === "refused") return { kind: "no", reason: describeRefusal(sent.refusal) }
  if (order.endAfterMs !== undefined) endAfter(session, childId, order.endAfterMs).catch(warn(session))
  return { kind: "started", id: childId }
}

/** What the order says comes before what a named agent has by itself. */
function agentSettings({ system, model, thinking }: AgentOrder, named: SessionAgent | undefined) {
  return {
    system: system ?? named?.instructions,
    model: model ?? named?.model,
    thinking: thinking ?? named?.thinking,
    ...(named?.tools === undefined ? {} : { tools: [...named.tools] }),
    ...(named?.preset === "careful" && { preset: "careful" as const }),
    ...(named?.documents === undefined ? {} : { documents: [...named.documents] }),
  }
}

/**
 * The same call always has the same child id, also after a restart. The time in the id is therefore derived from the
 * parent's, with an offset, so that the beginnings of ids, which people type, differ.
 */
function childIdOf(parentId: SessionId, callId: CallId): SessionId {
  const hex = createHash("sha256").update(`${parentId} ${callId}`).digest("hex")
  const parentTime = Number.parseInt(parentId.slice(0, 13).replace("-", ""), 16)
  const time = (parentTime + Number.parseInt(hex.slice(18, 24), 16) + 1).toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${hex.slice(0, 3)}-8${hex.slice(3, 6)}-${hex.slice(6, 18)}`
}

function isKnown({ state }: SessionContext, childId: SessionId): boolean {
  return [...state.children, ...state.endedChildren].some(({ id }) => id === childId)
}

/** Works while this host has the session open; retries while the agent cannot be reached. */
async function endAfter(session: SessionContext, childId: SessionId, ms: number): Promise<void> {
  const gone = new AbortController()
  const unwatch = session.watch((item) => {
    if (item.kind === "lost" || resultIn(item, childId) !== undefined) gone.abort()
  })
  for (let wait = ms; !gone.signal.aborted; wait = retryMs) {
    await pause(wait, gone.signal)
    const child = gone.signal.aborted ? undefined : await session.services.children.find(childId)
    await child?.send({ type: "end", when: "now", reason: "its time limit was reached" }, byOf(session))
  }
  unwatch()
}

function warn(session: SessionContext): (fault: unknown) => void {
  return (fault) => session.services.warn(`an agent was not ended in time: ${String(fault)}`, session.id)
}

function byOf({ id }: SessionContext): By {
  return { principal: `session ${id}`, door: treeDoor }
}

async function list(session: SessionContext, agentId: SessionId | undefined): Promise<readonly AgentLine[]> {
  const isRequested = ({ id }: { readonly id: SessionId }) => agentId === undefined || id === agentId
  const ended = session.state.endedChildren.filter(isRequested).slice(-newestEnded)
  return [
    ...(await Promise.all(session.state.children.filter(isRequested).map((child) => runningLine(session, child)))),
    ...(await Promise.all(ended.map(({ id, seq }) => endedLine(session, id, seq)))),
  ]
}

async function runningLine(session: SessionContext, child: ChildState): Promise<AgentLine> {
  const { id, reason: role } = child
  const open = await session.services.children.find(id)
  if (open === undefined) return { id, role, state: "working", activity: "being opened", costUsd: 0 }
  const { state } = open
  const isAsking = openApprovals(state).length + openChildApprovals(state).length > 0
  const activity = isAsking ? "asking" : isBusy(state) || state.waiting.length > 0 ? "working" : "idle"
  return { id, role, state: activity, activity: currentActivity(state), costUsd: state.spent.usd }
}

async function endedLine(session: SessionContext, id: SessionId, seq: number): Promise<AgentLine> {
  const ended = await endedEvent(session, id, seq)
  return { id, role: undefined, state: "ended", activity: ended?.outcome ?? "", costUsd: ended?.costUsd ?? 0 }
}

async function steer(
  session: SessionContext,
  callId: CallId,
  childId: SessionId,
  text: string,
): Promise<string | undefined> {
  const { children, endedChildren, taintedBy: untrustedSource } = session.state
  if (endedChildren.some(({ id }) => id === childId)) return `Agent ${childId} has ended; collect its answer.`
  if (!children.some(({ id }) => id === childId)) return `This session has no agent ${childId}.`
  const child = await session.services.children.find(childId)
  if (child === undefined) return `Agent ${childId} is not at work yet; try again.`
  const promptId = `prm_${callId}` as const
  const sent = await child.send({ type: "prompt", promptId, text, ifBusy: "steer", untrustedSource }, byOf(session))
  return sent.kind === "refused" ? describeRefusal(sent.refusal) : undefined
}

function withWorktree({ state }: SessionContext, childId: SessionId, found: AgentResult): AgentResult {
  if (found.kind !== "ended") return found
  return {
    ...found,
    hadWorktree: state.endedChildren.some(({ id, hadWorktree }) => id === childId && hadWorktree === true),
  }
}

async function result(
  session: SessionContext,
  childId: SessionId,
  waitMs: number | undefined,
  signal: AbortSignal,
): Promise<AgentResult> {
  const ended = session.state.endedChildren.find(({ id }) => id === childId)
  if (ended !== undefined) return resultOf(await endedEvent(session, childId, ended.seq))
  if (!isKnown(session, childId)) return { kind: "unknown" }
  return waitForEnd(session, childId, waitMs, signal)
}

async function waitForEnd(
  session: SessionContext,
  childId: SessionId,
  waitMs: number | undefined,
  signal: AbortSignal,
): Promise<AgentResult> {
  const stopped = new AbortController()
  const { promise, resolve } = Promise.withResolvers<AgentResult>()
  const unwatch = session.watch((item) => {
    const ended = item.kind === "lost" ? ({ kind: "still-there" } as const) : resultIn(item, childId)
    if (ended !== undefined) resolve(ended)
  })
  const wait = AbortSignal.any([signal, stopped.signal])
  const timedOut = waitMs === undefined ? untilAborted(wait) : pause(waitMs, wait)
  void timedOut.then(() => resolve({ kind: "still-there" }))
  try {
    return await promise
  } finally {
    stopped.abort()
    unwatch()
  }
}

function resultIn(item: WatchItem, childId: SessionId): AgentResult | undefined {
  if (item.kind !== "event") return undefined
  const { event } = item.recorded
  if (event.type === "child.ended" && event.childId === childId) return resultOf(event)
  return event.type === "child.detached" && event.childId === childId ? { kind: "left" } : undefined
}

async function endedEvent(
  session: SessionContext,
  childId: SessionId,
  seq: number,
): Promise<EventOf<"child.ended"> | undefined> {
  const read = await session.services.log.read(session.id, seq - 1, 1)
  const event = read.kind === "ok" ? read.value[0]?.event : undefined
  return event?.type === "child.ended" && event.childId === childId ? event : undefined
}

function resultOf(ended: EventOf<"child.ended"> | undefined): AgentResult {
  if (ended === undefined) return { kind: "unknown" }
  return { kind: "ended", outcome: ended.outcome, text: ended.result }
}
