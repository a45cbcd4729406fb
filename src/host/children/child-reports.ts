// What parent and child tell each other while both are open. To the parent: approval requests of the child's subtree and
// their decisions as events, its activity as live deltas; reporting twice is harmless. To the child: a raised budget.
import type { Recorded } from "../../contract/events.ts"
import type { ApprovalId } from "../../contract/ids.ts"
import { requestSubject } from "../../contract/rules/call-requests.ts"
import type { WatchItem } from "../../contract/host-port.ts"
import type { SessionContext } from "../../runner/session-context.ts"
import { currentActivity } from "../../session/activity.ts"
import type { RunnerReport } from "../../session/report.ts"
import { findCall } from "../../session/state.ts"
import { openApprovals } from "../../features/approvals/state.ts"
import { openChildApprovals } from "../../features/agent-tree/state.ts"
import type { By } from "../../contract/values.ts"

/** Returns the unsubscribe function. */
export function reportToParent(parent: SessionContext, child: SessionContext): () => void {
  let lastActivity = ""
  const onItem = (item: WatchItem) => {
    if (item.kind !== "event") return
    const report = reportOf(child, item.recorded)
    if (report !== undefined) sendReport(parent, report)
    const now = currentActivity(child.state)
    if (now !== lastActivity) parent.publish({ type: "child.progressed", childId: child.id, status: now })
    lastActivity = now
  }
  const stop = child.watch(onItem)
  for (const report of missedAnswers(parent, child)) sendReport(parent, report)
  void reportMissedRequests(parent, child).catch((fault: unknown) => warn(parent, fault))
  return stop
}

function sendReport(parent: SessionContext, report: RunnerReport): void {
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
      const { type: _, callId, connection: _connection, ...question } = event
      const input = requestSubject(event)?.input ?? findCall(child.state, callId)?.input
      if (input === undefined || !isOpen(child, event.approvalId)) return undefined
      return { type: "child-asked", childId, sessionId: childId, input, ...question }
    }
    case "approval.decided": {
      const { approvalId, outcome, by, answer } = event
      return { type: "child-answered", childId, approvalId, outcome, by, answer }
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
async function reportMissedRequests(parent: SessionContext, child: SessionContext): Promise<void> {
  const reportedIds = new Set(parent.state.childApprovals.map(({ id }) => id))
  for (const { id, seq } of [...openApprovals(child.state), ...openChildApprovals(child.state)]) {
    if (reportedIds.has(id)) continue
    const read = await child.services.log.read(child.id, seq - 1, 1)
    const request = read.kind === "ok" ? read.value[0] : undefined
    const report = request === undefined ? undefined : reportOf(child, request)
    if (report !== undefined) sendReport(parent, report)
  }
}

function missedAnswers(parent: SessionContext, child: SessionContext): readonly RunnerReport[] {
  const settled = [...child.state.approvals, ...child.state.childApprovals]
  return openChildApprovals(parent.state, child.id)
    .filter(({ id }) => !isOpen(child, id))
    .map(({ id }) => {
      const { outcome = "void", by } = settled.find((approval) => approval.id === id) ?? {}
      return { type: "child-answered", childId: child.id, approvalId: id, outcome, by }
    })
}

/** So that a child that is parked for its budget resumes. Returns the unsubscribe function. */
export function forwardBudget(parent: SessionContext, child: SessionContext, by: By): () => void {
  const forward = () => {
    const { budget } = parent.state
    if (isSame(budget, child.state.budget)) return
    child.send({ type: "raise-budget", budget }, by).catch((fault: unknown) => {
      parent.services.warn(`a child did not receive its budget: ${String(fault)}`, parent.id)
    })
  }
  const stop = parent.watch((item) => {
    if (item.kind === "event" && item.recorded.event.type === "budget.raised") forward()
  })
  forward() // raised while the child was closed
  return stop
}

function isSame(one: SessionContext["state"]["budget"], other: SessionContext["state"]["budget"]): boolean {
  return one.usd === other.usd && one.tokens === other.tokens
}
