// Decisions about child sessions: which may be spawned, which signals they get, and what follows from their
// reports. When a child ends or detaches, its requests for approval become void.
import type { CommandOf } from "../../contract/commands.ts"
import type { SessionEvent } from "../../contract/events.ts"
import type { SessionId } from "../../contract/ids.ts"
import { limits } from "../../contract/limits.ts"
import { accepted, refused, stale, type Decision, type Stamp } from "../../session/decision.ts"
import type { ReportOf } from "../../session/report.ts"
import type { SessionState } from "../../session/state.ts"
import { openChildApprovals, type ChildAnswered, type ChildAsked, type ChildEnded } from "./state.ts"

/** A session that has ended is reopened. */
export function spawnChild(state: SessionState, command: CommandOf<"spawn">, stamp: Stamp): Decision {
  const {
    childId,
    task,
    reason = "Child agent",
    model,
    thinking,
    cwd,
    system,
    callId,
    worktree,
    tools,
    preset,
    documents,
  } = command
  const { depth, children } = state.created?.limits ?? { depth: 0, children: 0 }
  if ((state.created?.parent?.depth ?? 0) >= depth) return refused({ code: "child.too-deep", limit: depth })
  if (isKnown(state, childId)) return refused({ code: "child.exists", childId })
  if (state.children.length >= children) return refused({ code: "child.too-many", limit: children })
  const bytes = Buffer.byteLength(task ?? "") + Buffer.byteLength(system ?? "")
  if (bytes > limits.promptBytes) return refused({ code: "prompt.too-large", bytes, limit: limits.promptBytes })
  const child = { type: "child.spawned", childId, task, reason, model, thinking, cwd, system, callId } as const
  const spawned = {
    ...child,
    ...(worktree === undefined ? {} : { worktree }),
    ...(tools === undefined ? {} : { tools }),
    ...(preset === undefined ? {} : { preset }),
    ...(documents === undefined ? {} : { documents }),
  }
  return state.life === "ended" ? accepted({ type: "session.reopened", by: stamp.by }, spawned) : accepted(spawned)
}

/** An ended child stays known: it must not be paid for twice. */
function isKnown(state: SessionState, childId: SessionId): boolean {
  if (state.created?.sessionId === childId || isLiveChild(state, childId)) return true
  return state.endedChildren.some((child) => child.id === childId)
}

export function signalChildren(state: SessionState, command: CommandOf<"signal-children">, stamp: Stamp): Decision {
  if (state.children.length === 0) return accepted()
  return accepted({ type: "children.signalled", action: command.action, by: stamp.by })
}

export function orphanSession(state: SessionState, stamp: Stamp): Decision {
  if (state.created?.parent === undefined) return accepted()
  return accepted({ type: "session.orphaned", by: stamp.by })
}

export function childReported(state: SessionState, { childId, status }: ReportOf<"child-reported">): Decision {
  return isLiveChild(state, childId) ? accepted({ type: "child.reported", childId, status }) : stale
}

export function childAsked(state: SessionState, report: ChildAsked): Decision {
  const known = state.childApprovals.some((approval) => approval.id === report.approvalId)
  if (known || !isLiveChild(state, report.childId)) return stale
  return accepted({ ...report, type: "child.asked" })
}

export function childAnswered(state: SessionState, report: ChildAnswered): Decision {
  const open = openChildApprovals(state, report.childId).some((approval) => approval.id === report.approvalId)
  return open ? accepted({ ...report, type: "child.answered" }) : stale
}

export function childDetached(state: SessionState, { childId }: ReportOf<"child-detached">): Decision {
  if (!isLiveChild(state, childId)) return stale
  return accepted(...withdrawnQuestions(state, childId), { type: "child.detached", childId })
}

export function childEnded(state: SessionState, report: ChildEnded): Decision {
  if (!isLiveChild(state, report.childId)) return stale
  return accepted(...withdrawnQuestions(state, report.childId), { ...report, type: "child.ended" })
}

/** Requests of a session that leaves the tree can no longer be answered here. */
function withdrawnQuestions(state: SessionState, childId: SessionId): readonly SessionEvent[] {
  return openChildApprovals(state, childId).map(({ id }) => {
    return { type: "child.answered", childId, approvalId: id, outcome: "void" }
  })
}

function isLiveChild(state: SessionState, childId: SessionId): boolean {
  return state.children.some((child) => child.id === childId)
}
