// Search by words: BM25, with numbers that count exactly the passages the searcher may find. Nothing of another class
// is in them, so nothing of it can move a score or an order.
import type { RightsClass } from "../index/classes.ts"
import { readPostings } from "../index/posting-list.ts"
import { termsOf } from "../text/terms.ts"
import type { IndexReader, PassageRow } from "./index-reader.ts"
import { TopScores } from "./top-scores.ts"

/** Passages that are passed on. */
const passedOn = 40
const mostTerms = 16
/** A word that stands in more passages than this, and in more than this share of all, says too little to be looked for:
 *  it is left aside if there is a better one. */
const commonPassages = 1000
const commonShare = 0.3
/** How much of what was asked for a passage must hold, weighed by how telling each word is. */
const leastShare = 0.1
/** Passages without any word of the question that are imagined besides: else a word that stands in both of two passages
 *  would count as one that stands everywhere. Among thousands they make no difference. */
const imagined = 20
const saturation = 1.2
const lengthWeight = 0.75

/** What a search may find at all: classes by right, sets by wish. No set means all. */
export interface Scope {
  readonly classes: readonly RightsClass[]
  readonly sets: readonly string[]
}

export interface Ranked {
  readonly passage: PassageRow
  /** How well it fits, from 0 to 1. */
  readonly worth: number
}

interface Term {
  readonly text: string
  /** Passages in which it stands. */
  readonly found: number
  readonly weight: number
}

export function byWords(reader: IndexReader, { classes, sets }: Scope, query: string): readonly Ranked[] {
  const passages = sum(classes, "passages")
  const terms = [...new Set(termsOf(query))].map((text) => termOf(reader, classes, text, passages))
  const possible = terms.reduce((all, { weight }) => all + weight, 0)
  const within = sets.length === 0 ? undefined : reader.inSets(sets)
  const scores = new TopScores(within)
  const average = sum(classes, "terms") / passages
  for (const { text, weight } of telling(terms, passages)) {
    for (const { id } of classes) addScores(scores, reader.postings(id, text), weight / possible, average)
  }
  return scores.best(passedOn, leastShare).flatMap(({ id, score }) => {
    const passage = reader.passage(id)
    return passage === undefined ? [] : [{ passage, worth: Math.min(1, score) }]
  })
}

function addScores(scores: TopScores, lists: readonly Uint8Array[], weight: number, average: number): void {
  for (const list of lists) {
    readPostings(list, (passage, count, length) => {
      const measure = saturation * (1 - lengthWeight + (lengthWeight * length) / average)
      scores.add(passage, (weight * count * (saturation + 1)) / (count + measure))
    })
  }
}

function termOf(reader: IndexReader, classes: readonly RightsClass[], text: string, passages: number): Term {
  const found = classes.reduce((all, { id }) => all + reader.passagesWith(id, text), 0)
  const counted = Math.max(found, 1) // a word that stands nowhere is as telling as one that stands in one place
  return { text, found, weight: Math.log(1 + (passages + imagined - counted + 0.5) / (counted + 0.5)) }
}

function telling(terms: readonly Term[], passages: number): readonly Term[] {
  const found = terms.filter((term) => term.found > 0)
  const rare = found.filter((term) => term.found <= Math.max(passages * commonShare, commonPassages))
  return (rare.length > 0 ? rare : found).toSorted((one, other) => other.weight - one.weight).slice(0, mostTerms)
}

function sum(classes: readonly RightsClass[], member: "passages" | "terms"): number {
  return classes.reduce((all, one) => all + one[member], 0)
}
