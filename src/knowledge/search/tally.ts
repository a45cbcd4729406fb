// Counts of one word of a question in many passages or documents, whose numbers are dense: arrays hold them, which are
// emptied for the next word.
const FIRST_SIZE = 1024

export class Tally {
  #amounts = new Float64Array(FIRST_SIZE)
  #flags = new Uint8Array(FIRST_SIZE)
  #touched: number[] = []

  add(id: number, amount: number, flags = 0): void {
    if (id >= this.#amounts.length) this.#grow(id)
    const [before = 0, flagsBefore = 0] = [this.#amounts[id], this.#flags[id]]
    if (before === 0 && flagsBefore === 0) this.#touched.push(id)
    this.#amounts[id] = before + amount
    this.#flags[id] = flagsBefore | flags
  }

  /** Passes on the counts and forgets them. */
  take(each: (id: number, amount: number, flags: number) => void): void {
    const touched = this.#touched
    this.#touched = []
    for (const id of touched) {
      const [amount = 0, flags = 0] = [this.#amounts[id], this.#flags[id]]
      this.#amounts[id] = 0
      this.#flags[id] = 0
      each(id, amount, flags)
    }
  }

  #grow(id: number): void {
    const size = Math.max(id + 1, this.#amounts.length * 2)
    const [amounts, flags] = [new Float64Array(size), new Uint8Array(size)]
    amounts.set(this.#amounts)
    flags.set(this.#flags)
    this.#amounts = amounts
    this.#flags = flags
  }
}
