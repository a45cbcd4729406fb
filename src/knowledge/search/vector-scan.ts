// The nearest vectors of a class of the local index: sign bits preselect the passages that are compared.
import type { Near } from "./search-reader.ts"
import { MIN_COSINE, MIN_SAMPLED, NEAR_CANDIDATES, sampledPairs, usualLimit } from "./nearness-limit.ts"
import { cosine, nearestRows, signsOf } from "./vectors.ts"

/** The sign bits of all vectors of a class, and their passages. */
export interface SignBlock {
  readonly passages: readonly number[]
  readonly signs: Uint32Array
}

type VectorOf = (passage: number) => Int8Array | undefined

export function nearestInBlock(
  whole: SignBlock,
  vectorOf: VectorOf,
  query: Int8Array,
  allowed: ReadonlySet<number> | undefined,
): readonly Near[] {
  const signs = signsOf(query)
  const learned = learnedLimit(whole, vectorOf)
  const block = filterBlock(whole, signs.length, allowed)
  return nearestRows(block.signs, signs, NEAR_CANDIDATES).flatMap((row) => {
    const id = block.passages[row] ?? -1
    const data = vectorOf(id)
    if (data?.length !== query.length) return []
    const relevance = cosine(query, data)
    return relevance < (learned ?? MIN_COSINE) ? [] : [{ id, relevance, fit: learned === undefined ? 0 : 1 }]
  })
}

const limits = new WeakMap<SignBlock, number>()

/** Undefined if there are too few passages. */
function learnedLimit(block: SignBlock, vectorOf: VectorOf): number | undefined {
  const { passages } = block
  if (passages.length < MIN_SAMPLED) return undefined
  const known = limits.get(block)
  if (known !== undefined) return known
  const similarities = sampledPairs(passages.length).flatMap(([one, other]) => {
    const [left, right] = [vectorOf(passages[one] ?? -1), vectorOf(passages[other] ?? -1)]
    return left === undefined || right === undefined || left.length !== right.length ? [] : [cosine(left, right)]
  })
  const limit = usualLimit(similarities)
  limits.set(block, limit)
  return limit
}

function filterBlock(block: SignBlock, width: number, allowed: ReadonlySet<number> | undefined): SignBlock {
  if (allowed === undefined) return block
  const rows = block.passages.flatMap((id, row) => (allowed.has(id) ? [row] : []))
  const signs = new Uint32Array(rows.length * width)
  for (const [at, row] of rows.entries()) signs.set(block.signs.subarray(row * width, (row + 1) * width), at * width)
  return { passages: rows.map((row) => block.passages[row] ?? -1), signs }
}
