// Notifies watchers of every change of the lock table: changes of this host at once, changes of others when it polls. It
// polls only while it has watchers.
import { isStale, type LockRow, type Machine, type Moment } from "../lock-table.ts"
import type { LockPage, LockStore } from "./store.ts"

export interface LockChange {
  /** A new status is reported like a new lock. */
  readonly change: "acquired" | "released" | "stale"
  readonly row: LockRow
  readonly heldMs: number
}

export interface LockWatchDeps {
  readonly store: LockStore
  readonly machine: Machine
  readonly moment: () => Moment
  /** Runs `act`; if it fails, warns with `failureMessage`. */
  readonly attempt: (failureMessage: string, act: () => void) => Promise<void>
  /** Ends processes that dead hosts left running, so that their locks become free. */
  readonly clear: () => Promise<void>
}

type Listener = (change: LockChange) => void
type Page = Pick<LockPage, "rows" | "lost">

/** How often changes of other hosts are polled; every few polls stale rows are removed. */
const pollEveryMs = 1000
const pollsPerSweep = 5
const failureMessage = "changes of locks were not seen"
const emptyPage: Page = { rows: [], lost: new Set() }

export class LockWatch {
  readonly #deps: LockWatchDeps
  readonly #listeners = new Set<Listener>()
  #timer: NodeJS.Timeout | undefined
  #polls = 0
  #seenVersion = 0
  /** The rows at the last poll. Undefined before the first one, which reports nothing. */
  #known: ReadonlyMap<string, LockRow> | undefined

  constructor(deps: LockWatchDeps) {
    this.#deps = deps
  }

  /** Every change from here on. */
  add(listener: Listener): () => void {
    this.#listeners.add(listener)
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => void this.#poll(), pollEveryMs).unref()
      void this.#poll()
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.stop()
    }
  }

  /** This host has changed the table: watchers are notified before the caller gets its answer. */
  async changed(): Promise<void> {
    if (this.#listeners.size === 0) return
    await this.#deps.attempt(failureMessage, () => this.#notify(this.#deps.store.read()))
  }

  stop(): void {
    this.#listeners.clear()
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#seenVersion = 0
    this.#known = undefined
  }

  async #poll(): Promise<void> {
    const { store, attempt, clear } = this.#deps
    if (!store.exists) return this.#notify(emptyPage)
    await clear()
    await attempt(failureMessage, () => {
      this.#polls += 1
      const version = store.version()
      if (this.#polls % pollsPerSweep !== 0 && version === this.#seenVersion) return
      this.#seenVersion = version
      this.#notify(store.sweep())
    })
  }

  #notify(page: Page): void {
    const known = this.#known
    this.#known = new Map(page.rows.map((row) => [row.id, row]))
    if (known === undefined) return
    const changes = changesSince(known, this.#known, page, this.#deps.machine, this.#deps.moment())
    for (const change of changes) for (const listener of this.#listeners) listener(change)
  }
}

function changesSince(
  known: ReadonlyMap<string, LockRow>,
  found: ReadonlyMap<string, LockRow>,
  { rows, lost }: Page,
  machine: Machine,
  moment: Moment,
): readonly LockChange[] {
  // Whether a row of another program was released is not recorded: there it counts whether its holder could have done it.
  const wasLost = (row: LockRow) =>
    row.ownDetails === undefined ? isStale(row, machine, moment) : lost.has(row.ownDetails.fence)
  const changeOf = (change: LockChange["change"], row: LockRow) => ({ change, row, heldMs: heldMs(row, moment) })
  const removed = [...known.values()].filter((row) => !isSameHold(found.get(row.id), row))
  const fresh = rows.filter(
    (row) => !isSameHold(known.get(row.id), row) || known.get(row.id)?.ownDetails?.status !== row.ownDetails?.status,
  )
  return [
    ...removed.map((row) => changeOf(wasLost(row) ? "stale" : "released", row)),
    ...fresh.map((row) => changeOf("acquired", row)),
  ]
}

export function heldMs({ acquiredAt }: LockRow, { now }: Pick<Moment, "now">): number {
  return Math.max(0, now - acquiredAt)
}

function isSameHold(one: LockRow | undefined, other: LockRow): boolean {
  if (one === undefined) return false
  return (
    one.holder === other.holder &&
    one.acquiredAt === other.acquiredAt &&
    one.ownDetails?.fence === other.ownDetails?.fence
  )
}
