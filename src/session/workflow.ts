// The workflow of an agent: at which step a conversation stands, and where a judgement leads it. The pointer is a fact in
// the log; the steps come from the configuration with every decision, so that a changed workflow counts at once. A turn
// that has its answer does not end before its step was judged.
import type { Workflow } from "../contract/config.ts"
import type { EventOf } from "../contract/events.ts"
import { limits } from "../contract/limits.ts"
import { accepted, refused, type Decision, type Stamp } from "./decision.ts"
import type { WorkflowJudged } from "./report.ts"
import type { SessionState, TurnState } from "./state.ts"

export type WorkflowStep = Workflow["steps"][number]

/** Nothing where there is no workflow, or all of it is done. A step that is not there any more is the first one. */
export function currentStep(workflow: Workflow | undefined, { workflow: at }: SessionState): WorkflowStep | undefined {
  if (workflow === undefined || (at !== undefined && at.step === undefined)) return undefined
  return workflow.steps.find(({ id }) => id === at?.step) ?? workflow.steps[0]
}

/** What a visitor is offered to say next, where the step says so. */
export function fixedReplies(state: SessionState, { workflow }: Pick<Stamp, "workflow">): string[] | undefined {
  return currentStep(workflow, state)?.quickReplies
}

/** A turn that came to its answer is judged before it ends. */
export function owesJudgement(state: SessionState, { over }: TurnState, { workflow }: Stamp): boolean {
  return over && currentStep(workflow, state) !== undefined
}

/** Only a yes leads on; but nobody is kept at a step for ever. */
export function judgeTurn(state: SessionState, report: WorkflowJudged, stamp: Stamp): Decision {
  const { turn } = state
  if (turn?.id !== report.turnId || !turn.over) return refused({ code: "report.stale" })
  const ended = { type: "turn.ended", turnId: turn.id, reason: "done" } as const
  const step = currentStep(stamp.workflow, state)
  if (step === undefined) return accepted(ended)
  const { turnId, verdict, model, usage, costUsd } = report
  const before = state.workflow?.step === step.id ? state.workflow.held : 0
  const leadsOn = verdict === "yes" || before + 1 >= limits.heldTurns
  const where = leadsOn ? { next: stepAfter(stamp.workflow, step), held: 0 } : { next: step.id, held: before + 1 }
  return accepted({ type: "workflow.judged", turnId, step: step.id, verdict, ...where, model, usage, costUsd }, ended)
}

export function moved(state: SessionState, { next, held }: EventOf<"workflow.judged">): SessionState {
  return { ...state, workflow: { step: next, held } }
}

function stepAfter(workflow: Workflow | undefined, { id, next }: WorkflowStep): string | undefined {
  const steps = workflow?.steps ?? []
  return next ?? steps[steps.findIndex((step) => step.id === id) + 1]?.id
}
