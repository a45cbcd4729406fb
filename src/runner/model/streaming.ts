// Text of a step that is streamed and not stored yet.
import type { StepId } from "../../contract/ids.ts"
import type { StreamedBlock } from "../../contract/values.ts"
import type { SessionState } from "../../session/state.ts"

/** What a step has streamed so far. */
export interface Streaming {
  readonly stepId: StepId
  streamed(): readonly StreamedBlock[]
  /** Publishes nothing from now on: the text so far is being stored as the end of the block. */
  hold(): void
  /** It could not be stored: publishes what came meanwhile, and continues. */
  release(): void
}

/** The step whose model has just answered or was cut off: its text is stored, its checkpoints are no longer needed. */
export function settledStep(before: SessionState, after: SessionState): StepId | undefined {
  const step = before.turn?.step
  if (step === undefined || step.answered) return undefined
  const currentStep = after.turn?.step
  return currentStep?.id === step.id && !currentStep.answered ? undefined : step.id
}
