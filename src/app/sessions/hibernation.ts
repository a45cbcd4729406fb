// Selects the session trees to suspend or resume; the command goes to their root.
import type { SessionId } from "../../contract/ids.ts"
import type { EventLog } from "../../log/event-log.ts"
import { rootOf } from "./session-trees.ts"
import { listSessions, sessionNamed, type ListedSession } from "./sessions.ts"

/** The root of the named session, else the roots of all trees with a matching session. */
export async function selectRoots(
  log: EventLog,
  wanted: string | undefined,
  fits: (session: ListedSession) => boolean,
): Promise<readonly ListedSession[]> {
  const sessions = await listSessions(log)
  const chosen = wanted === undefined ? sessions.filter(fits).map(idOf) : [(await sessionNamed(log, wanted)).sessionId]
  const roots = new Set(chosen.map((id) => rootOf(sessions, id)))
  return sessions.filter((session) => roots.has(idOf(session)))
}

export function idOf({ row }: ListedSession): SessionId {
  return row.sessionId
}
