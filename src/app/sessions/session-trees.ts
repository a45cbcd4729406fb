// Trees of sessions and their children, for deletion. Pure.
import type { SessionId } from "../../contract/ids.ts"
import { type ListedSession, listSessions, sessionNamed } from "./sessions.ts"
import type { EventLog } from "../../log/event-log.ts"

/** The session and its descendants, children before their parents. */
export function withDescendants(sessions: readonly ListedSession[], id: SessionId): readonly ListedSession[] {
  const children = sessions.filter(({ status, row }) => status.parentId === id && row.sessionId !== id)
  const itself = sessions.filter(({ row }) => row.sessionId === id)
  const others = sessions.filter((session) => !itself.includes(session))
  return [...children.flatMap(({ row }) => withDescendants(others, row.sessionId)), ...itself]
}

/** All sessions in trees; a child whose parent was deleted is a root. */
export function treesOf(sessions: readonly ListedSession[]): readonly (readonly ListedSession[])[] {
  const ids = new Set(sessions.map(({ row }) => row.sessionId))
  const roots = sessions.filter(({ status }) => status.parentId === undefined || !ids.has(status.parentId))
  return roots.map(({ row }) => withDescendants(sessions, row.sessionId))
}

/** Trees without activity since then that no process has open. */
export function treesBefore(sessions: readonly ListedSession[], before: number): readonly ListedSession[] {
  const isOld = ({ row }: ListedSession) => row.updatedAt < before && row.owner === undefined
  return treesOf(sessions)
    .filter((tree) => tree.every(isOld))
    .flat()
}

/** A session whose parent was deleted is its own root. */
export function rootOf(sessions: readonly ListedSession[], id: SessionId): SessionId {
  const tree = treesOf(sessions).find((members) => members.some(({ row }) => row.sessionId === id))
  return tree?.at(-1)?.row.sessionId ?? id
}

/** The root of the named session, else the roots of all trees with a matching session. */
export async function selectRoots(
  log: EventLog,
  idOrName: string | undefined,
  fits: (session: ListedSession) => boolean,
): Promise<readonly ListedSession[]> {
  const sessions = await listSessions(log)
  const chosen =
    idOrName === undefined ? sessions.filter(fits).map(idOf) : [(await sessionNamed(log, idOrName)).sessionId]
  const roots = new Set(chosen.map((id) => rootOf(sessions, id)))
  return sessions.filter((session) => roots.has(idOf(session)))
}

export function idOf({ row }: ListedSession): SessionId {
  return row.sessionId
}
