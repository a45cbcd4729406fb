// Decides which host serves the sockets of sessions that no host has open, and which sessions these are. Pure, so that all
// hosts of a home come to the same result.
import type { LiveHost, SessionRow } from "../../log/event-log.ts"
import { readStatus, type SessionStatus } from "../../projection/status.ts"

/** Sockets of closed sessions that a host serves, newest sessions first. Older ones open with `turnhouse attach ID`. */
export const MAX_CLOSED_SOCKETS = 1000

/** Roles of hosts that have sockets; those that stay come first. */
const roles = ["host", "serve", "agent", "rpc", "run"]
const persistentRoles: ReadonlySet<string> = new Set(["host", "serve"])

export interface ClosedSession {
  readonly sessionId: string
  readonly status: SessionStatus
}

/** The host with the lowest id among those of the best role. A leaving host has another role. */
export function servesClosedSessions(hosts: readonly LiveHost[], hostId: string): boolean {
  const byRole = roles.map((role) => hosts.filter((host) => host.role === role).map((host) => host.hostId))
  return byRole.find((ids) => ids.length > 0)?.toSorted()[0] === hostId
}

/** A persistent host opens a session itself when a viewer connects; the others have the background host open it. */
export function isPersistentRole(role: string): boolean {
  return persistentRoles.has(role)
}

export function closedSessions(rows: readonly SessionRow[]): readonly ClosedSession[] {
  return rows.flatMap(({ sessionId, owner, summary }) => {
    const status = readStatus(summary)
    if (owner !== undefined || status === undefined || !mayHaveSocket(status)) return []
    return [{ sessionId, status }]
  })
}

/** A suspended session is resumed by `turnhouse resume`, not by a viewer. */
export function mayHaveSocket({ life, hibernated }: Pick<SessionStatus, "life" | "hibernated">): boolean {
  return life !== "ended" && !hibernated
}
