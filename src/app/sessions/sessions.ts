// Lists the sessions of this home with their status, and finds one by its id, name or alias.
import type { SessionId } from "../../contract/ids.ts"
import { findSession } from "../../host/directory.ts"
import { localOrg } from "../../identity/principal.ts"
import type { EventLog, SessionRow } from "../../log/event-log.ts"
import { noStatus, readStatus, type SessionStatus } from "../../projection/status.ts"
import { AppFault, accepted, exitCodes } from "../app-fault.ts"

export interface ListedSession {
  readonly row: SessionRow
  readonly status: SessionStatus
}

export type SessionOwner = NonNullable<SessionRow["owner"]>

/** A session whose status cannot be read is listed with an empty one. */
export async function listSessions(log: EventLog): Promise<readonly ListedSession[]> {
  const listed = accepted(await log.list())
  return listed.value.map((row) => ({ row, status: readStatus(row.summary) ?? noStatus }))
}

export async function sessionNamed(log: EventLog, wanted: string): Promise<SessionRow> {
  const found = accepted(await findSession(log, wanted))
  return found.value
}

/**
 * The newest session of the folder that is not a child. Sessions of visitors of a server in this folder are excluded:
 * they would read the prompt.
 */
export async function newestIn(log: EventLog, cwd: string): Promise<SessionRow | undefined> {
  const sessions = await listSessions(log)
  const isOwnRoot = ({ org, cwd: folder, parentId }: SessionStatus) =>
    org === localOrg && folder === cwd && parentId === undefined
  return sessions.find(({ status }) => isOwnRoot(status))?.row
}

export function titleOf({ name, title }: SessionStatus): string {
  return name ?? title ?? ""
}

/** `advice`: `answer it there`. */
export function openElsewhere(sessionId: SessionId, { role, pid }: SessionOwner, what: string): AppFault {
  const sentence = `session ${sessionId} is open in another process (${role}, pid ${pid}); ${what}`
  return new AppFault(sentence, exitCodes.unreachable)
}
