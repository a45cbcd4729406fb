// Publishes every lock that is taken, released or lost in this home to the watchers of a session.
import type { SessionDelta } from "../../../contract/deltas.ts"
import type { LockChange } from "../store/lock-watch.ts"
import type { SessionContext } from "../../../runner/session-context.ts"

export function followLocks(session: SessionContext): () => void {
  const { locks, warn } = session.services
  if (locks === undefined) return () => {}
  const stopped = new AbortController()
  const follow = async () => {
    const unwatch = (await locks.load()).watch((change) => publish(session, change))
    if (stopped.signal.aborted) unwatch()
    else stopped.signal.addEventListener("abort", unwatch, { once: true })
  }
  follow().catch((fault: unknown) => warn(`locks are not watched: ${String(fault)}`, session.id))
  return () => stopped.abort()
}

function publish(session: SessionContext, change: LockChange): void {
  const delta = deltaOf(change)
  if (delta !== undefined) session.publish(delta)
}

/** Locks of files are not shown. */
function deltaOf({ change, row, heldMs }: LockChange): SessionDelta | undefined {
  const { kind, scope, holder, ownDetails } = row
  if (kind === "file_read" || kind === "file_write") return undefined
  const { description = "", status = "active" } = ownDetails ?? {}
  return { type: "lock.changed", change, lock: kind, scope, holder, description, status, heldMs }
}
