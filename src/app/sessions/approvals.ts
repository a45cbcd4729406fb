// Approval requests and standing permissions of all sessions of a home, read from the log without opening a session.
import type { SessionId } from "../../contract/ids.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { Grant } from "../../contract/values.ts"
import { openRequests, type OpenRequest, type OpenRequests } from "../../host/queries/open-requests.ts"
import type { EventLog } from "../../log/event-log.ts"
import { readFolds } from "../../runner/read-folds.ts"
import { accepted } from "../app-fault.ts"
import { findByPrefix } from "../find-by-prefix.ts"
import { listSessions, type ListedSession } from "./sessions.ts"

export type PendingRequest = OpenRequest

/** Oldest first, with the sessions that could not be read. */
export async function pendingRequests(log: EventLog): Promise<OpenRequests> {
  return accepted(await openRequests(log)).value
}

/**
 * A request that was answered already, so that a late answer can report by whom. Searches every session: this is the path
 * of a mistake or a race.
 */
export async function settledApproval(log: EventLog, idOrPrefix: string): Promise<Refusal | undefined> {
  for (const { row } of await listSessions(log)) {
    const folds = await readFolds(log, row.sessionId)
    if (folds.kind === "refused") continue // `approvals` reports it
    const found = findByPrefix(folds.value.state.approvals, "apr_", idOrPrefix, ({ id }) => id)
    if (found.kind !== "one" || found.item.outcome === undefined) continue
    const { id: approvalId, outcome, by } = found.item
    return { code: "approval.settled", approvalId, outcome, by }
  }
  return undefined
}

export interface StoredGrant {
  readonly grant: Grant
  readonly session: ListedSession
}

export interface StoredGrants {
  readonly grants: readonly StoredGrant[]
  readonly unreadable: readonly Refusal[]
}

/** A permission is stored in the session in which it was given, and revoked there. */
export async function listGrants(log: EventLog): Promise<StoredGrants> {
  const sessions = (await listSessions(log)).filter(({ status }) => status.turns > 0)
  const grants: StoredGrant[] = []
  const unreadable: Refusal[] = []
  for (const session of sessions) {
    const folds = await readFolds(log, session.row.sessionId)
    if (folds.kind === "ok") grants.push(...folds.value.state.grants.map((grant) => ({ grant, session })))
    else unreadable.push(folds.refusal)
  }
  return { grants, unreadable }
}

export async function newestGrant(log: EventLog, sessionId: SessionId): Promise<Grant | undefined> {
  const folds = await readFolds(log, sessionId)
  return folds.kind === "ok" ? folds.value.state.grants.at(-1) : undefined
}
