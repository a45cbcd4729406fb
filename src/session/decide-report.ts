// What the runner's results mean for the session. A result of work that has ended in the meantime is stale.
import type { SessionEvent } from "../contract/events.ts"
import type { CompactionId, StepId } from "../contract/ids.ts"
import { adoptTurn } from "./adoption.ts"
import { askApproval, expireApproval } from "../features/approvals/decide.ts"
import { childAnswered, childAsked, childDetached, childEnded, childReported } from "../features/agent-tree/decide.ts"
import { accepted, refused, type Decision, type Stamp } from "./decision.ts"
import { raiseEscalation } from "./escalation.ts"
import { expireInteraction, requestInteraction } from "./interactions.ts"
import { continuedStep, recover } from "./recover.ts"
import type {
  Ask,
  AnswerPart,
  CalledPart,
  CallReady,
  CallSettled,
  Compacted,
  Judged,
  ModelAnswered,
  ModelFailed,
  Retrieved,
  RunnerReport,
  TurnBlocked,
} from "./report.ts"
import { findCall, type CallState, type SessionState, type StepState } from "./state.ts"
import { cutOffText } from "./stopping.ts"
import { codeFailed, codePrepared, codeSent, expireVerification, offerCode, parkForCode } from "./verification.ts"
import { fixedReplies, judgeTurn } from "./workflow.ts"

const stale = refused({ code: "report.stale" })

export function decideReport(state: SessionState, report: RunnerReport, stamp: Stamp): Decision {
  switch (report.type) {
    case "recover":
      return accepted(...recover(state, report.evidence, stamp))
    case "adopt":
      return accepted(...adoptTurn(state, report, stamp))
    case "retrieved":
      return retrieved(state, report)
    case "context-full":
      return compactFor(state, report.stepId, stamp)
    case "model-answered":
      return modelAnswered(state, report, stamp)
    case "model-failed":
      return modelFailed(state, report, stamp)
    case "answer-cut":
      return askingStep(state, report.stepId) === undefined ? stale : accepted(...continuedStep(state, stamp))
    case "turn-blocked":
      return parkTurn(state, report, stamp)
    case "workflow-judged":
      return judgeTurn(state, report, stamp)
    case "judged":
      return judged(state, report, stamp)
    case "call-ready":
      return callReady(state, report, stamp)
    case "call-interacts":
      return requestInteraction(state, report, stamp)
    case "call-settled":
      return callSettled(state, report)
    case "approval-expired":
      return expireApproval(state, report.approvalId, stamp)
    case "interaction-expired":
      return expireInteraction(state, report.interactionId, stamp)
    case "code-offered":
      return offerCode(state, report, stamp)
    case "code-prepared":
      return codePrepared(state, report)
    case "code-sent":
      return codeSent(state, report.verificationId)
    case "code-failed":
      return codeFailed(state, report)
    case "verification-expired":
      return expireVerification(state, report.verificationId, stamp)
    case "park-elapsed":
      if (state.turn?.id !== report.turnId || state.turn.parked === undefined) return stale
      return accepted({ type: "turn.resumed", turnId: report.turnId })
    case "compacted":
      return compacted(state, report)
    case "compaction-failed":
      return compactionFailed(state, report.compactionId, report.error)
    case "child-reported":
      return childReported(state, report.childId, report.status)
    case "child-asked":
      return childAsked(state, report)
    case "child-answered":
      return childAnswered(state, report)
    case "child-detached":
      return childDetached(state, report.childId)
    case "child-ended":
      return childEnded(state, report)
  }
}

/** The open step, if it is this one and its model has not answered yet. */
function askingStep(state: SessionState, stepId: StepId): StepState | undefined {
  const step = state.turn?.step
  return step?.id === stepId && !step.answered ? step : undefined
}

function retrieved(state: SessionState, { stepId, query, passages }: Retrieved): Decision {
  if (state.turn === undefined || askingStep(state, stepId) === undefined) return stale
  return accepted({ type: "context.retrieved", turnId: state.turn.id, query, passages: [...passages] })
}

function compactFor(state: SessionState, stepId: StepId, stamp: Stamp): Decision {
  if (askingStep(state, stepId) === undefined || state.compaction !== undefined) return stale
  return accepted({ type: "compaction.started", compactionId: `cmp_${stamp.id}`, why: "context-full" })
}

function modelAnswered(state: SessionState, report: ModelAnswered, stamp: Stamp): Decision {
  if (askingStep(state, report.stepId) === undefined) return stale
  const { stepId, model, finish, usage, costUsd, aside, votes } = report
  const parts = withReplies(report.parts, fixedReplies(state, stamp))
  return accepted(...parts.flatMap((part) => partEvents(stepId, part)), {
    type: "response.ended",
    stepId,
    model,
    finish,
    usage,
    costUsd,
    ...(aside === undefined ? {} : { aside }),
    ...(votes === undefined ? {} : { votes }),
  })
}

/** Those that the workflow fixes stand beside the last words of a turn. */
function withReplies(parts: readonly AnswerPart[], replies: string[] | undefined): readonly AnswerPart[] {
  if (replies === undefined || parts.some(({ kind }) => kind === "call")) return parts
  const last = parts.findLast(({ kind }) => kind === "text")
  return parts.map((part) => (part === last && part.kind === "text" ? { ...part, suggestions: replies } : part))
}

function partEvents(stepId: StepId, part: AnswerPart): readonly SessionEvent[] {
  if (part.kind === "call") return callEvents(stepId, part)
  const { block, text } = part
  if (part.kind === "text") return [{ type: "text.ended", stepId, block, text, suggestions: part.suggestions }]
  return [{ type: "reasoning.ended", stepId, block, text, providerMetadata: part.providerMetadata }]
}

function callEvents(stepId: StepId, part: CalledPart): readonly SessionEvent[] {
  const { callId, tool, input, problem, providerMetadata } = part
  const called = { type: "tool.called", stepId, callId, tool, input, providerMetadata } as const
  return problem === undefined ? [called] : [called, { type: "tool.refused", callId, by: "input", reason: problem }]
}

function modelFailed(state: SessionState, { stepId, error, code }: ModelFailed, stamp: Stamp): Decision {
  if (state.turn === undefined || askingStep(state, stepId) === undefined) return stale
  const ended = { type: "turn.ended", turnId: state.turn.id, reason: "failed", error } as const
  return accepted(...cutOffText(state, stamp), code === undefined ? ended : { ...ended, code })
}

function parkTurn(state: SessionState, report: TurnBlocked, stamp: Stamp): Decision {
  const { stepId, why, message, until, waitsFor } = report
  if (state.turn === undefined || askingStep(state, stepId) === undefined) return stale
  const waits = waitsFor === undefined ? {} : { waitsFor }
  const parked = { type: "turn.parked", turnId: state.turn.id, why, message, until, ...waits } as const
  return accepted(...continuedStep(state, stamp), parked)
}

function judged(state: SessionState, { callId, verdict }: Judged, stamp: Stamp): Decision {
  const call = findCall(state, callId)
  const refusable = verdict.kind === "refuse" && call?.phase === "approved"
  if (call === undefined || (call.phase !== "called" && !refusable)) return stale
  if (verdict.kind === "refuse") {
    const { by, reason, level } = verdict
    return accepted({ type: "tool.refused", callId, by, reason, ...(level === undefined ? {} : { level }) })
  }
  if (verdict.kind === "verify") return parkForCode(state, call, verdict, stamp)
  if (verdict.kind === "modify")
    return accepted({ type: "tool.modified", callId, by: verdict.by, input: verdict.input })
  return askApproval(call, withUnsettled(state, call, verdict), stamp)
}

/** The person who is asked anyway also answers for an outcome that is unknown. */
function withUnsettled({ unsettledTools }: SessionState, { tool }: CallState, ask: Ask): Ask {
  if (!unsettledTools.includes(tool)) return ask
  return { ...ask, reason: `${ask.reason} ${unknownOutcome(tool)}`, causes: [...ask.causes, "unsettled"] }
}

function unknownOutcome(tool: string): string {
  return `The outcome of an earlier ${tool} call is unknown.`
}

/** The last gate: what was approved is what runs, and a tool with an unknown outcome behind it is not trusted. */
function callReady(state: SessionState, report: CallReady, stamp: Stamp): Decision {
  const call = findCall(state, report.callId)
  if (call === undefined || call.phase === "asked" || !mayStart(call, report)) return stale
  if (call.approvedDigest !== undefined && call.approvedDigest !== report.digest) {
    const reason = "Its arguments are not the ones that were approved."
    return accepted({ type: "tool.refused", callId: call.id, by: "approvals", reason })
  }
  if (call.approvedDigest === undefined && state.unsettledTools.includes(call.tool)) {
    const { digest, waitMs } = report
    const ask = { kind: "ask", reason: unknownOutcome(call.tool), audience: "driver", causes: ["unsettled"] } as const
    return askApproval(call, { ...ask, digest, waitMs }, stamp)
  }
  return accepted({
    type: "tool.started",
    callId: call.id,
    class: report.class,
    digest: report.digest,
    idempotencyKey: call.id, // the same after a restart
    process: report.process,
    ...(report.locks === undefined || report.locks.length === 0 ? {} : { locks: [...report.locks] }),
  })
}

/** A started call starts again only after a crash, and only if repeating it is harmless. */
function mayStart(call: CallState, report: CallReady): boolean {
  return call.phase !== "started" || (call.started?.class !== "unsafe" && report.class !== "unsafe")
}

function callSettled(state: SessionState, report: CallSettled): Decision {
  const { callId, outcome, output, details, citations, untrustedSource } = report
  if (findCall(state, callId)?.phase !== "started") return stale
  const ended = {
    type: "tool.ended",
    callId,
    outcome,
    output,
    details,
    ...(citations === undefined ? {} : { citations: [...citations] }),
    ...(untrustedSource === undefined ? {} : { untrustedSource }),
  } as const
  return accepted(ended, ...raiseEscalation(state, report))
}

function compacted(state: SessionState, report: Compacted): Decision {
  const { compactionId, summary, upToSeq, keeps = [], usage, costUsd } = report
  if (state.compaction !== compactionId) return stale
  const kept = keeps.length === 0 ? {} : { keeps: [...keeps] }
  return accepted({ type: "context.compacted", compactionId, summary, upToSeq, ...kept, usage, costUsd })
}

/** A turn that waits for room in the context cannot go on without it. */
function compactionFailed(state: SessionState, compactionId: CompactionId, error: string): Decision {
  if (state.compaction !== compactionId) return stale
  const failed = { type: "compaction.failed", compactionId, error } as const
  if (state.turn === undefined) return accepted(failed)
  const why = `The context is full and could not be compacted: ${error}`
  return accepted(failed, { type: "turn.ended", turnId: state.turn.id, reason: "failed", error: why })
}
