// Pending approval requests of all sessions, read without opening one. An unreadable session is named and skipped.
import type { EventOf, Recorded } from "../../contract/events.ts"
import type { ApprovalId } from "../../contract/ids.ts"
import { requestSubject } from "../../contract/rules/call-requests.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { JsonValue } from "../../contract/values.ts"
import { ok, type EventLog, type Outcome, type SessionRow } from "../../log/event-log.ts"
import { readStatus } from "../../projection/status.ts"
import { eventsBackwards, readFolds } from "../../runner/read-folds.ts"
import type { SessionFolds } from "../../runner/snapshot.ts"
import { findCall } from "../../session/state.ts"
import { openApprovals } from "../../features/approvals/state.ts"

export interface OpenRequest {
  readonly row: SessionRow
  readonly request: EventOf<"approval.requested">
  readonly askedAt: number
  /** As stored: a secret among them is a placeholder. */
  readonly input: JsonValue
}

export interface OpenRequests {
  readonly requests: readonly OpenRequest[]
  readonly unreadable: readonly Refusal[]
}

export async function openRequests(log: EventLog): Promise<Outcome<OpenRequests>> {
  const listed = await log.list()
  if (listed.kind === "refused") return listed
  const waitingRows = listed.value.filter(({ summary }) => (readStatus(summary)?.openApprovals ?? 0) > 0)
  const requests: OpenRequest[] = []
  const unreadable: Refusal[] = []
  for (const row of waitingRows) {
    const found = await requestsOf(log, row)
    if (found.kind === "ok") requests.push(...found.value)
    else unreadable.push(found.refusal)
  }
  return ok({ requests: requests.toSorted((one, other) => one.askedAt - other.askedAt), unreadable })
}

async function requestsOf(log: EventLog, row: SessionRow): Promise<Outcome<readonly OpenRequest[]>> {
  const folds = await readFolds(log, row.sessionId)
  if (folds.kind === "refused") return folds
  const openIds = new Set(openApprovals(folds.value.state).map(({ id }) => id))
  const found: OpenRequest[] = []
  for await (const next of openIds.size === 0 ? [] : eventsBackwards(log, row.sessionId, folds.value.state.seq)) {
    if (next.kind === "refused") return next
    const request = requestIn(next.value, openIds, folds.value, row)
    if (request !== undefined) found.push(request)
    if (found.length === openIds.size) break
  }
  return ok(found)
}

function requestIn(
  { event, at }: Recorded,
  openIds: ReadonlySet<ApprovalId>,
  { state }: SessionFolds,
  row: SessionRow,
): OpenRequest | undefined {
  if (event.type !== "approval.requested" || !openIds.has(event.approvalId)) return undefined
  const input = requestSubject(event)?.input ?? findCall(state, event.callId)?.input ?? null
  return { row, request: event, askedAt: at, input }
}
