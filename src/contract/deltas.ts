// Live hints, never stored and never numbered. A lost delta heals itself when the matching `*.ended` event arrives.
import { z } from "zod"
import { live } from "./define.ts"
import { featureContracts, type FeatureContract } from "./features.ts"
import { CallId, StepId, TurnId } from "./ids.ts"
import { By } from "./values.ts"

const kernelDeltas = [
  live("text.delta", { stepId: StepId, block: z.int(), delta: z.string() }),
  live("reasoning.delta", { stepId: StepId, block: z.int(), delta: z.string() }),
  /** The first one of a call has an empty delta and says that the call has begun. */
  live("tool-input.delta", {
    stepId: StepId,
    callId: CallId,
    tool: z.string(),
    delta: z.string(),
  }),
  live("tool.progressed", {
    callId: CallId,
    message: z.string(),
    /** 0 to 1, where the tool can tell. */
    fraction: z.number().optional(),
  }),

  /** One sentence before the answer begins, from a model that is quick. It is no part of the answer. */
  live("preamble", { turnId: TurnId, text: z.string() }),

  /** What came of a turn cannot be stored for now, and it is not known for how long. It is tried again. */
  live("turn.stalled", { turnId: TurnId, what: z.string().optional() }),

  /** Who watches now. `who` names the first few, `watching` counts them all. */
  live("presence.changed", { watching: z.int(), who: z.array(By) }),

  /** The host warns about something that concerns the session, such as a guard that does not work. For operators only. */
  live("host.warned", { message: z.string() }),
] as const

export const sessionDeltas = [
  ...kernelDeltas,
  ...featureContracts.flatMap<FeatureContract["deltas"][number]>((contract) => contract.deltas),
]
export type SessionDelta = z.infer<(typeof sessionDeltas)[number]>
