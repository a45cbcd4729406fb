// The locks that the hosts of a home share, and where they are stored. Loaded when a lock is first needed.
import { hostname } from "node:os"
import { join } from "node:path"
import type { Config } from "../../contract/config.ts"
import type { LockListing } from "../../contract/views/host.ts"
import type { Locks } from "../../features/locks/store/locks.ts"
import type { HostIdentity } from "../../log/event-log.ts"
import { isAlive, thisHost } from "../../log/process-identity.ts"
import { endProcesses } from "../../processes/sweep.ts"
import type { LockSource } from "../../runner/session-context.ts"
import { accepted } from "../app-fault.ts"
import { printNotice } from "../terminal.ts"

export interface HomeLocks extends LockSource {
  /** Releases all locks of a session that is closed. */
  releaseAll(sessionId: string): Promise<void>
  close(): Promise<void>
}

export function lockBookPath(home: string, config: Config): string {
  return config.locks?.file ?? join(home, "locks.db")
}

export function openLocks(home: string, config: Config, host: HostIdentity): HomeLocks {
  let loading: Promise<Locks> | undefined
  const load = () => (loading ??= loadLocks(lockBookPath(home, config), host))
  return {
    load,
    releaseAll: async (sessionId) => (await loading)?.releaseAll(sessionId),
    close: async () => (await loading)?.close(),
  }
}

/** Locks of this home, also if no host runs. */
export async function listHomeLocks(home: string, config: Config): Promise<LockListing> {
  const locks = openLocks(home, config, thisHost("locks"))
  try {
    const { listLocks } = await import("../../features/locks/effects/lock-answers.ts")
    return accepted(await listLocks(locks, Date.now())).value
  } finally {
    await locks.close()
  }
}

async function loadLocks(file: string, { hostId, pid, startTime, bootId }: HostIdentity): Promise<Locks> {
  const { Locks } = await import("../../features/locks/store/locks.ts")
  return new Locks({
    file,
    machine: { self: { pid, startTime, bootId }, hostname: hostname(), isAlive, isPidAlive },
    // Monotonic and the same for all processes: setting the clock does not expire locks.
    moment: () => ({ now: Date.now(), ticks: Math.floor(Number(process.hrtime.bigint() / 1_000_000n)) }),
    mark: (holder) => `${hostId}:${holder}`,
    end: ({ mark, processes }) => endProcesses(processes, mark === "" ? [] : [mark]),
    warn: (sentence) => printNotice(`turnhouse: ${sentence}`),
  })
}

/** A process of another user counts as alive. */
function isPidAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid < 1) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (fault) {
    return !(fault instanceof Error && "code" in fault && fault.code === "ESRCH")
  }
}
