// One search: by words and, if there are vectors, by meaning, merged by rank. Access rights are resolved first; later
// stages see only permitted classes.
import type { Passage } from "../../contract/values.ts"
import type { Rights } from "../rights.ts"
import { snippetOf, occursIn } from "../text/snippet.ts"
import { termsOf } from "../text/terms.ts"
import type { IndexReader, PassageRow } from "./index-reader.ts"
import { searchByKeyword, type Ranked } from "./keyword.ts"
import { searchByVector } from "./nearest.ts"

export interface Question {
  readonly text: string
  readonly limit: number
  readonly rights: Rights
  /** Only documents of these sets; none: all. */
  readonly sets: readonly string[]
}

/** Weight of rank r: score / (damping + r). */
const damping = 20

export function search(reader: IndexReader, question: Question, vector: Float32Array | undefined): readonly Passage[] {
  return reader.inTransaction(() => {
    const { text, limit, rights, sets } = question
    const scope = { classes: reader.allowed(rights), sets }
    if (scope.classes.length === 0) return []
    const orders = [
      searchByKeyword(reader, scope, text),
      ...(vector === undefined ? [] : [searchByVector(reader, scope, vector)]),
    ]
    const queryTerms = new Set(termsOf(text))
    return merged(orders)
      .slice(0, limit)
      .map(({ passage, relevance }) => passageOf(passage, relevance, queryTerms))
  })
}

/** Weighted reciprocal rank fusion. Scores are between 0 and 1; 1 is the first rank in every list with a full match. */
function merged(orders: readonly (readonly Ranked[])[]): readonly Ranked[] {
  const byPassage = new Map<number, Ranked>()
  const best = orders.length / (damping + 1)
  for (const order of orders) {
    for (const [rank, { passage, relevance }] of order.toSorted(byRelevance).entries()) {
      const before = byPassage.get(passage.id)?.relevance ?? 0
      byPassage.set(passage.id, { passage, relevance: before + relevance / (damping + rank + 1) / best })
    }
  }
  return [...byPassage.values()].toSorted(byRelevance)
}

/** Ties are ordered by document, so that results are stable. */
function byRelevance(one: Ranked, other: Ranked): number {
  if (one.relevance !== other.relevance) return other.relevance - one.relevance
  if (one.passage.name !== other.passage.name) return one.passage.name < other.passage.name ? -1 : 1
  return one.passage.ordinal - other.passage.ordinal
}

function passageOf({ name, url, text }: PassageRow, relevance: number, queryTerms: ReadonlySet<string>): Passage {
  const snippet = snippetOf(text, queryTerms)
  if (!occursIn(text, snippet)) throw new Error(`the snippet of ${name} does not occur in it`)
  const score = Number(relevance.toFixed(4))
  return { id: name, title: name, ...(url === undefined ? {} : { url }), snippet, score, text }
}
