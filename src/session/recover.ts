// After a crash: ends the calls and the step that a dead host left open. Streamed text is stored and a new step
// continues it; an unsafe call without a result is never repeated.
import type { SessionEvent } from "../contract/events.ts"
import type { CallId, StepId } from "../contract/ids.ts"
import type { Stamp } from "./decision.ts"
import { openCalls, type SessionState } from "./state.ts"

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

/** The text is kept, marked as cut off. */
export function cutOffText(state: SessionState, stamp: Stamp): readonly SessionEvent[] {
  const step = state.turn?.step
  if (step === undefined || step.answered) return []
  const blocks = stamp.streamed.filter(({ text }) => text !== "")
  return blocks.map((block, index) => endedBlock(step.id, block, index === blocks.length - 1))
}

/** Only the last block was cut off. Cut-off reasoning has no signature, so the model does not get it. */
function endedBlock(stepId: StepId, { block, kind, text }: Stamp["streamed"][number], isLast: boolean): SessionEvent {
  if (kind === "reasoning") return { type: "reasoning.ended", stepId, block, text, interrupted: true }
  return { type: "text.ended", stepId, block, text, ...(isLast ? { interrupted: true } : {}) }
}
