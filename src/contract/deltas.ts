// Live hints, never stored and never numbered. A lost delta heals itself when the matching `*.ended` event arrives.
import { z } from "zod"
import { live } from "./define.ts"
import { CallId, StepId } from "./ids.ts"

const TextDelta = live("text.delta", { stepId: StepId, block: z.int(), delta: z.string() })
const ReasoningDelta = live("reasoning.delta", { stepId: StepId, block: z.int(), delta: z.string() })
/** The first one of a call has an empty delta and says that the call has begun. */
const ToolInputDelta = live("tool-input.delta", {
  stepId: StepId,
  callId: CallId,
  tool: z.string(),
  delta: z.string(),
})
const ToolProgressed = live("tool.progressed", {
  callId: CallId,
  message: z.string(),
  /** 0 to 1, where the tool can tell. */
  fraction: z.number().optional(),
})

export const SessionDelta = z.discriminatedUnion("type", [TextDelta, ReasoningDelta, ToolInputDelta, ToolProgressed])
export type SessionDelta = z.infer<typeof SessionDelta>
