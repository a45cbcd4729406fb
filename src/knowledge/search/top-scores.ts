// Sums scores of many passages and returns the best. Passage numbers are dense, so scores are kept in one growing array.
export interface Scored {
  readonly id: number
  readonly score: number
}

export class TopScores {
  readonly #within: ReadonlySet<number> | undefined
  #scores = new Float64Array(1024)
  readonly #touched: number[] = []

  /** Restricts the result to these passages. */
  constructor(within: ReadonlySet<number> | undefined) {
    this.#within = within
  }

  add(id: number, score: number): void {
    if (this.#within !== undefined && !this.#within.has(id)) return
    if (id >= this.#scores.length) this.#grow(id)
    const before = this.#scores[id] ?? 0
    if (before === 0) this.#touched.push(id)
    this.#scores[id] = before + score
  }

  /** Best first; ties by passage number. */
  best(count: number, least: number): readonly Scored[] {
    const best: Scored[] = []
    for (const id of this.#touched) {
      const score = this.#scores[id] ?? 0
      const last = best.length < count ? undefined : best.at(-1)
      if (score < least || (last !== undefined && !comesBefore({ id, score }, last))) continue
      const place = best.findIndex((other) => comesBefore({ id, score }, other))
      best.splice(place === -1 ? best.length : place, 0, { id, score })
      if (best.length > count) best.pop()
    }
    return best
  }

  #grow(id: number): void {
    const larger = new Float64Array(Math.max(id + 1, this.#scores.length * 2))
    larger.set(this.#scores)
    this.#scores = larger
  }
}

function comesBefore(one: Scored, other: Scored): boolean {
  return one.score === other.score ? one.id < other.id : one.score > other.score
}
