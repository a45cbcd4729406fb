// Plan mode: entering and leaving it.
import { z } from "zod"
import { command, durable, refusal } from "../../contract/define.ts"
import { PlanId } from "../../contract/ids.ts"
import { limits } from "../../contract/limits.ts"
import { By } from "../../contract/values.ts"

const PlanEntered = durable("plan.entered", 1, { planId: PlanId, focus: z.string().optional(), by: By })
const PlanExited = durable("plan.exited", 1, { planId: PlanId, summary: z.string().optional(), by: By })

/** Continues the plan that was left last. A focus replaces the one it had. */
const EnterPlan = command("enter-plan", { focus: z.string().max(limits.nameLength).optional() })
/** Without a summary the session takes the newest answer, if that looks like a plan; an empty summary means none. */
const ExitPlan = command("exit-plan", { summary: z.string().optional() })

export const planModeContract = {
  events: [PlanEntered, PlanExited],
  commands: [EnterPlan, ExitPlan],
  refusals: [refusal("plan.already", {}), refusal("plan.not-in", {}), refusal("plan.not-here", {})],
  deltas: [],
} as const
