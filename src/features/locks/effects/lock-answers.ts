// What can be asked about locks through a door: the book with its queue, and locks for the session itself. Nobody waits
// here: a lock that somebody else has is an answer that says who.
import type { QueryOf } from "../../../contract/queries.ts"
import { heldMs } from "../store/lock-changes.ts"
import { canonicalScope } from "../scope.ts"
import { LockFault } from "../store/lock-fault.ts"
import type { Locks } from "../store/locks.ts"
import type { Outcome } from "../../../log/event-log.ts"
import { ok, refused } from "../../../log/outcome.ts"
import { realPathOf } from "../../../tools/paths.ts"
import type { LockSource } from "../../../runner/services.ts"
import type { SessionContext } from "../../../runner/session-context.ts"

export interface LockBook {
  readonly held: readonly ListedLock[]
  /** In the order in which it is their turn. */
  readonly waiting: readonly ListedWaiter[]
}

export interface ListedLock {
  readonly lock: string
  readonly scope: string
  readonly holder: string
  readonly description: string
  readonly status: string
  /** Rows of other programs have none. */
  readonly fence: number | null
  readonly pid: number
  readonly hostname: string
  readonly heldMs: number
}

export interface ListedWaiter {
  readonly holder: string
  readonly wants: readonly { readonly lock: string; readonly scope: string }[]
  readonly description: string
  readonly waitedMs: number
}

export function lockBook(source: LockSource | undefined, now: number): Promise<Outcome<LockBook>> {
  return orRefused(async () => {
    const { rows, waiting } = (await (await source?.load())?.list()) ?? { rows: [], waiting: [] }
    return {
      held: rows.map((row) => ({
        lock: row.kind,
        scope: row.scope,
        holder: row.holder,
        description: row.own?.description ?? "",
        status: row.own?.status ?? "active",
        fence: row.own?.fence ?? null,
        pid: row.pid,
        hostname: row.hostname,
        heldMs: heldMs(row, { now, ticks: 0 }),
      })),
      waiting: waiting.map(({ holder, wants, description, since }) => ({
        holder,
        wants: wants.map(({ kind, scope }) => ({ lock: kind, scope })),
        description,
        waitedMs: Math.max(0, now - since),
      })),
    }
  })
}

export function acquireLock(session: SessionContext, query: QueryOf<"acquire-lock">): Promise<Outcome<unknown>> {
  const { lock: kind, description = "" } = query
  const scope = placeOf(session, query.scope)
  return orRefused(async () => {
    const words = session.services.scrubber.text(description)
    const acquired = await (await locksOf(session)).acquire(session.id, { kind, scope }, words)
    if (acquired.kind === "granted") return { granted: true, scope, fence: acquired.lock.fence }
    const { by } = acquired
    return { granted: false, scope, holder: by.holder, lock: by.kind }
  })
}

export function releaseLock(session: SessionContext, query: QueryOf<"release-lock">): Promise<Outcome<unknown>> {
  const scope = placeOf(session, query.scope)
  return orRefused(async () => {
    const released = await (await locksOf(session)).release(session.id, query.lock, scope)
    return { released, scope }
  })
}

export function setLockStatus(session: SessionContext, query: QueryOf<"set-lock-status">): Promise<Outcome<unknown>> {
  const scope = placeOf(session, query.scope)
  const status = session.services.scrubber.text(query.status)
  return orRefused(async () => ({
    set: await (await locksOf(session)).setStatus(session.id, query.lock, scope, status),
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

async function orRefused<Value>(ask: () => Promise<Value>): Promise<Outcome<Value>> {
  try {
    return ok(await ask())
  } catch (fault) {
    if (fault instanceof LockFault) return refused({ code: "locks.unavailable", what: fault.message })
    throw fault
  }
}
