// Keeps the first names in order out of any number of them, in bounded memory.
export class Smallest {
  readonly #limit: number
  #names: string[] = []
  #total = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get total(): number {
    return this.#total
  }

  add(name: string): void {
    this.#total++
    this.#names.push(name)
    if (this.#names.length >= 4 * this.#limit) this.#names = this.sorted()
  }

  sorted(): string[] {
    return this.#names.toSorted(compare).slice(0, this.#limit)
  }
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
