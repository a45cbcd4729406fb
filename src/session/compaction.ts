// Compaction: the older part of the context is replaced by a summary, on command or because the context is full.
import { accepted, refused, stale, type Decision, type Stamp } from "./decision.ts"
import type { ReportOf } from "./report.ts"
import { isBusy, type SessionState } from "./state.ts"
import { askingStep } from "./steps.ts"

export function startCompaction(state: SessionState, stamp: Stamp): Decision {
  if (isBusy(state)) return refused({ code: "session.busy" })
  return accepted({ type: "compaction.started", compactionId: `cmp_${stamp.id}`, why: "asked" })
}

export function contextFull(state: SessionState, { stepId }: ReportOf<"context-full">, stamp: Stamp): Decision {
  if (askingStep(state, stepId) === undefined || state.compaction !== undefined) return stale
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
