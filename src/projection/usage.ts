// Tokens and cost of a session with its children, per turn and in total. A call without a known price is counted, so that
// a view can say that the sum is a lower bound.
import type { EventOf, Recorded } from "../contract/events.ts"
import type { Usage } from "../contract/values.ts"
import type { Spent, UsageView } from "../contract/views/status.ts"

export type { Spent, UsageView } from "../contract/views/status.ts"

const ZERO: Spent = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  reasoning: 0,
  usd: 0,
  modelCalls: 0,
  unpricedCalls: 0,
}

export const noUsage: UsageView = { total: ZERO, turn: ZERO }

export function foldUsage(view: UsageView, { event }: Recorded): UsageView {
  if (event.type === "turn.started") return { ...view, turn: ZERO }
  const more = spentIn(event)
  return more === undefined ? view : { total: add(view.total, more), turn: add(view.turn, more) }
}

function spentIn(event: Recorded["event"]): Spent | undefined {
  if (event.type === "child.ended") return { ...ZERO, ...event.used, usd: event.costUsd }
  const [first, ...others] = modelCallsIn(event)
  return first && others.reduce((sum, { spent }) => add(sum, spent), first.spent)
}

/** Calls that an event reports, without those of children. A call without a model was made with the session's. */
export function modelCallsIn(
  event: Recorded["event"],
): readonly { readonly model: string | undefined; readonly spent: Spent }[] {
  switch (event.type) {
    case "context.compacted":
      return [{ model: undefined, spent: spentOnCall(event) }]
    case "sampling.ended":
      return [{ model: event.model, spent: spentOnCall(event) }]
    case "workflow.judged":
      return event.model === undefined ? [] : [{ model: event.model, spent: spentOnCall(event) }]
    case "response.ended": {
      const { model, aside } = event
      const own = { model, spent: spentOnCall(event) }
      return aside === undefined ? [own] : [own, { model: aside.model, spent: spentOnCall(aside) }]
    }
    default:
      return [] // costs nothing
  }
}

function spentOnCall({ usage, costUsd, votes }: Pick<EventOf<"response.ended">, "usage" | "costUsd" | "votes">): Spent {
  const modelCalls = votes === undefined ? 1 : votes.counted + votes.discarded
  const unpricedCalls = costUsd === undefined ? modelCalls : 0
  return { ...ZERO, ...usage, usd: costUsd ?? 0, modelCalls, unpricedCalls }
}

function add(one: Spent, other: Spent): Spent {
  return {
    ...addTokens(one, other),
    usd: one.usd + other.usd,
    modelCalls: one.modelCalls + other.modelCalls,
    unpricedCalls: one.unpricedCalls + other.unpricedCalls,
  }
}

export function addTokens(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite5m: one.cacheWrite5m + other.cacheWrite5m,
    cacheWrite1h: one.cacheWrite1h + other.cacheWrite1h,
    reasoning: one.reasoning + other.reasoning,
  }
}
