// Finds a request that was answered already, so that a late answer can report by whom. Searches every session: this is
// the path of a mistake or a race.
import type { Refusal } from "../../contract/refusals.ts"
import type { EventLog } from "../../log/event-log.ts"
import { findByPrefix } from "../find-by-prefix.ts"
import { readFolds } from "../../runner/read-folds.ts"
import { listSessions } from "../../app/sessions/sessions.ts"

export async function settledApproval(log: EventLog, wanted: string): Promise<Refusal | undefined> {
  for (const { row } of await listSessions(log)) {
    const folds = await readFolds(log, row.sessionId)
    if (folds.kind === "refused") continue // `approvals` reports it
    const found = findByPrefix(folds.value.state.approvals, "apr_", wanted, ({ id }) => id)
    if (found.kind !== "one" || found.item.outcome === undefined) continue
    const { id: approvalId, outcome, by } = found.item
    return { code: "approval.settled", approvalId, outcome, by }
  }
  return undefined
}
