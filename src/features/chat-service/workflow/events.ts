// Workflows: a judge decides whether a turn has completed the current step of the agent's workflow.
import { z } from "zod"
import { durable } from "../../../contract/define.ts"
import { TurnId } from "../../../contract/ids.ts"
import { Usage } from "../../../contract/values.ts"

const WorkflowJudged = durable("workflow.judged", 1, {
  turnId: TurnId,
  step: z.string(),
  verdict: z.enum(["yes", "no", "maybe", "failed"]),
  /** The current step from here on; absent after the last one. */
  next: z.string().optional(),
  /** Turns that have stayed at this step so far. */
  held: z.int().min(0),
  model: z.string().optional(),
  usage: Usage.optional(),
  costUsd: z.number().optional(),
})

export const workflowContract = { events: [WorkflowJudged], commands: [], refusals: [], deltas: [] } as const
