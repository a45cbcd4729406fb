// How good a ranking of documents is, over many questions.
export interface Judged {
  /** Documents of which each answers the question. */
  readonly right: readonly string[]
  /** Documents that a search returned, the best first, each once. */
  readonly found: readonly string[]
}

export interface Quality {
  readonly questions: number
  /** Share of questions with a right document first, and among the first five. */
  readonly recallAt1: number
  readonly recallAt5: number
  /** Mean of 1 / rank of the first right document among the first ten; 0 without one. */
  readonly mrr: number
  /** Normalised discounted cumulative gain of the first ten. */
  readonly ndcg: number
}

/** Documents of a ranking that count. */
export const DEPTH = 10

export function qualityOf(all: readonly Judged[]): Quality {
  const mean = (score: (one: Judged) => number) =>
    all.length === 0 ? 0 : all.reduce((sum, one) => sum + score(one), 0) / all.length
  return {
    questions: all.length,
    recallAt1: mean((one) => (rankOf(one) <= 1 ? 1 : 0)),
    recallAt5: mean((one) => (rankOf(one) <= 5 ? 1 : 0)),
    mrr: mean((one) => 1 / rankOf(one)),
    ndcg: mean(ndcgOf),
  }
}

/** From 1; Infinity if no right document is among those that count. */
export function rankOf({ right, found }: Judged): number {
  const index = found.slice(0, DEPTH).findIndex((name) => right.includes(name))
  return index === -1 ? Infinity : index + 1
}

function ndcgOf({ right, found }: Judged): number {
  const ideal = gain(right.slice(0, DEPTH).map(() => true))
  return gain(found.slice(0, DEPTH).map((name) => right.includes(name))) / ideal
}

function gain(hits: readonly boolean[]): number {
  return hits.reduce((sum, isHit, index) => sum + (isHit ? 1 / Math.log2(index + 2) : 0), 0)
}

/** The value below which this share of the numbers lies. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
