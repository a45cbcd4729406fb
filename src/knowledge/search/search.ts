// One search: by words and, if there are vectors, by meaning as well. Access rights are resolved first; later
// stages see only permitted classes.
import type { Passage } from "../../contract/values.ts"
import type { Rights } from "../rights.ts"
import { snippetOf, occursIn } from "../text/snippet.ts"
import { isCourtesy } from "../text/languages.ts"
import { queryWords } from "../text/terms.ts"
import type { PassageRow, SearchReader } from "./search-reader.ts"
import { searchByKeyword, type Ranked } from "./keyword.ts"
import { searchByVector } from "./nearest.ts"

export interface Question {
  readonly text: string
  readonly limit: number
  readonly rights: Rights
  /** Only documents of these sets; none: all. */
  readonly sets: readonly string[]
  /** Only documents with a passage that is about most of the question, so that nothing may be found. */
  readonly mustFit?: boolean
}

/** Passages below this fit are seldom about the question (see bench/knowledge/README.md). */
export const MIN_FIT = 0.4
/** For each passage of the same document that is before it. */
const repetitionFactor = 0.85
/** Weight of the order by meaning beside the order by words. */
const vectorWeight = 0.5

export function search(reader: SearchReader, question: Question, vector: Float32Array | undefined): readonly Passage[] {
  return reader.inTransaction(() => {
    const { text, limit, rights, sets, mustFit = false } = question
    const scope = { classes: reader.allowed(rights), sets }
    if (scope.classes.length === 0) return []
    const words = queryWords(text, reader.languages(scope.classes))
    if (mustFit && words.every((word) => word.isStopWord || isCourtesy(word.text))) return []
    const byWords = searchByKeyword(reader, scope, text)
    const ranked = vector === undefined ? byWords : merged(byWords, searchByVector(reader, scope, vector))
    const queryTerms = new Set(words.flatMap(({ terms }) => terms))
    return varied(mustFit ? fitting(ranked) : ranked)
      .slice(0, limit)
      .map(({ passage, relevance }) => passageOf(passage, relevance, queryTerms))
  })
}

/** Passages of the documents of which at least one passage fits. */
function fitting(ranked: readonly Ranked[]): readonly Ranked[] {
  const names = new Set(ranked.filter(({ fit }) => fit >= MIN_FIT).map(({ passage }) => passage.name))
  return ranked.filter(({ passage }) => names.has(passage.name))
}

/** Adds how near a passage is in meaning, compared to the other candidates: similarities of two models are not comparable. */
function merged(byWords: readonly Ranked[], byMeaning: readonly Ranked[]): readonly Ranked[] {
  const best = byWords.reduce((most, { relevance }) => Math.max(most, relevance), 0) || 1
  const nearest = byMeaning.reduce((most, { relevance }) => Math.max(most, relevance), 0)
  const farthest = byMeaning.reduce((least, { relevance }) => Math.min(least, relevance), nearest)
  const scale = best / (1 + vectorWeight)
  const found = new Map(
    byWords.map((one) => [one.passage.id, { ...one, relevance: one.relevance / (1 + vectorWeight) }]),
  )
  for (const { passage, relevance, fit } of byMeaning) {
    const nearness = nearest === farthest ? 1 : (relevance - farthest) / (nearest - farthest)
    const before = found.get(passage.id)
    found.set(passage.id, {
      passage,
      relevance: (before?.relevance ?? 0) + scale * vectorWeight * nearness,
      fit: Math.max(before?.fit ?? 0, fit),
    })
  }
  return [...found.values()].filter(({ relevance }) => relevance > 0)
}

/** Further passages of a document give way to those of other documents that are almost as good. */
function varied(ranked: readonly Ranked[]): readonly Ranked[] {
  const counts = new Map<string, number>()
  return ranked
    .toSorted(byRelevance)
    .map((one) => {
      const before = counts.get(one.passage.name) ?? 0
      counts.set(one.passage.name, before + 1)
      return { ...one, relevance: one.relevance * repetitionFactor ** before }
    })
    .toSorted(byRelevance)
}

/** Ties are ordered by document, so that results are stable. */
function byRelevance(one: Ranked, other: Ranked): number {
  if (one.relevance !== other.relevance) return other.relevance - one.relevance
  if (one.passage.name !== other.passage.name) return one.passage.name < other.passage.name ? -1 : 1
  return one.passage.ordinal - other.passage.ordinal
}

function passageOf(
  { name, url, text, language }: PassageRow,
  relevance: number,
  queryTerms: ReadonlySet<string>,
): Passage {
  const snippet = snippetOf(text, queryTerms, language)
  if (!occursIn(text, snippet)) throw new Error(`the snippet of ${name} does not occur in it`)
  const score = Number(relevance.toFixed(4))
  return { id: name, title: name, ...(url === undefined ? {} : { url }), snippet, score, text }
}
