// Text that a model was still writing when its step was cut off.
import type { SessionEvent } from "../contract/events.ts"
import type { StepId } from "../contract/ids.ts"
import type { Stamp } from "./decision.ts"
import type { SessionState } from "./state.ts"

/** The text is kept, marked as cut off. */
export function cutOffText(state: SessionState, stamp: Stamp): readonly SessionEvent[] {
  const step = state.turn?.step
  if (step === undefined || step.answered) return []
  const said = stamp.streamed.filter(({ text }) => text !== "")
  return said.map((block, index) => cutOff(step.id, block, index === said.length - 1))
}

/** Only the last block was cut off; reasoning before it is of no use to the model without its signature. */
function cutOff(stepId: StepId, { block, kind, text }: Stamp["streamed"][number], isLast: boolean): SessionEvent {
  if (kind === "reasoning") return { type: "reasoning.ended", stepId, block, text, interrupted: true }
  return { type: "text.ended", stepId, block, text, ...(isLast ? { interrupted: true } : {}) }
}
