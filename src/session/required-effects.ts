// The effects that a state requires, as data. The runner performs each exactly once: an effect keeps its id while it is
// required, and one that is no longer required is stopped.
import { settingsOf } from "../contract/rules/session-settings.ts"
import type { Effect } from "./report.ts"
import { features } from "./features.ts"
import { openCalls, type CallState, type SessionState } from "./state.ts"

export function requiredEffects(state: SessionState): readonly Effect[] {
  if (isSuspended(state)) return []
  return [...workEffects(state), ...features.flatMap(({ effects }) => effects?.(state) ?? [])]
}

export function isSuspended(state: SessionState): boolean {
  return features.some((feature) => feature.isSuspended?.(state) === true)
}

function workEffects(state: SessionState): readonly Effect[] {
  if (state.compaction !== undefined) {
    return [{ type: "compact", id: `compact:${state.compaction}`, compactionId: state.compaction }]
  }
  if (state.turn === undefined) return []
  const { parked, step, id: turnId } = state.turn
  if (parked?.waitsFor === "reservation") return [{ type: "await-budget", id: `budget:${turnId}`, turnId }]
  if (parked !== undefined) {
    return parked.until === undefined ? [] : [{ type: "end-park", id: `park:${turnId}`, turnId, at: parked.until }]
  }
  for (const feature of features) {
    const effects = feature.turnEffects?.(state)
    if (effects !== undefined) return effects
  }
  if (step === undefined) return []
  if (!step.answered) return [{ type: "call-model", id: `model:${step.id}`, stepId: step.id }]
  return runnableCalls(state).map(({ id }) => ({ type: "run-call", id: `call:${id}`, callId: id }))
}

function runnableCalls(state: SessionState): readonly CallState[] {
  const calls = openCalls(state).slice(0, settingsOf(state.created).parallelCalls)
  return calls.filter((call) => call.phase !== "asked")
}
