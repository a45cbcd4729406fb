// Words that stand together in the question and in the passage.
import type { WeightedWord } from "./query.ts"

/** How far apart two neighbouring words of the question may stand in a passage. */
const WINDOW = 3

/** The weight of all pairs of neighbours that the passage has near each other, in any order. */
export function nearness(words: readonly WeightedWord[], passageTerms: readonly string[]): number {
  const places = new Map(words.flatMap(({ terms }, place) => terms.map((term) => [term, place] as const)))
  const lastSeen = words.map(() => -Infinity)
  const near = new Set<number>()
  for (const [at, term] of passageTerms.entries()) {
    const place = places.get(term)
    if (place === undefined) continue
    if (at - (lastSeen[place - 1] ?? -Infinity) <= WINDOW) near.add(place)
    if (at - (lastSeen[place + 1] ?? -Infinity) <= WINDOW) near.add(place + 1)
    lastSeen[place] = at
  }
  return [...near].reduce((sum, place) => sum + pairWeight(words, place), 0)
}

function pairWeight(words: readonly WeightedWord[], place: number): number {
  return Math.min(words[place - 1]?.weight ?? 0, words[place]?.weight ?? 0)
}
