// Notifies watchers of every change of the lock table: changes of this host at once, changes of others when it polls. It
// polls only while it has watchers.
import { isStale, type LockRow, type Machine, type Moment } from "../lock-table.ts"
import type { LockPage, LockStore } from "./lock-store.ts"

export interface LockChange {
  /** A new status is reported like a new lock. */
  readonly change: "acquired" | "released" | "stale"
  readonly row: LockRow
  readonly heldMs: number
}

export interface LockWatchDeps {
  readonly store: LockStore
  readonly machine: Machine
  /** Runs `act`; if it fails, warns with `failureMessage`. */
  readonly attempt: (failureMessage: string, act: () => Promise<void>) => Promise<void>
  /** Ends processes that dead hosts left running, so that their locks become free. */
  readonly clear: () => Promise<void>
}

type Listener = (change: LockChange) => void
type Page = Pick<LockPage, "rows" | "lost" | "version" | "at">

/** How often changes of other hosts are polled; every few polls stale rows are removed. */
const pollEveryMs = 1000
const pollsPerSweep = 5
const failureMessage = "changes of locks were not seen"
const emptyPage: Page = { rows: [], lost: new Set(), version: 0, at: { now: 0, ticks: 0 } }

export class LockWatch {
  readonly #deps: LockWatchDeps
  readonly #listeners = new Set<Listener>()
  #timer: NodeJS.Timeout | undefined
  #polls = 0
  #isPolling = false
  #seenVersion = 0
  /** The table is read by one after the other, so that an older page never follows a newer one. */
  #reading: Promise<void> | undefined
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
    await this.#inOrder(async () => this.#notify(await this.#deps.store.read()))
  }

  stop(): void {
    this.#listeners.clear()
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#seenVersion = 0
    this.#known = undefined
  }

  async #poll(): Promise<void> {
    const { store, clear } = this.#deps
    if (!store.exists) return this.#notify(emptyPage)
    if (this.#isPolling) return
    this.#isPolling = true
    await clear()
    await this.#inOrder(() => this.#look())
    this.#isPolling = false
  }

  async #look(): Promise<void> {
    const { store } = this.#deps
    this.#polls += 1
    const isDue = this.#known === undefined || this.#polls % pollsPerSweep === 0
    if (isDue || (await store.version()) !== this.#seenVersion) this.#notify(await store.sweep())
  }

  #inOrder(read: () => Promise<void>): Promise<void> {
    const attempt = () => this.#deps.attempt(failureMessage, read)
    const reading = this.#reading === undefined ? attempt() : this.#reading.then(attempt)
    this.#reading = reading
    return reading.finally(() => {
      if (this.#reading === reading) this.#reading = undefined
    })
  }

  #notify(page: Page): void {
    if (this.#listeners.size === 0) return // stopped while it was read
    this.#seenVersion = page.version
    const known = this.#known
    this.#known = new Map(page.rows.map((row) => [row.id, row]))
    if (known === undefined) return
    const changes = changesSince(known, this.#known, page, this.#deps.machine)
    for (const change of changes) for (const listener of this.#listeners) listener(change)
  }
}

function changesSince(
  known: ReadonlyMap<string, LockRow>,
  found: ReadonlyMap<string, LockRow>,
  { rows, lost, at }: Page,
  machine: Machine,
): readonly LockChange[] {
  // Whether a row of another program was released is not recorded: there it counts whether its holder could have done it.
  const wasLost = (row: LockRow) =>
    row.ownDetails === undefined ? isStale(row, machine, at) : lost.has(row.ownDetails.fence)
  const changeOf = (change: LockChange["change"], row: LockRow) => ({ change, row, heldMs: heldMs(row, at) })
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
