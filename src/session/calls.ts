// Reports about tool calls: the verdict of the gates, that the call is ready to start, and its result.
import { accepted, stale, type Decision, type Stamp } from "./decision.ts"
import { features } from "./features.ts"
import type { CallReady, CallSettled, Judged } from "./report.ts"
import { findCall, type CallState, type SessionState } from "./state.ts"

export function judged(state: SessionState, { callId, verdict }: Judged): Decision {
  const call = findCall(state, callId)
  const refusable = verdict.kind === "refuse" && call?.phase === "approved"
  if (call === undefined || (call.phase !== "called" && !refusable)) return stale
  if (verdict.kind === "modify")
    return accepted({ type: "tool.modified", callId, by: verdict.by, input: verdict.input })
  const { by, reason, level } = verdict
  return accepted({ type: "tool.refused", callId, by, reason, ...(level === undefined ? {} : { level }) })
}

export function callReady(state: SessionState, report: CallReady, stamp: Stamp): Decision {
  const call = findCall(state, report.callId)
  if (call === undefined || call.phase === "asked" || !mayStart(call, report)) return stale
  for (const feature of features) {
    const decision = feature.beforeStart?.(state, call, report, stamp)
    if (decision !== undefined) return decision
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

export function callSettled(state: SessionState, report: CallSettled): Decision {
  const { callId, outcome, output, details, citations, images, untrustedSource } = report
  if (findCall(state, callId)?.phase !== "started") return stale
  const ended = {
    type: "tool.ended",
    callId,
    outcome,
    output,
    details,
    ...(citations === undefined ? {} : { citations: [...citations] }),
    ...(images === undefined ? {} : { images: [...images] }),
    ...(untrustedSource === undefined ? {} : { untrustedSource }),
  } as const
  return accepted(ended, ...features.flatMap((feature) => feature.afterCall?.(state, report) ?? []))
}
