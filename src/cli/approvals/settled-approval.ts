// What became of a request that no longer waits, so that a late answer is told who decided. Looks into every session:
// this is the way of a mistake or a race, not of an ordinary answer.
import type { Refusal } from "../../contract/refusals.ts"
import type { EventLog } from "../../log/event-log.ts"
import { findByPrefix } from "../find-by-prefix.ts"
import { readFolds } from "../../runner/read-folds.ts"
import { listSessions } from "../../app/sessions/sessions.ts"

export async function settledApproval(log: EventLog, wanted: string): Promise<Refusal | undefined> {
  for (const { row } of await listSessions(log)) {
    const folds = await readFolds(log, row.sessionId)
    if (folds.kind === "refused") continue // it is named where what waits is listed
    const found = findByPrefix(folds.value.state.approvals, "apr_", wanted, ({ id }) => id)
    if (found.kind !== "one" || found.item.outcome === undefined) continue
    const { id: approvalId, outcome, by } = found.item
    return { code: "approval.settled", approvalId, outcome, by }
  }
  return undefined
}
