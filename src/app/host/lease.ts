// Registers a command as a host for the time it writes to the log.
import { homeFolder } from "../../config/home.ts"
import type { SessionId } from "../../contract/ids.ts"
import { removeHistory } from "../../features/undo/store/prune-history.ts"
import { removeMemory } from "../../tools/files/memory-store.ts"
import type { EventLog, Lease } from "../../log/event-log.ts"
import { thisHost } from "../../log/process-identity.ts"
import { forgetInSearch } from "../search/search-index.ts"
import { forgetInUsage } from "../usage/usage-index.ts"
import { accepted } from "../app-fault.ts"

export async function withLease<Value>(
  log: EventLog,
  role: string,
  use: (lease: Lease) => Promise<Value>,
): Promise<Value> {
  const registered = accepted(await log.registerHost(thisHost(role)))
  try {
    return await use(registered.value)
  } finally {
    await log.releaseHost(registered.value)
  }
}

/** Deletes each session in one transaction. One that another host has open is not deleted. */
export function removeSessions(
  log: EventLog,
  role: string,
  sessionIds: readonly SessionId[],
  onRemoved: (sessionId: SessionId) => void,
): Promise<void> {
  return withLease(log, role, async (lease) => {
    for (const sessionId of sessionIds) {
      accepted(await log.claim(lease, sessionId))
      accepted(await log.remove(lease, sessionId))
      await removeHistory(homeFolder(process.env), sessionId)
      await removeMemory(homeFolder(process.env), sessionId)
      forgetInSearch(homeFolder(process.env), sessionId)
      forgetInUsage(homeFolder(process.env), sessionId)
      onRemoved(sessionId)
    }
  })
}
