// Search by meaning: nearest vectors, in the permitted classes only.
import type { RightsClass } from "../index/classes.ts"
import type { IndexReader, SignBlock } from "./index-reader.ts"
import type { Ranked, Scope } from "./keyword.ts"
import { cosine, nearestRows, quantised, signsOf } from "./vectors.ts"

/** Passages of a class that are compared exactly, and passages returned. */
const candidates = 256
const passedOn = 40
/** Below this similarity two texts are unrelated. */
const leastCosine = 0.3

export function byMeaning(reader: IndexReader, { classes, sets }: Scope, vector: Float32Array): readonly Ranked[] {
  const asked = quantised(vector)
  const within = sets.length === 0 ? undefined : reader.inSets(sets)
  return classes
    .flatMap((one) => nearIn(reader, one, asked, within))
    .filter(({ worth }) => worth >= leastCosine)
    .toSorted((one, other) => other.worth - one.worth)
    .slice(0, passedOn)
    .flatMap(({ id, worth }) => {
      const passage = reader.passage(id)
      return passage === undefined ? [] : [{ passage, worth }]
    })
}

function nearIn(
  reader: IndexReader,
  one: RightsClass,
  asked: Int8Array,
  within: ReadonlySet<number> | undefined,
): readonly { readonly id: number; readonly worth: number }[] {
  const signs = signsOf(asked)
  const block = only(reader.block(one), signs.length, within)
  return nearestRows(block.signs, signs, candidates).flatMap((row) => {
    const id = block.passages[row] ?? -1
    const data = reader.vector(id)
    return data?.length === asked.length ? [{ id, worth: cosine(asked, data) }] : []
  })
}

function only(block: SignBlock, width: number, within: ReadonlySet<number> | undefined): SignBlock {
  if (within === undefined) return block
  const rows = block.passages.flatMap((id, row) => (within.has(id) ? [row] : []))
  const signs = new Uint32Array(rows.length * width)
  for (const [at, row] of rows.entries()) signs.set(block.signs.subarray(row * width, (row + 1) * width), at * width)
  return { passages: rows.map((row) => block.passages[row] ?? -1), signs }
}
