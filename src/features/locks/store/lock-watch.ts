// Notifies watchers of every change of the lock table: changes of this host at once, changes of others when it polls. It
// polls only while it has watchers.
import type { Machine, Moment } from "../lock-table.ts"
import { LockNews, type LockChange } from "./lock-changes.ts"
import type { BookPage, LockStore } from "./store.ts"

export interface LockWatchDeps {
  readonly store: LockStore
  readonly machine: Machine
  readonly moment: () => Moment
  /** Tries it, and says what was not done if it cannot be. */
  readonly attempt: (otherwise: string, act: () => void) => Promise<void>
  /** Ends what dead hosts have left running, so that their locks can be free. */
  readonly clear: () => Promise<void>
}

type Listener = (change: LockChange) => void

/** How often changes of other hosts are looked for; every few looks those who are gone are swept out. */
const lookEveryMs = 1000
const looksPerSweep = 5
const notSeen = "changes of locks were not seen"
const emptyBook: Pick<BookPage, "rows" | "lost"> = { rows: [], lost: new Set() }

export class LockWatch {
  readonly #deps: LockWatchDeps
  readonly #news: LockNews
  readonly #listeners = new Set<Listener>()
  #timer: NodeJS.Timeout | undefined
  #looks = 0
  #seenVersion = 0

  constructor(deps: LockWatchDeps) {
    this.#deps = deps
    this.#news = new LockNews(deps.machine)
  }

  /** Every change from here on. */
  add(listener: Listener): () => void {
    this.#listeners.add(listener)
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => void this.#lookAround(), lookEveryMs).unref()
      void this.#lookAround()
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.stop()
    }
  }

  /** This host has changed something: all are told before anybody gets an answer. */
  async changed(): Promise<void> {
    if (this.#listeners.size === 0) return
    await this.#deps.attempt(notSeen, () => this.#tell(this.#deps.store.read()))
  }

  stop(): void {
    this.#listeners.clear()
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#seenVersion = 0
    this.#news.forget()
  }

  async #lookAround(): Promise<void> {
    const { store, attempt, clear } = this.#deps
    if (!store.exists) return this.#tell(emptyBook)
    await clear()
    await attempt(notSeen, () => {
      this.#looks += 1
      const version = store.version()
      if (this.#looks % looksPerSweep !== 0 && version === this.#seenVersion) return
      this.#seenVersion = version
      this.#tell(store.sweep())
    })
  }

  #tell(page: Pick<BookPage, "rows" | "lost">): void {
    const changes = this.#news.look(page, this.#deps.moment())
    for (const change of changes) for (const listener of this.#listeners) listener(change)
  }
}
