// The workflow of an agent: the current step of the conversation, and where a judgement leads. The step is stored; the
// workflow itself comes from the configuration with every decision, so that a changed one applies at once. A turn with
// an answer does not end before its step was judged.
import type { Workflow } from "../../../contract/config.ts"
import { limits } from "../../../contract/limits.ts"
import { accepted, stale, type Decision, type Stamp } from "../../../session/decision.ts"
import type { Feature } from "../../../session/feature.ts"
import type { AnswerPart } from "../../../session/report.ts"
import type { SessionState } from "../../../session/state.ts"
import type { WorkflowReport, WorkflowState } from "./state.ts"

export type WorkflowStep = Workflow["steps"][number]

export const workflow = {
  initial: { workflow: undefined },
  reports: { "workflow-judged": judgeTurn },
  evolve: { "workflow.judged": (_, { next, held }) => ({ workflow: { step: next, held } }) },
  progress: ["workflow.judged"],
  holdsTurn: (state, stamp) => state.turn?.over === true && currentStep(stamp.workflow, state) !== undefined,
  turnEffects: ({ turn }) =>
    turn?.over === true ? [{ type: "judge", id: `judge:${turn.id}`, turnId: turn.id }] : undefined,
  completeAnswer: addFixedReplies,
} satisfies Feature<WorkflowState>

/** Undefined without a workflow and after its last step. A step that was removed from the workflow is the first one. */
export function currentStep(steps: Workflow | undefined, { workflow: at }: SessionState): WorkflowStep | undefined {
  if (steps === undefined || (at !== undefined && at.step === undefined)) return undefined
  return steps.steps.find(({ id }) => id === at?.step) ?? steps.steps[0]
}

/** Only "yes" completes a step, but a conversation stays at a step for a limited number of turns. */
function judgeTurn(state: SessionState, report: WorkflowReport, stamp: Stamp): Decision {
  const { turn } = state
  if (turn?.id !== report.turnId || !turn.over) return stale
  const ended = { type: "turn.ended", turnId: turn.id, reason: "done" } as const
  const step = currentStep(stamp.workflow, state)
  if (step === undefined) return accepted(ended)
  const { turnId, verdict, model, usage, costUsd } = report
  const heldBefore = state.workflow?.step === step.id ? state.workflow.held : 0
  const isDone = verdict === "yes" || heldBefore + 1 >= limits.heldTurns
  const position = isDone ? { next: stepAfter(stamp.workflow, step), held: 0 } : { next: step.id, held: heldBefore + 1 }
  return accepted(
    { type: "workflow.judged", turnId, step: step.id, verdict, ...position, model, usage, costUsd },
    ended,
  )
}

function stepAfter(steps: Workflow | undefined, { id, next }: WorkflowStep): string | undefined {
  const all = steps?.steps ?? []
  return next ?? all[all.findIndex((step) => step.id === id) + 1]?.id
}

/** The step's quick replies belong to the last text of a turn. */
function addFixedReplies(
  state: SessionState,
  parts: readonly AnswerPart[],
  { workflow: steps }: Stamp,
): readonly AnswerPart[] | undefined {
  const replies = currentStep(steps, state)?.quickReplies
  if (replies === undefined || parts.some(({ kind }) => kind === "call")) return undefined
  const last = parts.findLast(({ kind }) => kind === "text")
  return parts.map((part) => (part === last && part.kind === "text" ? { ...part, suggestions: replies } : part))
}
