// The words of a question with their weights: what is rare in the documents says more than what is common.
import type { RightsClass } from "../index/classes.ts"
import { splitCompound } from "../text/compounds.ts"
import type { Language } from "../text/languages.ts"
import { queryWords, type QueryWord } from "../text/terms.ts"
import type { SearchReader } from "./search-reader.ts"

export interface WeightedWord {
  /** The forms it can have in documents. */
  readonly terms: readonly string[]
  /** Passages that contain it, at most. */
  readonly found: number
  readonly weight: number
}

export interface Query {
  /** The words that are looked up, in the order of the question. */
  readonly words: readonly WeightedWord[]
  /** Weight of all words of the question, also of those that no document has. */
  readonly totalWeight: number
}

const MAX_WORDS = 24
/** A word in more passages and in a larger share than this is skipped if the question has a rarer one. */
const commonPassages = 1000
const commonShare = 0.5
/** Virtual passages without any word of a question, so that a word in both of two passages does not count as ubiquitous. */
const VIRTUAL_PASSAGES = 20

export function queryOf(reader: SearchReader, classes: readonly RightsClass[], text: string): Query {
  const passages = classes.reduce((sum, one) => sum + one.passages, 0)
  const languages = reader.languages(classes)
  const count = (term: string) => classes.reduce((sum, { id }) => sum + reader.passagesWith(id, term), 0)
  const all = queryWords(text, languages)
    .filter((word) => !word.isStopWord && !(word.isWhole && word.terms.every((term) => count(term) === 0)))
    .flatMap((word) => withoutCompound(word, languages, count))
    .map((word) => weigh(word, count, passages))
  return {
    words: selectWords(all, passages),
    totalWeight: all.reduce((sum, { weight }) => sum + weight, 0),
  }
}

/** A compound that no document has is looked up by its parts. */
function withoutCompound(
  word: QueryWord,
  languages: readonly Language[],
  count: (term: string) => number,
): readonly QueryWord[] {
  if (!languages.includes("de") || word.terms.some((term) => count(term) > 0)) return [word]
  const parts = splitCompound(word.text, (term) => count(term) > 0)
  return parts === undefined ? [word] : parts.map((term) => ({ ...word, terms: [term] }))
}

function weigh({ terms }: QueryWord, count: (term: string) => number, passages: number): WeightedWord {
  const found = Math.min(
    passages,
    terms.reduce((sum, term) => sum + count(term), 0),
  )
  const counted = Math.max(found, 1) // an unknown word weighs as much as one found once
  return { terms, found, weight: Math.log(1 + (passages + VIRTUAL_PASSAGES - counted + 0.5) / (counted + 0.5)) }
}

function selectWords(words: readonly WeightedWord[], passages: number): readonly WeightedWord[] {
  const found = words.filter((word) => word.found > 0)
  const rare = found.filter((word) => word.found <= Math.max(passages * commonShare, commonPassages))
  const chosen = rare.length > 0 ? rare : found
  const best = new Set(chosen.toSorted((one, other) => other.weight - one.weight).slice(0, MAX_WORDS))
  return chosen.filter((word) => best.has(word))
}
