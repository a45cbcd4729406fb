// What parent and child tell each other while both are open. To the parent: approval requests of the child's subtree and
// their decisions as events, its activity as live deltas; reporting twice is harmless. To the child: a raised budget.
import type { Recorded } from "../../contract/events.ts"
import type { ApprovalId } from "../../contract/ids.ts"
import type { WatchItem } from "../../contract/host-port.ts"
import type { SessionContext } from "../../runner/session-context.ts"
import { currentActivity } from "../../session/activity.ts"
import type { RunnerReport } from "../../session/report.ts"
import { findCall } from "../../session/state.ts"
import { openApprovals } from "../../features/approvals/state.ts"
import { openChildApprovals } from "../../features/agent-tree/state.ts"
import type { By } from "../../contract/values.ts"

/** Returns the unsubscribe function. */
export function bringNews(parent: SessionContext, child: SessionContext): () => void {
  let doing = ""
  const hear = (item: WatchItem) => {
    if (item.kind !== "event") return
    const report = reportOf(child, item.recorded)
    if (report !== undefined) tell(parent, report)
    const now = currentActivity(child.state)
    if (now !== doing) parent.publish({ type: "child.progressed", childId: child.id, status: now })
    doing = now
  }
  const stop = child.watch(hear)
  for (const report of answersMissed(parent, child)) tell(parent, report)
  void questionsMissed(parent, child).catch((fault: unknown) => warn(parent, fault))
  return stop
}

function tell(parent: SessionContext, report: RunnerReport): void {
  parent.report(report).catch((fault: unknown) => warn(parent, fault))
}

function warn(parent: SessionContext, fault: unknown): void {
  parent.services.warn(`a report of a child was lost: ${String(fault)}`, parent.id)
}

/** A request that was decided meanwhile is not reported. */
function reportOf(child: SessionContext, { event }: Recorded): RunnerReport | undefined {
  const childId = child.id
  switch (event.type) {
    case "approval.requested": {
      const { type: _, callId, ...question } = event
      const call = findCall(child.state, callId)
      if (call === undefined || !isOpen(child, event.approvalId)) return undefined
      return { type: "child-asked", childId, sessionId: childId, input: call.input, ...question }
    }
    case "approval.decided": {
      const { approvalId, outcome, by } = event
      return { type: "child-answered", childId, approvalId, outcome, by }
    }
    case "child.asked":
      return isOpen(child, event.approvalId) ? { ...event, type: "child-asked", childId } : undefined
    case "child.answered":
      return { ...event, type: "child-answered", childId }
    case "turn.parked":
      return { type: "child-reported", childId, status: `parked: ${event.message}` }
    default:
      return undefined
  }
}

function isOpen({ state }: SessionContext, approvalId: ApprovalId): boolean {
  return [...openApprovals(state), ...openChildApprovals(state)].some(({ id }) => id === approvalId)
}

/** Requested while the parent was closed. */
async function questionsMissed(parent: SessionContext, child: SessionContext): Promise<void> {
  const heard = new Set(parent.state.childApprovals.map(({ id }) => id))
  for (const { id, seq } of [...openApprovals(child.state), ...openChildApprovals(child.state)]) {
    if (heard.has(id)) continue
    const read = await child.services.log.read(child.id, seq - 1, 1)
    const asked = read.kind === "ok" ? read.value[0] : undefined
    const report = asked === undefined ? undefined : reportOf(child, asked)
    if (report !== undefined) tell(parent, report)
  }
}

function answersMissed(parent: SessionContext, child: SessionContext): readonly RunnerReport[] {
  const settled = [...child.state.approvals, ...child.state.childApprovals]
  return openChildApprovals(parent.state, child.id)
    .filter(({ id }) => !isOpen(child, id))
    .map(({ id }) => {
      const { outcome = "void", by } = settled.find((approval) => approval.id === id) ?? {}
      return { type: "child-answered", childId: child.id, approvalId: id, outcome, by }
    })
}

/** So that a child that is parked for its budget resumes. Returns the unsubscribe function. */
export function passBudgetOn(parent: SessionContext, child: SessionContext, by: By): () => void {
  const pass = () => {
    const { budget } = parent.state
    if (isSame(budget, child.state.budget)) return
    child.send({ type: "raise-budget", budget }, by).catch((fault: unknown) => {
      parent.services.warn(`a child did not receive its budget: ${String(fault)}`, parent.id)
    })
  }
  const stop = parent.watch((item) => {
    if (item.kind === "event" && item.recorded.event.type === "budget.raised") pass()
  })
  pass() // raised while the child was closed
  return stop
}

function isSame(one: SessionContext["state"]["budget"], other: SessionContext["state"]["budget"]): boolean {
  return one.usd === other.usd && one.tokens === other.tokens
}
