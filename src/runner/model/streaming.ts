// What a model says before it is a fact, and the moment from which it is one.
import type { StepId } from "../../contract/ids.ts"
import type { StreamedBlock } from "../../contract/values.ts"
import type { SessionState } from "../../session/state.ts"

/** What a step has said so far and is not a fact yet. */
export interface Streaming {
  readonly stepId: StepId
  streamed(): readonly StreamedBlock[]
  /** Publishes nothing from now on: what was said so far is being stored as the end of the text. */
  hold(): void
  /** It could not be stored: publishes what came meanwhile, and goes on. */
  release(): void
}

/** The step whose model has just answered or was cut off: its text is a fact now, the checkpoints are superfluous. */
export function settledStep(before: SessionState, after: SessionState): StepId | undefined {
  const step = before.turn?.step
  if (step === undefined || step.answered) return undefined
  const still = after.turn?.step
  return still?.id === step.id && !still.answered ? undefined : step.id
}
