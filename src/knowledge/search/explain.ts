// Why a search found its passages. The scores are those of the search itself: each contribution is what a passage loses when
// the search cannot see a word, the titles, the headings, or how near the words are.
import type { DocumentSearch, FoundPassage, QuestionWord } from "../../contract/views/documents.ts"
import { readPostings } from "../index/postings.ts"
import { snippetOf } from "../text/snippet.ts"
import { queryWords } from "../text/terms.ts"
import type { ExplainingReader, Hidden } from "./explaining-reader.ts"
import { searchByKeyword, type Ranked, type Scope } from "./keyword.ts"
import { searchByVector } from "./nearest.ts"
import { queryOf, type Query } from "./query.ts"
import { MIN_FIT, search, type Question } from "./search.ts"

/** Words whose contribution is measured: each costs a search. */
const MAX_MEASURED = 12

type Part = FoundPassage["parts"][number]
type Match = FoundPassage["words"][number]

export function explain(
  reader: ExplainingReader,
  question: Question,
  vector: Float32Array | undefined,
): DocumentSearch {
  const { text, rights, sets } = question
  const classes = reader.allowed(rights)
  const found = { minFit: MIN_FIT, hasVectors: vector !== undefined }
  if (classes.length === 0) return { ...found, words: [], passages: [] }
  const scope = { classes, sets }
  const query = queryOf(reader, classes, text)
  const words = wordsOf(reader, scope, { text, query })
  const byWords = searchByKeyword(reader, scope, text)
  const byMeaning = vector === undefined ? [] : searchByVector(reader, scope, vector)
  const rows = new Map([...byMeaning, ...byWords].map(({ passage }) => [keyOf(passage.name, passage.text), passage]))
  const fitting = new Set(
    search(reader, { ...question, mustFit: true }, vector).map(({ id, text: whole }) => keyOf(id, whole)),
  )
  const matches = matchesOf(reader, scope, words)
  const parts = partsOf(reader, { scope, text, words, byWords })
  const queryTerms = new Set(words.flatMap(({ terms }) => terms))
  const passages = search(reader, { ...question, mustFit: false }, vector).flatMap(
    ({ id: document, text: whole, score }) => {
      const key = keyOf(document, whole)
      const row = rows.get(key)
      if (row === undefined) return [] // the index was changed between two searches
      const own = byWords.find((one) => one.passage.id === row.id)
      const near = byMeaning.find((one) => one.passage.id === row.id)
      const { name, url, ordinal, heading, language } = row
      return {
        name,
        title: reader.titleOf(row.id),
        ...(url === undefined ? {} : { url }),
        ordinal,
        heading,
        text: whole,
        snippet: snippetOf(whole, queryTerms, language),
        score,
        byWords: rounded(own?.relevance ?? 0),
        ...(near === undefined ? {} : { similarity: rounded(near.relevance) }),
        fit: rounded(own?.fit ?? 0),
        isFitting: fitting.has(key),
        words: matches.get(row.id) ?? [],
        parts: parts.get(row.id) ?? [],
      }
    },
  )
  return { ...found, words, passages }
}

/** Documents have different names; passages with equal texts have equal explanations. */
function keyOf(name: string, text: string): string {
  return `${name}\n${text}`
}

function wordsOf(
  reader: ExplainingReader,
  { classes }: Scope,
  { text, query }: { readonly text: string; readonly query: Query },
): readonly QuestionWord[] {
  const count = (term: string) => classes.reduce((sum, { id }) => sum + reader.passagesWith(id, term), 0)
  return queryWords(text, reader.languages(classes)).flatMap(({ text: word, terms, isStopWord }): QuestionWord[] => {
    const used = query.words.filter((one) => one.terms.some((term) => terms.includes(term)))
    const passages = used.length > 0 ? Math.max(...used.map(({ found }) => found)) : Math.max(...terms.map(count))
    const weight = used.reduce((sum, one) => sum + one.weight, 0)
    const unused = isStopWord ? "stop word" : passages === 0 ? "in no document" : "too common"
    const share = query.totalWeight === 0 ? 0 : rounded(weight / query.totalWeight)
    return [{ text: word, terms, state: used.length > 0 ? "used" : unused, passages, share }]
  })
}

/** Which words each passage has, and where. */
function matchesOf(
  reader: ExplainingReader,
  { classes }: Scope,
  words: readonly QuestionWord[],
): ReadonlyMap<number, readonly Match[]> {
  const matches = new Map<number, Match[]>()
  for (const { text, terms, state } of words) {
    const found = new Map<number, Match>()
    const lists = classes.flatMap(({ id }) => terms.flatMap((term) => reader.postings(id, term)))
    for (const list of state === "used" ? lists : [])
      readPostings(list, ({ passage, count, isInHeading, isInTitle, isInName }) => {
        const before = found.get(passage)
        found.set(passage, {
          text,
          terms,
          count: count + (before?.count ?? 0),
          isInHeading: isInHeading || before?.isInHeading === true,
          isInTitle: isInTitle || before?.isInTitle === true,
          isInName: isInName || before?.isInName === true,
        })
      })
    for (const [passage, match] of found) matches.set(passage, [...(matches.get(passage) ?? []), match])
  }
  return matches
}

interface Measured {
  readonly scope: Scope
  readonly text: string
  readonly words: readonly QuestionWord[]
  readonly byWords: readonly Ranked[]
}

function partsOf(
  reader: ExplainingReader,
  { scope, text, words, byWords }: Measured,
): ReadonlyMap<number, readonly Part[]> {
  const parts = new Map<number, Part[]>()
  const measure = (part: Omit<Part, "score">, hidden: Hidden) => {
    const rest = reader.without(hidden, () => searchByKeyword(reader, scope, text))
    const scores = new Map(rest.map(({ passage, relevance }) => [passage.id, relevance]))
    for (const { passage, relevance } of byWords) {
      const score = rounded(relevance - (scores.get(passage.id) ?? 0))
      if (score > 0) parts.set(passage.id, [...(parts.get(passage.id) ?? []), { ...part, score }])
    }
  }
  const used = words.filter(({ state }) => state === "used").toSorted((one, other) => other.share - one.share)
  for (const { text: word, terms } of used.slice(0, MAX_MEASURED)) measure({ kind: "word", word }, { terms })
  measure({ kind: "title", word: "" }, { places: { title: true, name: true } })
  measure({ kind: "heading", word: "" }, { places: { heading: true } })
  measure({ kind: "nearness", word: "" }, { texts: true })
  return parts
}

function rounded(value: number): number {
  return Number(value.toFixed(4))
}
