// Search by words: BM25 with counts of exactly those passages that the searcher may find.
import type { RightsClass } from "../index/classes.ts"
import { readPostings } from "../index/postings.ts"
import { termsOf } from "../text/terms.ts"
import type { IndexReader, PassageRow } from "./index-reader.ts"

/** Passages returned. */
const MAX_RESULTS = 40
const MAX_TERMS = 16
/** A term in more passages and in a larger share than this is skipped if the query has a rarer one. */
const commonPassages = 1000
const commonShare = 0.3
/** Share of the query's term weights that a passage must contain. */
const MIN_SHARE = 0.1
/** Virtual passages without any query term, so that a term in both of two passages does not count as ubiquitous. */
const VIRTUAL_PASSAGES = 20
const saturation = 1.2
const lengthWeight = 0.75

/** What a search covers: classes by right, sets by request (none: all). */
export interface Scope {
  readonly classes: readonly RightsClass[]
  readonly sets: readonly string[]
}

export interface Ranked {
  readonly passage: PassageRow
  /** From 0 to 1. */
  readonly relevance: number
}

interface Term {
  readonly text: string
  /** Passages that contain it. */
  readonly found: number
  readonly weight: number
}

export function searchByKeyword(reader: IndexReader, { classes, sets }: Scope, query: string): readonly Ranked[] {
  const passages = sum(classes, "passages")
  const terms = [...new Set(termsOf(query))].map((text) => termOf(reader, classes, text, passages))
  const totalWeight = terms.reduce((all, { weight }) => all + weight, 0)
  const allowed = sets.length === 0 ? undefined : reader.inSets(sets)
  const scores = new TopScores(allowed)
  const average = sum(classes, "terms") / passages
  for (const { text, weight } of selectTerms(terms, passages)) {
    for (const { id } of classes) addScores(scores, reader.postings(id, text), weight / totalWeight, average)
  }
  return scores.best(MAX_RESULTS, MIN_SHARE).flatMap(({ id, score }) => {
    const passage = reader.passage(id)
    return passage === undefined ? [] : [{ passage, relevance: Math.min(1, score) }]
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
  const counted = Math.max(found, 1) // an unknown term weighs as much as one found once
  return { text, found, weight: Math.log(1 + (passages + VIRTUAL_PASSAGES - counted + 0.5) / (counted + 0.5)) }
}

function selectTerms(terms: readonly Term[], passages: number): readonly Term[] {
  const found = terms.filter((term) => term.found > 0)
  const rare = found.filter((term) => term.found <= Math.max(passages * commonShare, commonPassages))
  return (rare.length > 0 ? rare : found).toSorted((one, other) => other.weight - one.weight).slice(0, MAX_TERMS)
}

function sum(classes: readonly RightsClass[], member: "passages" | "terms"): number {
  return classes.reduce((all, one) => all + one[member], 0)
}

interface Scored {
  readonly id: number
  readonly score: number
}

/** Sums scores of many passages and returns the best. Passage numbers are dense, so one growing array holds them. */
export class TopScores {
  readonly #allowed: ReadonlySet<number> | undefined
  #scores = new Float64Array(1024)
  readonly #touched: number[] = []

  /** Restricts the result to these passages. */
  constructor(allowed: ReadonlySet<number> | undefined) {
    this.#allowed = allowed
  }

  add(id: number, score: number): void {
    if (this.#allowed !== undefined && !this.#allowed.has(id)) return
    if (id >= this.#scores.length) this.#grow(id)
    const before = this.#scores[id] ?? 0
    if (before === 0) this.#touched.push(id)
    this.#scores[id] = before + score
  }

  /** Best first; ties by passage number. */
  best(count: number, minScore: number): readonly Scored[] {
    const best: Scored[] = []
    for (const id of this.#touched) {
      const score = this.#scores[id] ?? 0
      const last = best.length < count ? undefined : best.at(-1)
      if (score < minScore || (last !== undefined && !comesBefore({ id, score }, last))) continue
      const position = best.findIndex((other) => comesBefore({ id, score }, other))
      best.splice(position === -1 ? best.length : position, 0, { id, score })
      if (best.length > count) best.pop()
    }
    return best
  }

  #grow(id: number): void {
    const larger = new Float64Array(Math.max(id + 1, this.#scores.length * 2))
    larger.set(this.#scores)
    this.#scores = larger
  }
}

function comesBefore(one: Scored, other: Scored): boolean {
  return one.score === other.score ? one.id < other.id : one.score > other.score
}
