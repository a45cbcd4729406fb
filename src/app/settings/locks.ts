// The locks that the hosts of a home share, and where they are stored. Loaded when a lock is first needed.
import { hostname } from "node:os"
import { join } from "node:path"
import type { Config } from "../../contract/config.ts"
import type { LockListing } from "../../contract/views/host.ts"
import { fenceFolder } from "../../features/locks/store/fence-folder.ts"
import type { Locks } from "../../features/locks/store/locks.ts"
import type { HostIdentity } from "../../log/event-log.ts"
import { isAlive, thisHost } from "../../log/process-identity.ts"
import { endProcesses } from "../../processes/sweep.ts"
import type { LockSource } from "../../runner/session-context.ts"
import { accepted, usageFault } from "../app-fault.ts"
import { printNotice } from "../terminal.ts"

export interface HomeLocks extends LockSource {
  /** Releases all locks of a session that is closed. */
  releaseAll(sessionId: string): Promise<void>
  close(): Promise<void>
}

export function lockBookPath(home: string, config: Config): string {
  return config.locks?.file ?? join(home, "locks.db")
}

/** A machine of a cluster. */
export interface LockNode {
  readonly name: string
  /** The shared folder or the node that a scope belongs to: only locks of one place conflict. */
  placeOf(scope: string): string
}

const onlyNode: LockNode = { name: hostname(), placeOf: () => hostname() }

export function openLocks(home: string, config: Config, host: HostIdentity, node: LockNode = onlyNode): HomeLocks {
  if (config.store?.type === "postgres" && config.locks?.file !== undefined)
    throw usageFault(
      'locks.file: the locks of several machines are in PostgreSQL ("store"), and a file belongs to one machine. Remove "locks.file" or "store" from the configuration.',
    )
  let loading: Promise<Locks> | undefined
  const load = () => (loading ??= loadLocks(home, config, host, node))
  return {
    load,
    releaseAll: async (sessionId) => (await loading)?.releaseAll(sessionId),
    close: async () => (await loading)?.close(),
  }
}

/** Locks of this home, or of all nodes of its cluster, also if no host runs. */
export async function listHomeLocks(home: string, config: Config): Promise<LockListing> {
  const locks = openLocks(home, config, thisHost("locks"))
  try {
    const { listLocks } = await import("../../features/locks/effects/lock-answers.ts")
    return accepted(await listLocks(locks)).value
  } finally {
    await locks.close()
  }
}

async function loadLocks(home: string, config: Config, host: HostIdentity, node: LockNode): Promise<Locks> {
  const { Locks } = await import("../../features/locks/store/locks.ts")
  const { pid, startTime, bootId } = host
  return new Locks({
    openStore: await storeOf(lockBookPath(home, config), config, host, node),
    machine: { self: { pid, startTime, bootId }, hostname: node.name, isAlive, isPidAlive },
    end: ({ mark, processes }) => endProcesses(processes, mark === "" ? [] : [mark]),
    warn: (sentence) => printNotice(`turnhouse: ${sentence}`),
  })
}

async function storeOf(file: string, config: Config, { hostId }: HostIdentity, node: LockNode) {
  const mark = (holder: string) => `${hostId}:${holder}`
  if (config.store?.type === "postgres") {
    const placeOf = (scope: string) => node.placeOf(scope)
    const { postgresLocks } = await import("../../features/locks/store/postgres/postgres-store.ts")
    return postgresLocks({ url: config.store.url, fenceFolder: fenceFolder(file), placeOf, mark, ticks })
  }
  const { sqliteLocks } = await import("../../features/locks/store/sqlite/sqlite-store.ts")
  return sqliteLocks({ file, moment: () => ({ now: Date.now(), ticks: ticks() }), mark })
}

/** Monotonic and the same for all processes: setting the clock does not expire locks. */
function ticks(): number {
  return Math.floor(Number(process.hrtime.bigint() / 1_000_000n))
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
