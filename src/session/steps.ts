// Reports about the model call of a step, and compaction: the older part of the context is replaced by a summary. A
// report about a step or compaction that has ended is stale.
import type { CommandOf } from "../contract/commands.ts"
import type { SessionEvent } from "../contract/events.ts"
import type { StepId } from "../contract/ids.ts"
import { accepted, refused, stale, type Decision, type Stamp } from "./decision.ts"
import { features } from "./features.ts"
import { continuedStep, cutOffText } from "./recover.ts"
import type { AnswerPart, CalledPart, ModelAnswered, ModelFailed, ReportOf, Retrieved, TurnBlocked } from "./report.ts"
import { isBusy, type SessionState, type StepState } from "./state.ts"

/** The open step, if it is this one and its model has not answered yet. */
function openStep(state: SessionState, stepId: StepId): StepState | undefined {
  const step = state.turn?.step
  return step?.id === stepId && !step.answered ? step : undefined
}

export function retrieved(state: SessionState, { stepId, query, passages }: Retrieved): Decision {
  if (state.turn === undefined || openStep(state, stepId) === undefined) return stale
  return accepted({ type: "context.retrieved", turnId: state.turn.id, query, passages: [...passages] })
}

export function modelAnswered(state: SessionState, report: ModelAnswered, stamp: Stamp): Decision {
  if (openStep(state, report.stepId) === undefined) return stale
  const { stepId, model, finish, usage, costUsd, aside, votes, environment } = report
  const parts = features.reduce<readonly AnswerPart[]>(
    (all, feature) => feature.completeAnswer?.(state, all, stamp) ?? all,
    report.parts,
  )
  return accepted(...parts.flatMap((part) => partEvents(stepId, part)), {
    type: "response.ended",
    stepId,
    model,
    finish,
    usage,
    costUsd,
    ...(aside === undefined ? {} : { aside }),
    ...(votes === undefined ? {} : { votes }),
    ...(environment === undefined ? {} : { environment }),
  })
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

export function modelFailed(state: SessionState, { stepId, error, code }: ModelFailed, stamp: Stamp): Decision {
  if (state.turn === undefined || openStep(state, stepId) === undefined) return stale
  const ended = { type: "turn.ended", turnId: state.turn.id, reason: "failed", error } as const
  return accepted(...cutOffText(state, stamp), code === undefined ? ended : { ...ended, code })
}

export function answerCut(state: SessionState, { stepId }: ReportOf<"answer-cut">, stamp: Stamp): Decision {
  return openStep(state, stepId) === undefined ? stale : accepted(...continuedStep(state, stamp))
}

/** The step stays open, and its model is called again: the other one. */
export function replaceModel(state: SessionState, report: ReportOf<"model-overloaded">): Decision {
  const { stepId, model, reason } = report
  if (state.turn === undefined || openStep(state, stepId) === undefined) return stale
  const { id: turnId, model: from } = state.turn
  return accepted({ type: "model.replaced", turnId, stepId, from, model, reason })
}

export function parkTurn(state: SessionState, report: TurnBlocked, stamp: Stamp): Decision {
  const { stepId, why, message, until, waitsFor } = report
  if (state.turn === undefined || openStep(state, stepId) === undefined) return stale
  const waits = waitsFor === undefined ? {} : { waitsFor }
  const parked = { type: "turn.parked", turnId: state.turn.id, why, message, until, ...waits } as const
  return accepted(...continuedStep(state, stamp), parked)
}

export function parkElapsed({ turn }: SessionState, { turnId }: ReportOf<"park-elapsed">): Decision {
  if (turn?.id !== turnId || turn.parked === undefined) return stale
  return accepted({ type: "turn.resumed", turnId })
}

export function resumeTurn({ turn }: SessionState, { by }: Stamp): Decision {
  if (turn?.parked === undefined) return refused({ code: "turn.not-parked" })
  return accepted({ type: "turn.resumed", turnId: turn.id, by })
}

export function startCompaction(state: SessionState, { focus }: CommandOf<"compact">, stamp: Stamp): Decision {
  if (isBusy(state)) return refused({ code: "session.busy" })
  const started = { type: "compaction.started", compactionId: `cmp_${stamp.id}`, why: "asked" } as const
  return accepted(focus === undefined ? started : { ...started, focus })
}

export function contextFull(state: SessionState, { stepId }: ReportOf<"context-full">, stamp: Stamp): Decision {
  if (openStep(state, stepId) === undefined || state.compaction !== undefined) return stale
  return accepted({ type: "compaction.started", compactionId: `cmp_${stamp.id}`, why: "context-full" })
}

export function compacted(state: SessionState, report: ReportOf<"compacted">): Decision {
  const { compactionId, summary, upToSeq, keeps = [], usage, costUsd } = report
  if (state.compaction !== compactionId) return stale
  const kept = keeps.length === 0 ? {} : { keeps: [...keeps] }
  return accepted({ type: "context.compacted", compactionId, summary, upToSeq, ...kept, usage, costUsd })
}

/** A turn that waits for room in the context cannot continue without it. */
export function compactionFailed(state: SessionState, report: ReportOf<"compaction-failed">): Decision {
  const { compactionId, error } = report
  if (state.compaction !== compactionId) return stale
  const failed = { type: "compaction.failed", compactionId, error } as const
  if (state.turn === undefined) return accepted(failed)
  const why = `The context is full and could not be compacted: ${error}`
  return accepted(failed, { type: "turn.ended", turnId: state.turn.id, reason: "failed", error: why })
}
