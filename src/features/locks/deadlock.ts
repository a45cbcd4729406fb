// Finds a cycle of holders that wait for each other: each holds a lock until it releases it on command, and waits for one
// that the next holds. Locks of calls are ignored: a call ends by itself. Pure.
import { lockId, type LockRow, type Waiter } from "./lock-table.ts"
import { blocks, exclude, type LockKind } from "./conflicts.ts"

/** `waiter` waits for a lock that `holder` has or is queued for. */
export interface Wait {
  readonly waiter: string
  readonly kind: LockKind
  readonly scope: string
  readonly holder: string
}

type Place = Pick<Waiter, "ticket" | "holder" | "requests">

/** The cycle in which this place is the youngest, if there is one. The others of a cycle keep waiting. */
export function deadlockOf(
  ticket: number,
  rows: readonly LockRow[],
  queue: readonly Place[],
): readonly Wait[] | undefined {
  const start = queue.find((place) => place.ticket === ticket)
  const older = queue.filter((place) => place.ticket <= ticket)
  return start === undefined ? undefined : findCycle(start, start, rows, older, new Set())
}

function findCycle(
  place: Place,
  start: Place,
  rows: readonly LockRow[],
  queue: readonly Place[],
  seen: Set<number>,
): readonly Wait[] | undefined {
  for (const next of queue.filter(({ holder }) => holder !== place.holder)) {
    const wait = waitFor(place, next, rows)
    if (wait === undefined) continue
    if (next.ticket === start.ticket) return [wait]
    if (seen.has(next.ticket)) continue
    seen.add(next.ticket)
    const rest = findCycle(next, start, rows, queue, seen)
    if (rest !== undefined) return [wait, ...rest]
  }
  return undefined
}

function waitFor(place: Place, next: Place, rows: readonly LockRow[]): Wait | undefined {
  const durableRows = rows.filter(({ holder, ownDetails }) => holder === next.holder && ownDetails?.isDurable === true)
  const held = durableRows.find((row) => place.requests.some((request) => blocks(row, request)))
  const first = held ?? (next.ticket < place.ticket ? earlierRequest(place, next, rows) : undefined)
  return first && { waiter: place.holder, kind: first.kind, scope: first.scope, holder: next.holder }
}

/** A lock that `next` requested before `place`. Locks that `place` already holds do not count. */
function earlierRequest(place: Place, next: Place, rows: readonly LockRow[]) {
  const heldIds = new Set(rows.filter(({ holder }) => holder === place.holder).map(({ id }) => id))
  const missing = place.requests.filter((request) => !heldIds.has(lockId(request)))
  return next.requests.find((earlier) => missing.some((request) => exclude(earlier, request)))
}
