// What must hold of a session that has come to rest, however often its hosts were killed.
import type { EventOf, EventType, Recorded } from "../../../contract/events.ts"
import { evolve, initialState } from "../../../session/evolve.ts"
import { openApprovals } from "../../../features/approvals/state.ts"
import type { Report } from "../violation.ts"

export type History = readonly Recorded[]

export function eventsOf<Type extends EventType>(history: History, type: Type): readonly EventOf<Type>[] {
  const isOfType = (event: Recorded["event"]): event is EventOf<Type> & Recorded["event"] => event.type === type
  return history.map(({ event }) => event).filter(isOfType)
}

/** One result for each call, one end for each turn, one outcome for each approval, one fate for each prompt. */
export function checkHistory(history: History, report: Report): void {
  checkRest(history, report)
  const results = ["tool.ended", "tool.refused", "tool.unsettled"] as const
  const ended = results.flatMap((type) => eventsOf(history, type).map(({ callId }) => callId as string))
  expectOnce(
    eventsOf(history, "tool.called").map(({ callId }) => callId),
    ended,
    { event: "tool.called", needs: "result", report },
  )
  const decided = eventsOf(history, "approval.decided").map(({ approvalId }) => approvalId)
  const requested = eventsOf(history, "approval.requested").map(({ approvalId }) => approvalId)
  expectOnce(requested, decided, { event: "approval.requested", needs: "outcome", report })
  const turns = eventsOf(history, "turn.started").map(({ turnId }) => turnId)
  const ends = eventsOf(history, "turn.ended").map(({ turnId }) => turnId)
  expectOnce(turns, ends, { event: "turn.started", needs: "end", report })
  const fates = (["prompt.promoted", "prompt.withdrawn"] as const).flatMap((type) =>
    eventsOf(history, type).map(({ promptId }) => promptId),
  )
  const prompts = eventsOf(history, "prompt.admitted")
  expectOnce(
    prompts.map(({ promptId }) => promptId),
    fates,
    { event: "prompt.admitted", needs: "delivery", report },
  )
  for (const text of repeated(prompts.map((prompt) => prompt.text)))
    report("doubled", "prompt.admitted", `the message "${text}" was sent once and is stored more than once`)
  const started = eventsOf(history, "tool.started").filter((one) => one.class === "unsafe")
  for (const id of repeated(started.map(({ callId }) => callId)))
    report("doubled", "tool.started", `the unsafe call ${id} was started more than once`)
}

function checkRest(history: History, report: Report): void {
  const state = history.reduce(evolve, initialState)
  const last = history.at(-1)?.event.type ?? "none"
  const open = [
    ...(state.turn === undefined ? [] : ["a turn"]),
    ...(state.waiting.length === 0 ? [] : ["a waiting message"]),
    ...(state.compaction === undefined ? [] : ["a compaction"]),
    ...(openApprovals(state).length === 0 ? [] : ["an approval"]),
  ]
  if (open.length > 0) report("broken", last, `the session is at rest and has ${open.join(" and ")} open`)
}

interface Expected {
  readonly event: string
  readonly needs: string
  readonly report: Report
}

function expectOnce(ids: readonly string[], results: readonly string[], { event, needs, report }: Expected): void {
  const counts = new Map<string, number>()
  for (const id of results) counts.set(id, (counts.get(id) ?? 0) + 1)
  for (const id of ids) {
    const count = counts.get(id) ?? 0
    if (count === 0) report("broken", event, `${id} has no ${needs}`)
    if (count > 1) report("doubled", event, `${id} has ${count} times a ${needs}`)
  }
}

function repeated(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))]
}
