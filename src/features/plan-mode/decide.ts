// Entering and leaving plan mode. A plan that was left is continued, unless the conversation was cleared meanwhile.
import { settingsOf } from "../../contract/rules/session-settings.ts"
import type { CommandOf } from "../../contract/commands.ts"
import { accepted, refused, type Decision, type Stamp } from "../../session/decision.ts"
import { isBusy, type SessionState } from "../../session/state.ts"

export function enterPlan(state: SessionState, { focus }: CommandOf<"enter-plan">, stamp: Stamp): Decision {
  if (!settingsOf(state.created).hasPlanMode) return refused({ code: "plan.not-here" })
  if (state.plan !== undefined) return refused({ code: "plan.already" })
  if (isBusy(state)) return refused({ code: "session.busy" })
  const { id = `pln_${stamp.id}` as const, focus: before } = state.leftPlan ?? {}
  return accepted({ type: "plan.entered", planId: id, focus: focus ?? before, by: stamp.by })
}

export function exitPlan(state: SessionState, { summary }: CommandOf<"exit-plan">, stamp: Stamp): Decision {
  if (state.plan === undefined) return refused({ code: "plan.not-in" })
  if (isBusy(state)) return refused({ code: "session.busy" })
  const given = summary === "" ? {} : { summary } // an empty summary means: none
  return accepted({ type: "plan.exited", planId: state.plan.id, ...given, by: stamp.by })
}

/** A prompt for a plan is refused unless that plan is open. */
export function checkPlan({ plan }: SessionState, { planId }: CommandOf<"prompt">): Decision | undefined {
  return planId === undefined || planId === plan?.id ? undefined : refused({ code: "plan.not-in" })
}
