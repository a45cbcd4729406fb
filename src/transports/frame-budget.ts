// Limit of the bytes of unfinished frames over all sockets of a process. Past it the newest sockets with unfinished
// frames are closed until the rest fits.

export interface BudgetHolder {
  /** Bytes of its unfinished frame. */
  readonly unfinished: number
  /** Closes the socket; its unfinished frame is dropped. */
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

  /** Must be called while `unfinished` is still the number that was counted. */
  leave(holder: BudgetHolder): void {
    if (this.#holders.delete(holder)) this.#used -= holder.unfinished
  }

  /** Counts a change of a holder's unfinished bytes. */
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
