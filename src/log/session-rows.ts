// What both logs make of the rows of their directory.
import { parseJson } from "../contract/json-object.ts"
import type { JsonValue } from "../contract/values.ts"
import type { LiveHost, SessionRow } from "./event-log.ts"
import type { HostRow } from "./fence.ts"
import { isRunning } from "./process-identity.ts"

/** By epoch: hosts that hold their lease, and running hosts of this machine whose lease expired. */
export interface Owners {
  readonly alive: ReadonlyMap<number, HostRow>
  readonly lapsed: ReadonlyMap<number, HostRow>
}

export function ownersAmong(hosts: readonly HostRow[], isAlive: (host: HostRow) => boolean): Owners {
  const alive = new Map<number, HostRow>()
  const lapsed = new Map<number, HostRow>()
  for (const host of hosts) {
    if (isAlive(host)) alive.set(host.epoch, host)
    else if (isRunning(host)) lapsed.set(host.epoch, host)
  }
  return { alive, lapsed }
}

export function liveHost(host: HostRow | undefined): LiveHost | undefined {
  return host && { hostId: host.hostId, role: host.role, pid: host.pid, node: host.node }
}

/** A session without a readable summary is listed, too. */
export function parsedSummary(read: () => string): JsonValue {
  try {
    return parseJson(read())
  } catch {
    return null
  }
}

/** Later sessions have later ids. */
export function newestFirst(one: SessionRow, other: SessionRow): number {
  return other.updatedAt - one.updatedAt || (one.sessionId < other.sessionId ? 1 : -1)
}
