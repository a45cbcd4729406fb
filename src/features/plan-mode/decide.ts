// Plan mode: a conversation of its own beside the main one, in the same log. While a plan is open every turn belongs to
// it; plan mode is entered and left only between turns, so no turn ever changes sides. A plan that was left is gone on
// with by whoever enters plan mode next, unless the conversation was cleared meanwhile.
import { accepted, refused, type Decision, type Stamp } from "../../session/decision.ts"
import { isBusy, type SessionState } from "../../session/state.ts"

export function enterPlan(state: SessionState, focus: string | undefined, stamp: Stamp): Decision {
  if (state.created?.preset === "service") return refused({ code: "plan.not-here" })
  if (state.plan !== undefined) return refused({ code: "plan.already" })
  if (isBusy(state)) return refused({ code: "session.busy" })
  const { id = `pln_${stamp.id}` as const, focus: before } = state.leftPlan ?? {}
  return accepted({ type: "plan.entered", planId: id, focus: focus ?? before, by: stamp.by })
}

export function exitPlan(state: SessionState, summary: string | undefined, stamp: Stamp): Decision {
  if (state.plan === undefined) return refused({ code: "plan.not-in" })
  if (isBusy(state)) return refused({ code: "session.busy" })
  const words = summary === "" ? {} : { summary } // whoever says nothing on purpose wants none
  return accepted({ type: "plan.exited", planId: state.plan.id, ...words, by: stamp.by })
}

export function leavePlan(state: SessionState): SessionState {
  return { ...state, plan: undefined, leftPlan: state.plan ?? state.leftPlan }
}
