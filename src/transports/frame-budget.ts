// Bytes of frames that have begun and not ended, of all sockets of a process together. Past the bound the newest sockets
// that hold some are closed until the rest fits. No domain words here.

export interface BudgetHolder {
  /** Bytes of its unfinished frame. */
  readonly unfinished: number
  /** Closes it: what it holds is not needed any more. */
  refuse(): void
}

export class FrameBudget {
  readonly #limit: number
  /** Oldest first. */
  readonly #holders = new Set<BudgetHolder>()
  #used = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get used(): number {
    return this.#used
  }

  enter(holder: BudgetHolder): void {
    this.#holders.add(holder)
  }

  /** To be called before the holder forgets how much it holds. */
  leave(holder: BudgetHolder): void {
    if (this.#holders.delete(holder)) this.#used -= holder.unfinished
  }

  /** After a holder has got more or less to hold. */
  change(by: number): void {
    this.#used += by
    if (this.#used > this.#limit) this.#refuseNewest()
  }

  #refuseNewest(): void {
    const holders = [...this.#holders].filter(({ unfinished }) => unfinished > 0)
    for (const holder of holders.toReversed()) {
      if (this.#used <= this.#limit) return
      this.leave(holder)
      holder.refuse()
    }
  }
}
