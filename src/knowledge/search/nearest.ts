// Search by meaning: nearest vectors, in the permitted classes only. Similarities of models are not comparable, so that what
// counts as near is derived from the index: how similar passages are to each other that have nothing to do with each other.
import type { RightsClass } from "../index/classes.ts"
import type { IndexReader, SignBlock } from "./index-reader.ts"
import type { Ranked, Scope } from "./keyword.ts"
import { cosine, nearestRows, quantised, signsOf } from "./vectors.ts"

/** Passages of a class that are compared exactly, and passages returned. */
const candidates = 256
const MAX_RESULTS = 40
/** Pairs of passages that are compared to learn what is usual, and how far above it a passage is near. */
const SAMPLED_PAIRS = 100
const deviations = 3
/** Where there are too few passages to learn from: below this similarity two texts are unrelated. */
const MIN_SAMPLED = 40
const MIN_COSINE = 0.3

export function searchByVector(reader: IndexReader, { classes, sets }: Scope, vector: Float32Array): readonly Ranked[] {
  const query = quantised(vector)
  const allowed = sets.length === 0 ? undefined : reader.inSets(sets)
  return classes
    .flatMap((one) => nearestInClass(reader, one, query, allowed))
    .toSorted((one, other) => other.relevance - one.relevance)
    .slice(0, MAX_RESULTS)
    .flatMap(({ id, relevance, fit }) => {
      const passage = reader.passage(id)
      return passage === undefined ? [] : [{ passage, relevance, fit }]
    })
}

interface Near {
  readonly id: number
  readonly relevance: number
  readonly fit: number
}

function nearestInClass(
  reader: IndexReader,
  one: RightsClass,
  query: Int8Array,
  allowed: ReadonlySet<number> | undefined,
): readonly Near[] {
  const signs = signsOf(query)
  const whole = reader.block(one)
  const learned = usualLimit(reader, whole)
  const block = filterBlock(whole, signs.length, allowed)
  return nearestRows(block.signs, signs, candidates).flatMap((row) => {
    const id = block.passages[row] ?? -1
    const data = reader.vector(id)
    if (data?.length !== query.length) return []
    const relevance = cosine(query, data)
    return relevance < (learned ?? MIN_COSINE) ? [] : [{ id, relevance, fit: learned === undefined ? 0 : 1 }]
  })
}

const limits = new WeakMap<SignBlock, number>()

/** The similarity that pairs of passages seldom have; undefined if there are too few. */
function usualLimit(reader: IndexReader, block: SignBlock): number | undefined {
  if (block.passages.length < MIN_SAMPLED) return undefined
  const known = limits.get(block)
  if (known !== undefined) return known
  const similarities = sampledPairs(block.passages).flatMap(([one, other]) => {
    const [left, right] = [reader.vector(one), reader.vector(other)]
    return left === undefined || right === undefined || left.length !== right.length ? [] : [cosine(left, right)]
  })
  const mean = meanOf(similarities)
  const limit = mean + deviations * Math.sqrt(meanOf(similarities.map((similarity) => (similarity - mean) ** 2)))
  limits.set(block, limit)
  return limit
}

/** Spread over the whole class; the two of a pair are far apart, so that they are seldom of the same document. */
function sampledPairs(passages: readonly number[]): readonly (readonly [number, number])[] {
  const count = Math.min(SAMPLED_PAIRS, Math.floor(passages.length / 2))
  const half = Math.floor(passages.length / 2)
  return Array.from({ length: count }, (_, at) => {
    const place = Math.floor((at * half) / count)
    return [passages[place] ?? -1, passages[place + half] ?? -1] as const
  })
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length)
}

function filterBlock(block: SignBlock, width: number, allowed: ReadonlySet<number> | undefined): SignBlock {
  if (allowed === undefined) return block
  const rows = block.passages.flatMap((id, row) => (allowed.has(id) ? [row] : []))
  const signs = new Uint32Array(rows.length * width)
  for (const [at, row] of rows.entries()) signs.set(block.signs.subarray(row * width, (row + 1) * width), at * width)
  return { passages: rows.map((row) => block.passages[row] ?? -1), signs }
}
