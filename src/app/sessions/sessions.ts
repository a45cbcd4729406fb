// The sessions of this home as commands need them: all with their line in the directory, or the one that was named.
import type { SessionId } from "../../contract/ids.ts"
import { findSession } from "../../host/directory.ts"
import { localOrg } from "../../identity/principal.ts"
import type { EventLog, SessionRow } from "../../log/event-log.ts"
import { noStatus, readStatus, type SessionStatus } from "../../projection/status.ts"
import { AppFault, refusalFault } from "../app-fault.ts"
import { exitCodes } from "../exit-codes.ts"

export interface ListedSession {
  readonly row: SessionRow
  readonly status: SessionStatus
}

export type SessionOwner = NonNullable<SessionRow["owner"]>

/** One whose line in the directory cannot be read is there all the same, with nothing known about it. */
export async function listSessions(log: EventLog): Promise<readonly ListedSession[]> {
  const listed = await log.list()
  if (listed.kind === "refused") throw refusalFault(listed.refusal)
  return listed.value.map((row) => ({ row, status: readStatus(row.summary) ?? noStatus }))
}

export async function sessionNamed(log: EventLog, wanted: string): Promise<SessionRow> {
  const found = await findSession(log, wanted)
  if (found.kind === "refused") throw refusalFault(found.refusal)
  return found.value
}

/**
 * What a person means by "the session here": the newest of this folder that is not some other session's child. What
 * visitors of a server that runs here talk about is never meant: they would read what is said.
 */
export async function newestIn(log: EventLog, cwd: string): Promise<SessionRow | undefined> {
  const sessions = await listSessions(log)
  const isMeant = ({ org, cwd: folder, parentId }: SessionStatus) =>
    org === localOrg && folder === cwd && parentId === undefined
  return sessions.find(({ status }) => isMeant(status))?.row
}

export function titleOf({ name, title }: SessionStatus): string {
  return name ?? title ?? ""
}

/** `what` says what to do about it: `answer it there`. */
export function openElsewhere(sessionId: SessionId, { role, pid }: SessionOwner, what: string): AppFault {
  const sentence = `session ${sessionId} is open in another process (${role}, pid ${pid}); ${what}`
  return new AppFault(sentence, exitCodes.unreachable)
}
