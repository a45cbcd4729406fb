// The links that this process has accepted, read again twice a second, because a node must notice a revocation within a
// second. A link that could not be read for ten seconds does not count as valid.

/** After a reading has ended. */
const PAUSE_MS = 500
const MAX_AGE_MS = 10_000

export interface LinkWatchOptions {
  /** Returns those of the ids that are stored. */
  readonly read: (ids: readonly string[]) => Promise<ReadonlySet<string>>
  /** Monotonic milliseconds. */
  readonly now?: () => number
  /** Called when reading begins to fail. */
  readonly onFault: (fault: unknown) => void
}

export class LinkWatch {
  readonly #options: LinkWatchOptions
  readonly #now: () => number
  /** When the reading began that last found it. */
  readonly #foundAt = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #isFailing = false
  #isClosed = false

  constructor(options: LinkWatchOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /** True if it is stored. */
  async add(id: string): Promise<boolean> {
    const startedAt = this.#now()
    const found = await this.#options.read([id])
    if (!found.has(id)) return false
    this.#foundAt.set(id, startedAt)
    this.#schedule()
    return true
  }

  isValid(id: string): boolean {
    const foundAt = this.#foundAt.get(id)
    return foundAt !== undefined && this.#now() - foundAt <= MAX_AGE_MS
  }

  remove(id: string): void {
    this.#foundAt.delete(id)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#foundAt.clear()
  }

  #schedule(): void {
    if (this.#isClosed || this.#timer !== undefined || this.#foundAt.size === 0) return
    this.#timer = setTimeout(() => void this.#readAgain(), PAUSE_MS).unref()
  }

  async #readAgain(): Promise<void> {
    const [startedAt, ids] = [this.#now(), [...this.#foundAt.keys()]]
    try {
      const found = await this.#options.read(ids)
      for (const id of ids) if (found.has(id)) this.#confirm(id, startedAt)
      for (const id of ids) if (!found.has(id)) this.#foundAt.delete(id)
      this.#isFailing = false
    } catch (fault) {
      if (!this.#isFailing && !this.#isClosed) this.#options.onFault(fault)
      this.#isFailing = true
    }
    this.#timer = undefined
    this.#schedule()
  }

  /** One that was removed in the meantime stays removed. */
  #confirm(id: string, at: number): void {
    if (this.#foundAt.has(id)) this.#foundAt.set(id, at)
  }
}
