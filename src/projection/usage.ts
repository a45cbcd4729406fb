// What a session has cost: tokens and money per turn and in all. A call without a known price makes the sum a lower
// bound, and the view says so.
import type { EventOf, Recorded } from "../contract/events.ts"
import type { Usage } from "../contract/values.ts"

export type UsageView = {
  readonly total: Spent
  /** The running turn, or the newest one. */
  readonly turn: Spent
}

export type Spent = Usage & {
  readonly usd: number
  readonly modelCalls: number
  /** Calls whose price is not known; `usd` does not count them. */
  readonly unpricedCalls: number
}

const nothing: Spent = {
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

export const noUsage: UsageView = { total: nothing, turn: nothing }

export function foldUsage(view: UsageView, { event }: Recorded): UsageView {
  if (event.type === "turn.started") return { ...view, turn: nothing }
  if (event.type !== "response.ended" && event.type !== "context.compacted") return view
  return { total: add(view.total, event), turn: add(view.turn, event) }
}

function add(spent: Spent, { usage, costUsd }: EventOf<"response.ended" | "context.compacted">): Spent {
  return {
    input: spent.input + (usage?.input ?? 0),
    output: spent.output + (usage?.output ?? 0),
    cacheRead: spent.cacheRead + (usage?.cacheRead ?? 0),
    cacheWrite5m: spent.cacheWrite5m + (usage?.cacheWrite5m ?? 0),
    cacheWrite1h: spent.cacheWrite1h + (usage?.cacheWrite1h ?? 0),
    reasoning: spent.reasoning + (usage?.reasoning ?? 0),
    usd: spent.usd + (costUsd ?? 0),
    modelCalls: spent.modelCalls + 1,
    unpricedCalls: spent.unpricedCalls + (costUsd === undefined ? 1 : 0),
  }
}
