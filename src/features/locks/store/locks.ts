// The locks of one host: for calls, which queue, and for viewers, which get an answer at once. The lock table is
// authoritative; this class only knows which user of this process uses which hold, so that a lock is released with its
// last user. Invariant: holds of this process are renewed every few seconds, and the store is not used before the first
// request.
import type { ToolProcess } from "../../../contract/values.ts"
import { renewEveryMs, type Blocked, type HolderProcesses, type Machine, type OwnDetails } from "../lock-table.ts"
import { isLockType, type LockKind, type LockRequest } from "../conflicts.ts"
import type { Wait } from "../deadlock.ts"
import type { Granted } from "../table-change.ts"
import type { LockPage, LockStore } from "./lock-store.ts"
import { systemTimers, type LockTimers } from "./lock-timers.ts"
import { LockWatch, type LockChange } from "./lock-watch.ts"
import { Turns } from "./turns.ts"

export interface LocksOptions {
  readonly openStore: (machine: Machine) => LockStore
  readonly machine: Omit<Machine, "isCleared">
  /** How often the holds of this process are renewed. */
  readonly renewMs?: number
  /** Default: those of the system. */
  readonly timers?: LockTimers
  /** Ends processes that a dead host left running. False when it cannot. */
  readonly end: (holderProcesses: HolderProcesses) => Promise<boolean>
  readonly warn: (sentence: string) => void
}

export interface CallClaim {
  readonly holder: string
  readonly requests: readonly LockRequest[]
  readonly description: string
  readonly signal: AbortSignal
  readonly waitMs?: number
  /** Called whenever another holder blocks the claim. */
  readonly onWait: (by: Blocked) => void
}

export type LockOutcome =
  | { readonly kind: "taken"; readonly hold: Hold }
  | { readonly kind: "refused"; readonly by: Blocked }
  /** It is part of a cycle of waiters, and the youngest of it. */
  | { readonly kind: "deadlock"; readonly cycle: readonly Wait[] }
  | { readonly kind: "cancelled" }

export type Acquired =
  | { readonly kind: "granted"; readonly lock: Granted }
  | { readonly kind: "refused"; readonly by: Blocked }

/** The locks of a call until it releases them. */
export interface Hold {
  readonly locks: readonly Granted[]
  /** For commands of the call: git checks the hold before it moves a ref. */
  environment(env: Readonly<Record<string, string>>): Readonly<Record<string, string>>
  /** The locks that the call has lost. */
  lostLocks(): Promise<readonly Granted[]>
  /** A process of the call: no other holder gets the locks before it has exited. */
  record(process: ToolProcess): Promise<void>
  release(): Promise<void>
}

interface Use {
  readonly holder: string
  readonly by: "call" | "viewer"
  readonly locks: readonly Granted[]
}

/** A place in the queue, once the call has to wait. */
interface Place {
  ticket: number | undefined
}

/** How long a call waits at most. */
export const callWaitMs = 120_000

export class Locks {
  readonly #options: LocksOptions
  readonly #timers: LockTimers
  readonly #store: LockStore
  readonly #watch: LockWatch
  readonly #uses = new Set<Use>()
  readonly #queue = new Set<Place>()
  /** Fencing numbers of holds of dead hosts whose processes have exited. */
  readonly #cleared = new Set<number>()
  /** By holder: an operation knows the locks of those before it. */
  readonly #turns = new Turns()
  /** Warnings about what still fails: each is printed once. */
  readonly #warned = new Map<string, string>()
  #clearing: Promise<void> | undefined
  #change = Promise.withResolvers<void>()
  #stopRenewing: (() => void) | undefined
  #isRenewing = false

  constructor(options: LocksOptions) {
    const machine: Machine = { ...options.machine, isCleared: ({ fence }) => this.#cleared.has(fence) }
    this.#options = options
    this.#timers = options.timers ?? systemTimers
    this.#store = options.openStore(machine)
    const attempt = (failureMessage: string, act: () => Promise<void>) => this.#attemptQuietly(failureMessage, act)
    this.#watch = new LockWatch({ store: this.#store, machine, attempt, clear: () => this.#clear() })
  }

  /** Does not wait. A repeated request of the same holder is granted, with the description of the first. */
  async acquire(holder: string, request: LockRequest, description: string): Promise<Acquired> {
    await this.#clear()
    return this.#turns.run(holder, async () => {
      const claim = { holder, requests: [request], description, canQueue: false }
      const { result } = await this.#attempt(() => this.#store.attempt(claim))
      if (result.kind === "blocked") return { kind: "refused", by: result.by }
      if (result.kind === "deadlock") throw new Error("a claim that does not wait is in a deadlock")
      const [lock] = result.locks
      if (lock === undefined) throw new Error("a granted lock is missing")
      if (this.#viewersUse(holder, lock)?.locks[0]?.fence !== lock.fence)
        this.#use({ holder, by: "viewer", locks: [lock] })
      return { kind: "granted", lock }
    })
  }

  /** False when the holder's viewers do not have it. It stays while a call needs it. */
  async release(holder: string, kind: LockKind, scope: string): Promise<boolean> {
    const use = this.#viewersUse(holder, { kind, scope })
    if (use === undefined) return false
    const [lost] = await this.#attempt(() => this.#store.lostLocks(use.locks))
    await this.#release(use)
    return lost === undefined
  }

  /** False when the holder does not have it. */
  async setStatus(holder: string, kind: LockKind, scope: string, status: string): Promise<boolean> {
    const lock = this.#usesOf(holder)
      .flatMap(({ locks }) => locks.find((one) => one.kind === kind && one.scope === scope) ?? [])
      .at(-1)
    return lock !== undefined && (await this.#attempt(() => this.#store.setStatus(lock, status)))
  }

  /** Waits in the queue; a cancelled waiter leaves it at once. */
  async acquireForCall(claim: CallClaim): Promise<LockOutcome> {
    const deadline = this.#timers.now() + (claim.waitMs ?? callWaitMs)
    const place: Place = { ticket: undefined }
    this.#queue.add(place)
    this.#keepRenewing()
    try {
      while (!claim.signal.aborted) {
        void this.#clear()
        const { promise: change } = this.#change // from before the attempt, so that no release after it is missed
        const attempt = await this.#turns.run(claim.holder, () => this.#attemptCall(claim, place))
        if (attempt.kind === "granted") return { kind: "taken", hold: this.#holdOf(attempt.use) }
        if (attempt.kind === "deadlock") return { kind: "deadlock", cycle: attempt.cycle }
        const remainingMs = deadline - this.#timers.now()
        if (remainingMs <= 0) return { kind: "refused", by: attempt.by }
        claim.onWait(attempt.by)
        await this.#nextChange(change, attempt.version, Math.min(remainingMs, this.#store.pace.retryMs), claim.signal)
      }
      return { kind: "cancelled" }
    } finally {
      this.#queue.delete(place)
      this.#keepRenewing()
      await this.#leaveQueue(place)
    }
  }

  /** The lock table now, without stale rows. */
  async list(): Promise<Pick<LockPage, "rows" | "waiting" | "at">> {
    if (!this.#store.exists) return { rows: [], waiting: [], at: { now: 0, ticks: 0 } }
    void this.#clear() // a reader does not wait for the end of processes
    return this.#attempt(() => this.#store.sweep())
  }

  /** Releases every lock of a session that is closed. */
  async releaseAll(holder: string): Promise<void> {
    for (const use of this.#usesOf(holder)) await this.#release(use)
  }

  /** Every change of the lock table from here on, of any process. */
  watch(listener: (change: LockChange) => void): () => void {
    return this.#watch.add(listener)
  }

  async close(): Promise<void> {
    this.#watch.stop()
    await Promise.all([...this.#uses].map((use) => this.#release(use)))
    this.#stopRenewing?.()
    await this.#store.close()
  }

  #attemptCall({ holder, requests, description }: CallClaim, place: Place) {
    return this.#attempt(async () => {
      const calls = this.#usesOf(holder).filter(({ by }) => by === "call")
      const siblingLocks = calls.flatMap(({ locks }) => locks)
      const { ticket } = place
      const claim = { holder, requests, description, ticket, siblingLocks, canQueue: true }
      const { result, version } = await this.#store.attempt(claim)
      place.ticket = result.kind === "blocked" ? result.ticket : undefined
      if (result.kind !== "granted") return { ...result, version }
      const use: Use = { holder, by: "call", locks: result.locks }
      this.#use(use)
      return { kind: "granted", use } as const
    })
  }

  #holdOf(use: Use): Hold {
    const { locks } = use
    const tokens = () => locks.filter(({ kind }) => isLockType(kind)).map(({ fence }) => this.#store.token(fence))
    return {
      locks,
      environment: (env) => this.#store.files.environment(tokens(), env),
      lostLocks: () => this.#attempt(() => this.#store.lostLocks(locks)),
      record: (process) =>
        this.#attemptQuietly("a process was not recorded with its locks", () => this.#store.record(locks, process)),
      release: () => this.#release(use),
    }
  }

  /** Concurrent callers share one run. */
  #clear(): Promise<void> {
    this.#clearing ??= this.#endOrphans().finally(() => (this.#clearing = undefined))
    return this.#clearing
  }

  async #endOrphans(): Promise<void> {
    if (!this.#store.exists) return
    let orphaned: readonly OwnDetails[] = []
    await this.#attemptQuietly("locks of dead hosts were not searched", async () => {
      orphaned = await this.#store.orphaned()
    })
    for (const { fence, holderProcesses } of orphaned)
      if (await this.#options.end(holderProcesses)) this.#cleared.add(fence)
    if (orphaned.length > 0) this.#wake()
  }

  #use(use: Use): void {
    this.#uses.add(use)
    this.#keepRenewing()
  }

  #usesOf(holder: string): readonly Use[] {
    return [...this.#uses].filter((use) => use.holder === holder)
  }

  #viewersUse(holder: string, { kind, scope }: LockRequest): Use | undefined {
    const isIt = (lock: Granted) => lock.kind === kind && lock.scope === scope
    return this.#usesOf(holder).findLast(({ by, locks }) => by === "viewer" && locks.some(isIt))
  }

  /** A lock that cannot be released now is no longer renewed and becomes stale. */
  async #release(use: Use): Promise<void> {
    if (!this.#uses.delete(use)) return
    this.#keepRenewing()
    await this.#turns.run(use.holder, () => this.#releaseUnused(use.locks))
    await this.#watch.changed()
    this.#wake()
  }

  async #releaseUnused(locks: readonly Granted[]): Promise<void> {
    const usedFences = new Set([...this.#uses].flatMap((use) => use.locks.map(({ fence }) => fence)))
    const free = locks.filter(({ fence }) => !usedFences.has(fence))
    if (free.length > 0) await this.#attemptQuietly("a lock was not released", () => this.#store.release(free))
  }

  /** The same holds for a place in the queue. */
  async #leaveQueue({ ticket }: Place): Promise<void> {
    if (ticket === undefined) return
    await this.#attemptQuietly("a place in the queue was not left", () => this.#store.leaveQueue(ticket))
    this.#wake()
  }

  /** Resolves when this process released a lock, another process changed the table, or the time is over. */
  async #nextChange(change: Promise<void>, seen: number, ms: number, signal: AbortSignal): Promise<void> {
    const woken = change.then(() => true)
    const timers = this.#timers
    for (const end = timers.now() + ms; timers.now() < end && !signal.aborted;) {
      const pauseMs = Math.min(this.#store.pace.checkEveryMs, end - timers.now())
      if (await Promise.race([woken, timers.pause(pauseMs, signal).then(() => false)])) return
      if ((await this.#version()) !== seen) return
    }
  }

  /** Undefined if the table cannot be read at the moment: the next attempt reports the fault. */
  #version(): Promise<number | undefined> {
    return this.#store.version().catch(() => undefined)
  }

  #wake(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }

  #keepRenewing(): void {
    const isNeeded = this.#uses.size > 0 || this.#queue.size > 0
    if (isNeeded) {
      this.#stopRenewing ??= this.#timers.every(this.#options.renewMs ?? renewEveryMs, () => void this.#renew())
      return
    }
    this.#stopRenewing?.()
    this.#stopRenewing = undefined
  }

  async #renew(): Promise<void> {
    if (this.#isRenewing) return
    this.#isRenewing = true
    const fences = [...this.#uses].flatMap(({ locks }) => locks.map(({ fence }) => fence))
    const tickets = [...this.#queue].flatMap(({ ticket }) => ticket ?? [])
    await this.#attemptQuietly("locks were not renewed", () => this.#store.renew(fences, tickets))
    this.#isRenewing = false
  }

  async #attemptQuietly(failureMessage: string, act: () => Promise<unknown>): Promise<void> {
    try {
      await act()
      this.#warned.delete(failureMessage)
    } catch (fault) {
      const reason = fault instanceof Error ? fault.message : String(fault)
      if (this.#warned.get(failureMessage) !== reason) this.#options.warn(`${failureMessage}: ${reason}`)
      this.#warned.set(failureMessage, reason)
    }
  }

  async #attempt<Value>(act: () => Promise<Value>): Promise<Value> {
    const value = await act()
    await this.#watch.changed()
    return value
  }
}
