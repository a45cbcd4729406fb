// A child at work: it gets its task once (the prompt id is derived from the child's id), and is over when it is idle, when
// it has ended or when it has left the tree. A child without a task is over only when it ends.
import type { EventOf, SessionEvent } from "../../contract/events.ts"
import { finishSentence } from "../../contract/text/finish-sentence.ts"
import { describeRefusal } from "../../contract/text/describe-refusal.ts"
import { treeDoor } from "../../contract/rules/session-settings.ts"
import { contextItems } from "../../projection/context.ts"
import { eventsBackwards } from "../../runner/read-folds.ts"
import type { SessionContext } from "../../runner/session-context.ts"
import { untilAborted } from "../../runner/waiting.ts"
import { isBusy } from "../../session/state.ts"
import type { ChildEnded, ChildState } from "../../features/agent-tree/state.ts"
import { endingOf } from "../../features/agent-tree/feature.ts"

export interface ChildEnd {
  readonly outcome: ChildEnded["outcome"]
  readonly result: string
  /** Number of its turns at that point; with one more, this is not its final answer. */
  readonly turns: number
}
export type ChildOutcome = ChildEnd | "left"

/** Undefined when aborted, or when the session is out of reach. */
export async function untilChildEnds(
  parent: SessionContext,
  child: ChildState,
  session: SessionContext,
  signal: AbortSignal,
): Promise<ChildOutcome | undefined> {
  const { promise, resolve } = Promise.withResolvers<ChildOutcome | undefined>()
  const decided = (end: ChildOutcome | undefined) => end !== undefined && resolve(end)
  const unwatch = session.watch((item) => {
    if (item.kind === "lost") resolve(undefined)
    else if (item.kind === "event") decided(outcomeIn(session, child, item.recorded.event))
  })
  void untilAborted(signal).then(() => resolve(undefined))
  try {
    if (signal.aborted) return undefined
    const sendFailure = await sendTask(parent, child, session)
    if (sendFailure === "not now") return undefined
    decided(sendFailure)
    decided(await storedEnd(session, child))
    return await promise
  } finally {
    unwatch()
  }
}

/** Untrusted text stays untrusted when it is passed on. */
export async function sendTask(
  parent: SessionContext,
  child: ChildState,
  session: SessionContext,
): Promise<ChildEnd | "not now" | undefined> {
  const { task, id } = child
  const promptId = `prm_${id}` as const
  if (task === undefined || session.state.prompts.some((prompt) => prompt.id === promptId)) return undefined
  if (isEndingNow(parent, child)) return childEnd(session, "interrupted", "It was stopped at once.")
  const by = { principal: `session ${parent.id}`, door: treeDoor }
  const untrustedSource = parent.state.taintedBy
  const sent = await session.send({ type: "prompt", promptId, text: task, ifBusy: "wait", untrustedSource }, by)
  if (sent.kind === "accepted") return undefined
  if (sent.refusal.code === "log.unavailable") return "not now"
  return childEnd(session, "failed", describeRefusal(sent.refusal))
}

function isEndingNow(parent: SessionContext, { id }: ChildState): boolean {
  const child = parent.state.children.find((known) => known.id === id)
  return child !== undefined && endingOf(parent.state, child) === "now"
}

function outcomeIn(session: SessionContext, child: ChildState, event: SessionEvent): ChildOutcome | undefined {
  if (event.type === "session.orphaned") return "left"
  if (event.type === "session.ended") return endWithoutTurn(session, child)
  return event.type === "turn.ended" && child.task !== undefined && isIdle(session) ? endOf(session, event) : undefined
}

/** It may have been prompted again after its answer. */
export async function finalEnd(session: SessionContext, child: ChildState, end: ChildEnd): Promise<ChildEnd> {
  return session.status.turns === end.turns ? end : ((await storedEnd(session, child)) ?? end)
}

/** It ended before its parent was open: the log has the outcome. */
async function storedEnd(session: SessionContext, child: ChildState): Promise<ChildEnd | undefined> {
  if (!isIdle(session)) return undefined
  const isEnded = session.state.life === "ended"
  if (child.task === undefined) return isEnded ? endWithoutTurn(session, child) : undefined
  for await (const next of eventsBackwards(session.services.log, session.id, session.state.seq)) {
    if (next.kind === "refused") return childEnd(session, "failed", describeRefusal(next.refusal))
    if (next.value.event.type === "turn.ended") return endOf(session, next.value.event)
  }
  return isEnded ? endWithoutTurn(session, child) : undefined
}

function isIdle({ state }: SessionContext): boolean {
  return !isBusy(state) && state.waiting.length === 0
}

/** With a task it was stopped before its turn; without one it is done. */
function endWithoutTurn(session: SessionContext, { task }: ChildState): ChildEnd {
  return childEnd(session, task === undefined ? "done" : "interrupted", lastText(session))
}

function endOf(session: SessionContext, { reason, error, finish }: EventOf<"turn.ended">): ChildEnd {
  if (finish !== undefined)
    return childEnd(session, "failed", `${lastText(session)}\n\n${finishSentence(finish)}`.trim())
  return childEnd(session, reason === "step-limit" ? "failed" : reason, error ?? lastText(session))
}

function childEnd({ status: { turns } }: SessionContext, outcome: ChildEnd["outcome"], result: string): ChildEnd {
  return { outcome, result, turns }
}

function lastText(session: SessionContext): string {
  const last = contextItems(session.context).findLast((item) => item.kind === "assistant")
  return last?.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n") ?? ""
}
