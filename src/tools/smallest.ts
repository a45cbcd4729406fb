// Keeps the first names in order out of any number of them, without holding more than a few times as many.
export class Smallest<Item> {
  readonly #limit: number
  readonly #nameOf: (item: Item) => string
  #items: Item[] = []
  #total = 0

  constructor(limit: number, nameOf: (item: Item) => string) {
    this.#limit = limit
    this.#nameOf = nameOf
  }

  get total(): number {
    return this.#total
  }

  add(item: Item): void {
    this.#total++
    this.#items.push(item)
    if (this.#items.length >= 4 * this.#limit) this.#items = this.sorted()
  }

  sorted(): Item[] {
    return this.#items.toSorted((a, b) => compare(this.#nameOf(a), this.#nameOf(b))).slice(0, this.#limit)
  }
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
