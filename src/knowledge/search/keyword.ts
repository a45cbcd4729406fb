// Search by words. A passage ranks by its own score, that of its document, and that of the opening of its document. One that
// has more of the question's words, has them close together, or belongs to a document with further good passages ranks
// higher. The constants were chosen on one half of the questions in bench/knowledge.
import type { RightsClass } from "../index/classes.ts"
import { termsOf } from "../text/terms.ts"
import type { DocumentTable } from "./document-table.ts"
import type { PassageRow, SearchReader } from "./search-reader.ts"
import { nearness } from "./proximity.ts"
import { queryOf, type Query } from "./query.ts"
import { comesBefore, type Scored } from "./score-sheet.ts"
import { highestWordScore, WordScores } from "./word-scores.ts"

/** Passages returned. */
const MAX_RESULTS = 50
/** Passages that are compared by document, and of these by text. */
const CANDIDATES = 400
const CLOSELY_READ = 60
/** Share of the weight of the question that a passage must have. */
const MIN_FIT = 0.1
/** Weights of the document and of its opening beside the passage. */
const documentWeight = 1
const openingWeight = 0.75
/** Bonus of a passage, and of a document, that has all words. */
const coverageBonus = 0.5
/** Weights of the next best passages of the same document. */
const otherWeights = [0.1, 0.067, 0.05]
const nearnessWeight = 0.3

/** What a search covers: classes by right, sets by request (none: all). */
export interface Scope {
  readonly classes: readonly RightsClass[]
  readonly sets: readonly string[]
}

export interface Ranked {
  readonly passage: PassageRow
  /** From 0 to 1, for the order. */
  readonly relevance: number
  /** How much of the question the passage is about, from 0 to 1; comparable between questions. */
  readonly fit: number
}

export function searchByKeyword(reader: SearchReader, { classes, sets }: Scope, text: string): readonly Ranked[] {
  const query = queryOf(reader, classes, text)
  if (query.words.length === 0) return []
  const table = reader.documents(classes)
  const scores = new WordScores(reader, classes, table)
  for (const word of query.words) scores.add(word)
  const best = bestPassages(scores, table, { query, allowed: sets.length === 0 ? undefined : reader.inSets(sets) })
  return readClosely(reader, query, withOthers(best, table))
}

interface Selection {
  readonly query: Query
  readonly allowed: ReadonlySet<number> | undefined
}

function bestPassages(
  { passages, documents, openings }: WordScores,
  table: DocumentTable,
  { query: { totalWeight }, allowed }: Selection,
): readonly Scored[] {
  const withCoverage = (score: number, covered: number) => score * (1 + (coverageBonus * covered) / totalWeight)
  return passages.best(CANDIDATES, ({ id, score, covered }) => {
    if (covered < totalWeight * MIN_FIT || allowed?.has(id) === false) return undefined
    const document = table.of(id)
    const whole = withCoverage(documents.score(document), documents.covered(document))
    return withCoverage(score, covered) + documentWeight * whole + openingWeight * openings.score(document)
  })
}

/** Adds the evidence of a document's other passages. The scores are in falling order. */
function withOthers(best: readonly Scored[], table: DocumentTable): readonly Scored[] {
  const byDocument = Map.groupBy(best, ({ id }) => table.of(id))
  const bonus = new Map(
    [...byDocument].map(([document, [, ...others]]) => [
      document,
      otherWeights.reduce((sum, weight, place) => sum + weight * (others[place]?.score ?? 0), 0),
    ]),
  )
  return best
    .map((one) => ({ ...one, score: one.score + (bonus.get(table.of(one.id)) ?? 0) }))
    .toSorted((one, other) => (comesBefore(one, other) ? -1 : 1))
}

function readClosely(reader: SearchReader, query: Query, best: readonly Scored[]): readonly Ranked[] {
  const { words, totalWeight } = query
  const highest = totalWeight * highestScore
  return best
    .slice(0, CLOSELY_READ)
    .flatMap(({ id, score, covered }) => {
      const passage = reader.passage(id)
      if (passage === undefined) return []
      const near = words.length < 2 ? 0 : nearness(words, termsOf(passage.text, passage.language))
      const relevance = Math.min(1, (score + nearnessWeight * near) / highest)
      return [{ passage, relevance, fit: Math.min(1, covered / totalWeight) }]
    })
    .toSorted((one, other) => other.relevance - one.relevance)
    .slice(0, MAX_RESULTS)
}

/** What a passage can reach for each unit of weight. */
const highestScore =
  highestWordScore *
    ((1 + documentWeight) * (1 + coverageBonus) + openingWeight) *
    (1 + otherWeights.reduce((sum, weight) => sum + weight, 0)) +
  nearnessWeight
