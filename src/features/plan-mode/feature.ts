// Plan mode: a second conversation beside the main one, in the same log. While a plan is open every turn belongs to it.
// Plan mode is entered and left only between turns. Entering again continues the plan that was left, unless the
// conversation was cleared meanwhile.
import type { Feature } from "../../session/feature.ts"
import { type SessionState, isBusy } from "../../session/state.ts"
import type { PlanModeState } from "./state.ts"
import { settingsOf } from "../../contract/rules/session-settings.ts"
import type { CommandOf } from "../../contract/commands.ts"
import { accepted, refused, type Decision, type Stamp } from "../../session/decision.ts"

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

function enterPlan(state: SessionState, { focus }: CommandOf<"enter-plan">, stamp: Stamp): Decision {
  if (!settingsOf(state.created).hasPlanMode) return refused({ code: "plan.not-here" })
  if (state.plan !== undefined) return refused({ code: "plan.already" })
  if (isBusy(state)) return refused({ code: "session.busy" })
  const { id = `pln_${stamp.id}` as const, focus: before } = state.leftPlan ?? {}
  return accepted({ type: "plan.entered", planId: id, focus: focus ?? before, by: stamp.by })
}

function exitPlan(state: SessionState, { summary }: CommandOf<"exit-plan">, stamp: Stamp): Decision {
  if (state.plan === undefined) return refused({ code: "plan.not-in" })
  if (isBusy(state)) return refused({ code: "session.busy" })
  const summaryField = summary === "" ? {} : { summary } // an empty summary means: none
  return accepted({ type: "plan.exited", planId: state.plan.id, ...summaryField, by: stamp.by })
}

/** A prompt for a plan is refused unless that plan is open. */
function checkPlan({ plan }: SessionState, { planId }: CommandOf<"prompt">): Decision | undefined {
  return planId === undefined || planId === plan?.id ? undefined : refused({ code: "plan.not-in" })
}
