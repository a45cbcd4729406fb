// Search by meaning: nearest vectors, in the permitted classes only.
import type { Ranked, Scope } from "./keyword.ts"
import type { SearchReader } from "./search-reader.ts"
import { quantised } from "./vectors.ts"

/** Passages returned. */
const MAX_RESULTS = 40

export function searchByVector(
  reader: SearchReader,
  { classes, sets }: Scope,
  vector: Float32Array,
): readonly Ranked[] {
  const query = quantised(vector)
  const allowed = sets.length === 0 ? undefined : reader.inSets(sets)
  return classes
    .flatMap((one) => reader.nearest(one, query, allowed))
    .toSorted((one, other) => other.relevance - one.relevance)
    .slice(0, MAX_RESULTS)
    .flatMap(({ id, relevance, fit }) => {
      const passage = reader.passage(id)
      return passage === undefined ? [] : [{ passage, relevance, fit }]
    })
}
