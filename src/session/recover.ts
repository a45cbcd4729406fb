// After a crash: what a dead owner left half done gets its end, by the class of the tool. Text that was in the air
// becomes a fact and the step is continued by a new one; an unsafe intent without a receipt is never repeated.
import type { SessionEvent } from "../contract/events.ts"
import type { CallId } from "../contract/ids.ts"
import type { Stamp } from "./decision.ts"
import { openCalls, type SessionState } from "./state.ts"
import { cutOffText } from "./streamed-text.ts"

export function recover(
  state: SessionState,
  evidence: Readonly<Record<CallId, string>>,
  stamp: Stamp,
): readonly SessionEvent[] {
  return [...unsettledCalls(state, evidence), ...continuedStep(state, stamp)]
}

function unsettledCalls(state: SessionState, evidence: Readonly<Record<CallId, string>>): readonly SessionEvent[] {
  return openCalls(state)
    .filter((call) => call.phase === "started" && call.started?.class === "unsafe")
    .map((call) => ({
      type: "tool.unsettled",
      callId: call.id,
      evidence: evidence[call.id] ?? "The host ended while the call was running; nothing is known of its outcome.",
    }))
}

/** Streamed text is stored and a new step continues it; without any the same step calls its model again. */
export function continuedStep(state: SessionState, stamp: Stamp): readonly SessionEvent[] {
  const cutOff = cutOffText(state, stamp)
  if (state.turn?.step === undefined || cutOff.length === 0) return []
  const { id: turnId, model, step } = state.turn
  return [...cutOff, { type: "step.started", stepId: `stp_${stamp.id}`, turnId, model, continues: step.id }]
}
