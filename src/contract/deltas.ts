// Deltas: live fragments, never stored or numbered. A lost delta does no harm: the matching `*.ended` event repeats it.
import { z } from "zod"
import { live } from "./define.ts"
import { featureContracts, type FeatureContract } from "./features.ts"
import { CallId, StepId, TurnId } from "./ids.ts"
import { By } from "./values.ts"

const kernelDeltas = [
  live("text.delta", { stepId: StepId, block: z.int(), delta: z.string() }),
  live("reasoning.delta", { stepId: StepId, block: z.int(), delta: z.string() }),
  /** The first one of a call has an empty delta: the call has started. */
  live("tool-input.delta", {
    stepId: StepId,
    callId: CallId,
    tool: z.string(),
    delta: z.string(),
  }),
  live("tool.progressed", {
    callId: CallId,
    message: z.string(),
    /** 0 to 1, where the tool knows it. */
    fraction: z.number().optional(),
    /** What the call has printed since the last piece, scrubbed; `from` is its position. Where it does not continue the
     *  last piece, output was skipped. A client that joins gets the newest part first. */
    output: z.object({ from: z.int(), text: z.string() }).optional(),
  }),

  /** One sentence of a fast model before the answer begins. It is not part of the answer. */
  live("preamble", { turnId: TurnId, text: z.string() }),

  /** A result of the turn cannot be stored at the moment. It is retried until it is. */
  live("turn.stalled", { turnId: TurnId, what: z.string().optional() }),

  /** The clients that watch now. `who` lists the first few, `watching` counts all. */
  live("presence.changed", { watching: z.int(), who: z.array(By) }),

  /** A warning of the host about the session, such as a guard that does not work. For operators only. */
  live("host.warned", { message: z.string() }),
] as const

export const sessionDeltas = [
  ...kernelDeltas,
  ...featureContracts.flatMap<FeatureContract["deltas"][number]>((contract) => contract.deltas),
]
export type SessionDelta = z.infer<(typeof sessionDeltas)[number]>
