// Search by meaning: nearest vectors, in the permitted classes only.
import type { RightsClass } from "../index/classes.ts"
import type { IndexReader, SignBlock } from "./index-reader.ts"
import type { Ranked, Scope } from "./keyword.ts"
import { cosine, nearestRows, quantised, signsOf } from "./vectors.ts"

/** Passages of a class that are compared exactly, and passages returned. */
const candidates = 256
const MAX_RESULTS = 40
/** Below this similarity two texts are unrelated. */
const MIN_COSINE = 0.3

export function searchByVector(reader: IndexReader, { classes, sets }: Scope, vector: Float32Array): readonly Ranked[] {
  const query = quantised(vector)
  const allowed = sets.length === 0 ? undefined : reader.inSets(sets)
  return classes
    .flatMap((one) => nearestInClass(reader, one, query, allowed))
    .filter(({ relevance }) => relevance >= MIN_COSINE)
    .toSorted((one, other) => other.relevance - one.relevance)
    .slice(0, MAX_RESULTS)
    .flatMap(({ id, relevance }) => {
      const passage = reader.passage(id)
      return passage === undefined ? [] : [{ passage, relevance }]
    })
}

function nearestInClass(
  reader: IndexReader,
  one: RightsClass,
  query: Int8Array,
  allowed: ReadonlySet<number> | undefined,
): readonly { readonly id: number; readonly relevance: number }[] {
  const signs = signsOf(query)
  const block = filterBlock(reader.block(one), signs.length, allowed)
  return nearestRows(block.signs, signs, candidates).flatMap((row) => {
    const id = block.passages[row] ?? -1
    const data = reader.vector(id)
    return data?.length === query.length ? [{ id, relevance: cosine(query, data) }] : []
  })
}

function filterBlock(block: SignBlock, width: number, allowed: ReadonlySet<number> | undefined): SignBlock {
  if (allowed === undefined) return block
  const rows = block.passages.flatMap((id, row) => (allowed.has(id) ? [row] : []))
  const signs = new Uint32Array(rows.length * width)
  for (const [at, row] of rows.entries()) signs.set(block.signs.subarray(row * width, (row + 1) * width), at * width)
  return { passages: rows.map((row) => block.passages[row] ?? -1), signs }
}
