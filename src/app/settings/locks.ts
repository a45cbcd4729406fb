// The locks that this host shares with the others of its home, and where their book lies. What keeps them is loaded when
// somebody first needs a lock or looks at them.
import { hostname } from "node:os"
import { join } from "node:path"
import type { Config } from "../../contract/config.ts"
import type { Locks } from "../../features/locks/store/locks.ts"
import type { HostIdentity } from "../../log/event-log.ts"
import { isAlive } from "../../log/process-identity.ts"
import { endProcesses } from "../../processes/sweep.ts"
import type { LockSource } from "../../runner/services.ts"
import { printNotice } from "../terminal.ts"

export interface HomeLocks extends LockSource {
  /** A session that leaves takes nothing with it. */
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

async function loadLocks(file: string, { hostId, pid, startTime, bootId }: HostIdentity): Promise<Locks> {
  const { Locks } = await import("../../features/locks/store/locks.ts")
  return new Locks({
    file,
    machine: { me: { pid, startTime, bootId }, hostname: hostname(), isAlive, isPidAlive },
    // Ticks go on evenly and are the same for all processes; a clock that somebody sets does not take locks away.
    moment: () => ({ now: Date.now(), ticks: Math.floor(Number(process.hrtime.bigint() / 1_000_000n)) }),
    mark: (holder) => `${hostId}:${holder}`,
    end: ({ mark, processes }) => endProcesses(processes, mark === "" ? [] : [mark]),
    warn: (sentence) => printNotice(`turnhouse: ${sentence}`),
  })
}

/** A process that belongs to somebody else lives. */
function isPidAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid < 1) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (fault) {
    return !(fault instanceof Error && "code" in fault && fault.code === "ESRCH")
  }
}
