// Lists the sessions of this home with their status, and finds one by its id, name or alias.
import { findSession } from "../../host/directory.ts"
import { localOrg } from "../../identity/principal.ts"
import type { EventLog, SessionRow } from "../../log/event-log.ts"
import { noStatus, readStatus, type SessionStatus } from "../../projection/status.ts"
import { accepted } from "../app-fault.ts"

export { hostOf } from "../../host/directory.ts"

/** The log of a home, for the functions of app/. Commands only pass it on. */
export type HomeLog = EventLog

export interface ListedSession {
  readonly row: SessionRow
  readonly status: SessionStatus
}

/** A session whose status cannot be read is listed with an empty one. */
export async function listSessions(log: EventLog): Promise<readonly ListedSession[]> {
  const listed = accepted(await log.list())
  return listed.value.map((row) => ({ row, status: readStatus(row.summary) ?? noStatus }))
}

export async function sessionNamed(log: EventLog, idOrName: string): Promise<SessionRow> {
  const found = accepted(await findSession(log, idOrName))
  return found.value
}

/** Nothing if no session has that id, name or alias. */
export async function findSessionOrNone(log: EventLog, idOrName: string): Promise<SessionRow | undefined> {
  const found = await findSession(log, idOrName)
  if (found.kind === "refused" && found.refusal.code === "session.unknown") return undefined
  return accepted(found).value
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
