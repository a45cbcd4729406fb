// The one fold of a session's events into the state that decisions are made on. Pure; an arm per event. Bounded: what
// could grow with the history (prompt ids, settled approvals) is cut to a limit here.
import type { EventOf, Recorded, SessionEvent } from "../contract/events.ts"
import type { ApprovalId } from "../contract/ids.ts"
import { limits } from "../contract/limits.ts"
import type { Grant, Usage } from "../contract/values.ts"
import { treeDoor } from "../contract/tree-door.ts"
import { promptDigest, referenceDigest } from "./digest.ts"
import { evolveChildren } from "../features/agent-tree/evolve.ts"
import { remembered } from "./remembered.ts"
import { leavePlan } from "../features/plan-mode/decide.ts"
import { rest } from "../features/rewinding/evolve.ts"
import { withCall, withStep, withTurn } from "./turn-changes.ts"
import { escalated } from "./escalation.ts"
import { evolveVerification, refusedTo } from "./evolve-verification.ts"
import { heard, introduced, visited } from "./visits.ts"
import { moved } from "./workflow.ts"
import { findCall } from "./state.ts"
import type { ApprovalState, CallState, SessionState, StepState, TurnState } from "./state.ts"

export function evolve(state: SessionState, { seq, event }: Recorded): SessionState {
  return rest({ ...fold(state, event), seq }, event)
}

function fold(state: SessionState, event: SessionEvent): SessionState {
  switch (event.type) {
    case "session.created":
      return created(state, event)
    case "session.reopened":
      return { ...state, life: "open", endsWhenIdle: false, endsForParent: false }
    case "session.aliased":
      return state
    case "session.orphaned":
      return orphaned(state)
    case "session.hibernated":
      return { ...state, asleep: true }
    case "session.woken":
      return { ...state, asleep: false }
    case "session.renamed":
      return { ...state, name: event.name }
    case "session.ending":
      return { ...state, endsWhenIdle: true, endsForParent: event.by.door === treeDoor }
    case "session.kept":
      return { ...state, endsWhenIdle: false }
    case "session.ended":
      return { ...leavePlan(state), life: "ended", asleep: false, escalation: undefined }
    case "visit.opened":
      return visited(state, event)
    case "prompt.admitted":
      return admitted(state, event)
    case "prompt.promoted":
      return promoted(state, event)
    case "prompt.withdrawn":
      return { ...state, waiting: state.waiting.filter((prompt) => prompt.promptId !== event.promptId) }
    case "turn.started":
      return { ...state, turn: newTurn(state, event) }
    case "turn.parked":
      return withTurn(state, { parked: { why: event.why, until: event.until, waitsFor: event.waitsFor } })
    case "turn.resumed":
      return withTurn(state, { parked: undefined, adoptions: 0 })
    case "turn.adopted":
      return withTurn(state, { adoptions: event.attempt })
    case "turn.ended":
      return { ...state, turn: undefined }
    case "step.started":
      return stepStarted(state, event)
    case "text.ended":
    case "reasoning.ended":
      return state
    case "response.ended":
      return progressed(paid(withTurn(withStep(state, { answered: true }), { finish: event.finish }), event))
    case "step.ended":
      return withTurn(state, { step: undefined, over: state.turn?.step?.calls.length === 0 })
    case "tool.called":
      return called(state, event)
    case "tool.modified":
      return withCall(state, event.callId, { input: event.input, modified: true, approvedDigest: undefined })
    case "tool.started":
      return toolStarted(state, event)
    case "tool.ended":
      return progressed(
        withCall(tainted(heard(state, event), event.untrustedSource), event.callId, { phase: "settled" }),
      )
    case "tool.refused":
      return progressed(withCall(refusedTo(state, event), event.callId, { phase: "settled" }))
    case "tool.unsettled":
      return unsettled(state, event)
    case "approval.requested":
      return requested(state, event)
    case "approval.decided":
      return progressed(decided(state, event))
    case "interaction.requested":
      return asked(state, event)
    case "interaction.answered":
      return answered(state, event)
    case "visit.verified":
    case "verification.requested":
    case "verification.prepared":
    case "verification.sent":
    case "verification.failed":
      return evolveVerification(state, event)
    case "escalation.raised":
      return escalated(state, event)
    case "escalation.settled":
      return { ...state, escalation: undefined }
    case "workflow.judged":
      return progressed(spend(moved(state, event), event.usage, event.costUsd))
    case "policy.granted":
      return { ...state, grants: [...state.grants, grantOf(event)] }
    case "policy.revoked":
      return { ...state, grants: state.grants.filter((grant) => grant.grantId !== event.grantId) }
    case "compaction.started":
      return {
        ...withStep(state, { compactions: (state.turn?.step?.compactions ?? 0) + 1 }),
        compaction: event.compactionId,
      }
    case "compaction.failed":
      return { ...state, compaction: undefined }
    case "context.compacted":
      return progressed({ ...spend(state, event.usage, event.costUsd), compaction: undefined })
    case "context.retrieved":
      return tainted(state, `documents: ${event.passages.map(({ title }) => title).join(", ")}`)
    case "context.cleared":
      return { ...state, taintedBy: undefined, leftPlan: undefined }
    case "context.rewound":
      return { ...state, taintedBy: undefined }
    case "context.marked":
      return { ...state, marks: [...state.marks, { name: event.name, toSeq: event.toSeq }] }
    case "model.selected":
      return { ...state, model: event.model }
    case "tools.selected":
      return { ...state, toolMode: event.mode }
    case "voting.selected":
      return { ...state, voting: event.voting }
    case "plan.entered":
      return { ...state, plan: { id: event.planId, focus: event.focus }, leftPlan: undefined }
    case "plan.exited":
      return leavePlan(state)
    case "budget.raised":
      return { ...state, budget: event.budget }
    case "task.added":
      return { ...state, taskCount: event.task }
    case "task.changed":
      return state
    case "child.spawned":
    case "child.reported":
    case "child.asked":
    case "child.answered":
    case "child.detached":
    case "child.ended":
    case "children.signalled":
      return evolveChildren(state, event)
  }
}

function created(state: SessionState, event: EventOf<"session.created">): SessionState {
  const { name, model, toolMode, budget } = event
  return { ...state, created: event, life: "open", name, model, toolMode, budget }
}

/** Depth, budget and whose wishes count follow from having no parent. */
function orphaned(state: SessionState): SessionState {
  if (state.created === undefined) return state
  const { parent: _, ...root } = state.created
  const endsWhenIdle = state.endsWhenIdle && !state.endsForParent
  return { ...state, created: root, endsWhenIdle, endsForParent: false }
}

/** Text from outside is in the context from here on. */
function tainted(state: SessionState, source: string | undefined): SessionState {
  return source === undefined ? state : { ...state, taintedBy: source }
}

/** Something was finished that a takeover will not have to do again. */
function progressed(state: SessionState): SessionState {
  return withTurn(state, { adoptions: 0 })
}

function admitted(state: SessionState, event: EventOf<"prompt.admitted">): SessionState {
  const mark = {
    id: event.promptId,
    digest: promptDigest(event),
    seq: state.seq + 1,
    reference: referenceDigest(event.reference),
  }
  const prompts = [...state.prompts, mark].slice(-limits.rememberedPrompts)
  return { ...state, prompts, waiting: [...state.waiting, event] }
}

function promoted(state: SessionState, event: EventOf<"prompt.promoted">): SessionState {
  const prompt = state.waiting.find((waiting) => waiting.promptId === event.promptId)
  const waiting = state.waiting.filter((other) => other !== prompt)
  const isOfAgent = prompt?.by.door === treeDoor // only a person's word makes up for untrusted text
  const taintedBy = prompt?.untrustedSource ?? (isOfAgent ? state.taintedBy : undefined)
  const next = { ...state, waiting, taintedBy, prompts: promotedMarks(state, event) }
  return (prompt?.files ?? []).length === 0 ? next : withTurn(next, { hasFiles: true })
}

/** Until its turn is over, the same words under the same name are the same prompt. */
function promotedMarks(
  { prompts, turn }: SessionState,
  { promptId }: EventOf<"prompt.promoted">,
): SessionState["prompts"] {
  const at = prompts.findLastIndex(({ id }) => id === promptId)
  const mark = prompts[at]
  return mark === undefined || turn === undefined ? prompts : prompts.with(at, { ...mark, turnId: turn.id })
}

function newTurn(state: SessionState, event: EventOf<"turn.started">): TurnState {
  return {
    id: event.turnId,
    planId: event.planId,
    model: event.model ?? state.model,
    voting: state.voting,
    skill: event.skill,
    visitId: event.visitId,
    unverified: undefined,
    hasFiles: false,
    toolMode: state.toolMode,
    steps: 0,
    step: undefined,
    over: false,
    finish: undefined,
    parked: undefined,
    adoptions: 0,
  }
}

function stepStarted(state: SessionState, event: EventOf<"step.started">): SessionState {
  const step: StepState = {
    id: event.stepId,
    continues: event.continues,
    answered: false,
    compactions: 0,
    calls: [],
  }
  return withTurn(state, { step, steps: (state.turn?.steps ?? 0) + 1 })
}

function called(state: SessionState, event: EventOf<"tool.called">): SessionState {
  const call: CallState = {
    id: event.callId,
    tool: event.tool,
    input: event.input,
    phase: "called",
    modified: false,
    approvedDigest: undefined,
    started: undefined,
  }
  return withStep(state, { calls: [...(state.turn?.step?.calls ?? []), call] })
}

function toolStarted(state: SessionState, event: EventOf<"tool.started">): SessionState {
  const started = { class: event.class, process: event.process }
  const tool = findCall(state, event.callId)?.tool
  const unsettledTools = state.unsettledTools.filter((name) => name !== tool)
  return { ...withCall(state, event.callId, { phase: "started", started }), unsettledTools }
}

function unsettled(state: SessionState, event: EventOf<"tool.unsettled">): SessionState {
  const tool = findCall(state, event.callId)?.tool
  const next = withCall(state, event.callId, { phase: "settled" })
  return tool === undefined ? next : { ...next, unsettledTools: [...new Set([...state.unsettledTools, tool])] }
}

function requested(state: SessionState, event: EventOf<"approval.requested">): SessionState {
  const { approvalId, callId, digest, reason, audience, causes, expiresAt } = event
  const approval = {
    id: approvalId,
    callId,
    digest,
    reason,
    audience,
    causes,
    expiresAt,
    outcome: undefined,
    by: undefined,
    seq: state.seq + 1,
  }
  return { ...withCall(state, callId, { phase: "asked" }), approvals: remembered([...state.approvals, approval]) }
}

function decided(state: SessionState, event: EventOf<"approval.decided">): SessionState {
  const approval = state.approvals.find((open) => open.id === event.approvalId)
  const approvals = withApproval(state.approvals, event.approvalId, {
    outcome: event.outcome,
    by: event.by,
    reason: undefined,
  })
  const next = { ...state, approvals }
  if (approval === undefined || event.outcome !== "approved") return next
  return withCall(next, approval.callId, { phase: "approved", approvedDigest: approval.digest })
}

function asked(state: SessionState, event: EventOf<"interaction.requested">): SessionState {
  const { interactionId: id, callId, kind, spec, expiresAt } = event
  const interactions = [...state.interactions, { id, callId, kind, spec, expiresAt }]
  return { ...withCall(state, callId, { phase: "asked" }), interactions }
}

function answered(state: SessionState, event: EventOf<"interaction.answered">): SessionState {
  const open = state.interactions.find(({ id }) => id === event.interactionId)
  const interactions = state.interactions.filter((other) => other !== open)
  const next = progressed({ ...state, interactions })
  const isIntroduction = open?.kind === "identity_intake" && event.outcome === "submitted"
  return isIntroduction ? introduced(next, event.values) : next
}

function grantOf({ grantId, tool, pattern, scope }: EventOf<"policy.granted">): Grant {
  return { grantId, tool, pattern, scope }
}

function paid(state: SessionState, { usage, costUsd, aside }: EventOf<"response.ended">): SessionState {
  return spend(spend(state, usage, costUsd), aside?.usage, aside?.costUsd)
}

function spend(state: SessionState, usage: Usage | undefined, costUsd: number | undefined): SessionState {
  const tokens = state.spent.tokens + (usage ? usage.input + usage.output : 0)
  return { ...state, spent: { usd: state.spent.usd + (costUsd ?? 0), tokens } }
}

function withApproval(approvals: readonly ApprovalState[], id: ApprovalId, change: Partial<ApprovalState>) {
  return approvals.map((approval) => (approval.id === id ? { ...approval, ...change } : approval))
}
