// Every request for approval that waits in any session of this home, read without opening one. A session that cannot
// be read is named and passed over: it must not hide what waits in the others.
import type { EventOf, Recorded } from "../../contract/events.ts"
import type { ApprovalId } from "../../contract/ids.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { EventLog, Outcome } from "../../log/event-log.ts"
import { ok } from "../../log/outcome.ts"
import type { SessionFolds } from "../../runner/snapshot.ts"
import { findCall, openApprovals } from "../../session/state.ts"
import { eventsBackwards, readFolds } from "../../runner/read-folds.ts"
import { listSessions, type ListedSession } from "../sessions.ts"

export interface OpenRequest {
  readonly session: ListedSession
  readonly request: EventOf<"approval.requested">
  readonly askedAt: number
  /** As they are stored: a secret among them is a placeholder. */
  readonly input: JsonValue
}

export interface OpenRequests {
  readonly requests: readonly OpenRequest[]
  readonly unreadable: readonly Refusal[]
}

export async function openRequests(log: EventLog): Promise<OpenRequests> {
  const asking = (await listSessions(log)).filter(({ status }) => status.openApprovals > 0)
  const requests: OpenRequest[] = []
  const unreadable: Refusal[] = []
  for (const session of asking) {
    const found = await requestsOf(log, session)
    if (found.kind === "ok") requests.push(...found.value)
    else unreadable.push(found.refusal)
  }
  return { requests: requests.toSorted((one, other) => one.askedAt - other.askedAt), unreadable }
}

async function requestsOf(log: EventLog, session: ListedSession): Promise<Outcome<readonly OpenRequest[]>> {
  const { sessionId } = session.row
  const folds = await readFolds(log, sessionId)
  if (folds.kind === "refused") return folds
  const wanted = new Set(openApprovals(folds.value.state).map(({ id }) => id))
  const found: OpenRequest[] = []
  for await (const next of wanted.size === 0 ? [] : eventsBackwards(log, sessionId, folds.value.state.seq)) {
    if (next.kind === "refused") return next
    const request = requestIn(next.value, wanted, folds.value, session)
    if (request !== undefined) found.push(request)
    if (found.length === wanted.size) break
  }
  return ok(found)
}

function requestIn(
  { event, at }: Recorded,
  wanted: ReadonlySet<ApprovalId>,
  { state }: SessionFolds,
  session: ListedSession,
): OpenRequest | undefined {
  if (event.type !== "approval.requested" || !wanted.has(event.approvalId)) return undefined
  return { session, request: event, askedAt: at, input: findCall(state, event.callId)?.input ?? null }
}
