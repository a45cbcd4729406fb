// Plan mode: a second conversation beside the main one, in the same log. Every turn belongs to the open plan. Plan mode
// is entered and left only between turns, so that no turn changes sides.
import type { Feature } from "../../session/feature.ts"
import type { SessionState } from "../../session/state.ts"
import { checkPlan, enterPlan, exitPlan } from "./decide.ts"
import type { PlanModeState } from "./state.ts"

export const planMode = {
  initial: { plan: undefined, leftPlan: undefined },
  commands: { "enter-plan": enterPlan, "exit-plan": exitPlan },
  evolve: {
    "plan.entered": (_, { planId, focus }) => ({ plan: { id: planId, focus }, leftPlan: undefined }),
    "plan.exited": leavePlan,
    "session.ended": leavePlan,
    "context.cleared": () => ({ leftPlan: undefined }),
  },
  beforePrompt: checkPlan,
  turnFields: ({ plan }) => ({ planId: plan?.id }),
} satisfies Feature<PlanModeState>

function leavePlan({ plan, leftPlan }: SessionState) {
  return { plan: undefined, leftPlan: plan ?? leftPlan }
}
