// Queries and commands about locks: the lock table with its queue, and locks that a session takes itself. These never
// wait: if another holder has the lock, the answer names it.
import type { HostCommandResults, HostCommands } from "../../../contract/host-commands.ts"
import type { LockListing } from "../../../contract/views/host.ts"
import { heldMs } from "../store/lock-watch.ts"
import { canonicalScope } from "../scope.ts"
import { LockFault } from "../store/lock-fault.ts"
import type { Locks } from "../store/locks.ts"
import { ok, refused, type Outcome } from "../../../log/event-log.ts"
import { realPathOf } from "../../../tools/files/paths.ts"
import type { LockSource, SessionContext } from "../../../runner/session-context.ts"

export function listLocks(source: LockSource | undefined): Promise<Outcome<LockListing>> {
  return runOrRefuse(async () => {
    if (source === undefined) return { held: [], waiting: [] }
    const { rows, waiting, at } = await (await source.load()).list()
    return {
      held: rows.map((row) => ({
        lock: row.kind,
        scope: row.scope,
        holder: row.holder,
        description: row.ownDetails?.description ?? "",
        status: row.ownDetails?.status ?? "active",
        fence: row.ownDetails?.fence ?? null,
        pid: row.pid,
        hostname: row.hostname,
        heldMs: heldMs(row, at),
      })),
      waiting: waiting.map(({ holder, requests, description, hostname, queuedAt }) => ({
        holder,
        wants: requests.map(({ kind, scope }) => ({ lock: kind, scope })),
        description,
        ...(hostname === undefined ? {} : { hostname }),
        waitedMs: Math.max(0, at.now - queuedAt),
      })),
    }
  })
}

type LockResult<Type extends keyof HostCommandResults> = Promise<Outcome<HostCommandResults[Type]>>

export function acquireLock(
  session: SessionContext,
  command: HostCommands["acquire-lock"],
): LockResult<"acquire-lock"> {
  const { lock: kind, description = "" } = command
  const scope = placeOf(session, command.scope)
  return runOrRefuse(async () => {
    const text = session.services.scrubber.text(description)
    const acquired = await (await locksOf(session)).acquire(session.id, { kind, scope }, text)
    if (acquired.kind === "granted") return { granted: true, scope, fence: acquired.lock.fence }
    const { by } = acquired
    return { granted: false, scope, holder: by.holder, lock: by.kind }
  })
}

export function releaseLock(
  session: SessionContext,
  command: HostCommands["release-lock"],
): LockResult<"release-lock"> {
  const scope = placeOf(session, command.scope)
  return runOrRefuse(async () => {
    const released = await (await locksOf(session)).release(session.id, command.lock, scope)
    return { released, scope }
  })
}

export function setLockStatus(
  session: SessionContext,
  command: HostCommands["set-lock-status"],
): LockResult<"set-lock-status"> {
  const scope = placeOf(session, command.scope)
  const status = session.services.scrubber.text(command.status)
  return runOrRefuse(async () => ({
    set: await (await locksOf(session)).setStatus(session.id, command.lock, scope, status),
  }))
}

function placeOf(session: SessionContext, scope: string): string {
  const cwd = session.state.created?.cwd ?? "/"
  return canonicalScope(scope, (path) => realPathOf(path, cwd))
}

async function locksOf({ services }: SessionContext): Promise<Locks> {
  if (services.locks === undefined) throw new LockFault("this host keeps none")
  return services.locks.load()
}

async function runOrRefuse<Value>(action: () => Promise<Value>): Promise<Outcome<Value>> {
  try {
    return ok(await action())
  } catch (fault) {
    if (fault instanceof LockFault) return refused({ code: "locks.unavailable", what: fault.message })
    throw fault
  }
}
