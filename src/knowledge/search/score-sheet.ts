// Adds up scores of many passages or documents and returns the best. Their numbers are dense, so growing arrays hold them.
export interface Scored {
  readonly id: number
  readonly score: number
  /** Sum of the weights of the words that it has. */
  readonly covered: number
}

const FIRST_SIZE = 1024

export class ScoreSheet {
  #scores = new Float64Array(FIRST_SIZE)
  #covered = new Float64Array(FIRST_SIZE)
  readonly #touched: number[] = []

  add(id: number, score: number, covered: number): void {
    if (id >= this.#scores.length) this.#grow(id)
    const before = this.#scores[id] ?? 0
    if (before === 0) this.#touched.push(id)
    this.#scores[id] = before + score
    this.#covered[id] = (this.#covered[id] ?? 0) + covered
  }

  score(id: number): number {
    return this.#scores[id] ?? 0
  }

  covered(id: number): number {
    return this.#covered[id] ?? 0
  }

  /** Best first; ties by number. `rate` gives the score that counts, or undefined for what is left out. */
  best(count: number, rate: (one: Scored) => number | undefined): readonly Scored[] {
    const best: Scored[] = []
    for (const id of this.#touched) {
      const covered = this.covered(id)
      const score = rate({ id, score: this.score(id), covered })
      if (score === undefined) continue
      const last = best.length < count ? undefined : best.at(-1)
      const one = { id, score, covered }
      if (last !== undefined && !comesBefore(one, last)) continue
      best.splice(placeOf(best, one), 0, one)
      if (best.length > count) best.pop()
    }
    return best
  }

  #grow(id: number): void {
    const size = Math.max(id + 1, this.#scores.length * 2)
    this.#scores = enlarged(this.#scores, size)
    this.#covered = enlarged(this.#covered, size)
  }
}

function enlarged(numbers: Float64Array, size: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(size)
  larger.set(numbers)
  return larger
}

/** By bisection: a common word touches thousands of passages. */
function placeOf(sorted: readonly Scored[], one: Scored): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const other = sorted[middle]
    if (other !== undefined && comesBefore(other, one)) low = middle + 1
    else high = middle
  }
  return low
}

export function comesBefore(one: Pick<Scored, "id" | "score">, other: Pick<Scored, "id" | "score">): boolean {
  return one.score === other.score ? one.id < other.id : one.score > other.score
}
