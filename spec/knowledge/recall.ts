// Recall of the search: a corpus of invented facts, written for this test, and questions phrased differently from the
// passages that answer them.
import { readdirSync, readFileSync } from "node:fs"
import type { Embedder } from "../../src/knowledge/embedder.ts"
import { temporaryIndex } from "../../src/knowledge/fixtures/temporary-index.ts"
import { openForReading } from "../../src/knowledge/index/schema.ts"
import type { Rights } from "../../src/knowledge/rights.ts"
import { IndexReader } from "../../src/knowledge/search/index-reader.ts"
import { searchByKeyword, type Ranked } from "../../src/knowledge/search/keyword.ts"
import { searchByVector } from "../../src/knowledge/search/nearest.ts"
import { search } from "../../src/knowledge/search/search.ts"

export interface Recall {
  readonly questions: number
  readonly passages: number
  /** Share of questions whose passage is among the first five, and among the first. */
  readonly words: Shares
  readonly meaning: Shares
  readonly both: Shares
  /** Questions that both together did not answer within five. */
  readonly missed: readonly string[]
}

export interface Shares {
  readonly atFive: number
  readonly atOne: number
}

const corpus = new URL("corpus/", import.meta.url)
const rights: Rights = { org: "local", groups: "all" }

export async function measureRecall(embedder: Embedder): Promise<Recall> {
  const index = temporaryIndex()
  await index.put(...readdirSync(corpus).map((name) => ({ name, text: readFileSync(new URL(name, corpus), "utf8") })))
  await index.embed(embedder)
  const database = openForReading(index.path)
  if (database === undefined) throw new Error("there is no index")
  try {
    return await measure(new IndexReader(database), embedder)
  } finally {
    database.close()
    index.delete()
  }
}

async function measure(reader: IndexReader, embedder: Embedder): Promise<Recall> {
  const asked = questions()
  const places: Record<"words" | "meaning" | "both", number[]> = { words: [], meaning: [], both: [] }
  for (const { text, phrase } of asked) {
    const scope = { classes: reader.allowed(rights), sets: [] }
    const [vector = new Float32Array()] = await embedder.embed([text])
    places.words.push(placeIn(ranked(searchByKeyword(reader, scope, text)), phrase))
    places.meaning.push(placeIn(ranked(searchByVector(reader, scope, vector)), phrase))
    const both = search(reader, { text, limit: 5, rights, sets: [] }, vector)
    places.both.push(
      placeIn(
        both.map((passage) => passage.text),
        phrase,
      ),
    )
  }
  return {
    questions: asked.length,
    passages: reader.allowed(rights).reduce((all, { passages }) => all + passages, 0),
    words: sharesOf(places.words),
    meaning: sharesOf(places.meaning),
    both: sharesOf(places.both),
    missed: asked.filter((_, at) => (places.both[at] ?? Infinity) >= 5).map(({ text }) => text),
  }
}

function ranked(order: readonly Ranked[]): readonly string[] {
  return order.toSorted((one, other) => other.relevance - one.relevance).map(({ passage }) => passage.text)
}

/** Infinity if it was not found. */
function placeIn(texts: readonly string[], phrase: string): number {
  const place = texts.findIndex((text) => text.includes(phrase))
  return place === -1 ? Infinity : place
}

function sharesOf(places: readonly number[]): Shares {
  const share = (most: number) => places.filter((place) => place < most).length / places.length
  return { atFive: share(5), atOne: share(1) }
}

function questions(): readonly { readonly text: string; readonly phrase: string }[] {
  const rows: unknown = JSON.parse(readFileSync(new URL("questions.json", import.meta.url), "utf8"))
  if (!Array.isArray(rows)) throw new Error("questions.json is no list")
  return rows.map(([text, , phrase]: readonly unknown[]) => ({ text: String(text), phrase: String(phrase) }))
}
