// What counts as near in meaning. Similarities of models are not comparable, so that it is derived from the documents: how
// similar passages are to each other that have nothing to do with each other.

/** Passages of a class that are compared exactly. */
export const NEAR_CANDIDATES = 256
/** Pairs of passages that are compared to learn what is usual, and how far above it a passage is near. */
const SAMPLED_PAIRS = 100
const deviations = 3
/** Where there are too few passages to learn from: below this similarity two texts are unrelated. */
export const MIN_SAMPLED = 40
export const MIN_COSINE = 0.3

/** The similarity that pairs of passages seldom have. */
export function usualLimit(similarities: readonly number[]): number {
  const mean = meanOf(similarities)
  return mean + deviations * Math.sqrt(meanOf(similarities.map((similarity) => (similarity - mean) ** 2)))
}

/** Places of passages, spread over the whole class; the two of a pair are far apart, so that they are seldom of one document. */
export function sampledPairs(passages: number): readonly (readonly [number, number])[] {
  const half = Math.floor(passages / 2)
  const count = Math.min(SAMPLED_PAIRS, half)
  return Array.from({ length: count }, (_, at) => {
    const place = Math.floor((at * half) / count)
    return [place, place + half] as const
  })
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length)
}
