import { afterEach, beforeEach, expect, it } from "vitest"
import type { DocumentSearch } from "../../contract/views/documents.ts"
import { temporaryIndex, type TemporaryIndex } from "../fixtures/temporary-index.ts"
import { wordEmbedder } from "../fixtures/word-embedder.ts"
import { openForReading } from "../index/schema.ts"
import type { Rights } from "../rights.ts"
import { explain } from "./explain.ts"
import { ExplainingReader } from "./explaining-reader.ts"
import { IndexReader } from "./index-reader.ts"
import { search } from "./search.ts"

let index: TemporaryIndex

beforeEach(() => (index = temporaryIndex()))
afterEach(() => index.delete())

const visitor: Rights = { org: "local", groups: [] }

async function explained(text: string, rights = visitor, byMeaning = false): Promise<DocumentSearch> {
  const database = openForReading(index.path)
  if (database === undefined) throw new Error("no index")
  const [vector] = byMeaning ? await wordEmbedder.embed([text]) : []
  const reader = new ExplainingReader(new IndexReader(database))
  const question = { text, limit: 5, rights, sets: [] }
  try {
    const result = explain(reader, question, vector)
    const found = search(reader, question, vector)
    expect(result.passages.map(({ name, score }) => ({ id: name, score }))).toEqual(
      found.map(({ id, score }) => ({ id, score })),
    )
    return result
  } finally {
    database.close()
  }
}

const returns = { name: "returns.md", text: "# Sending goods back\n\nReturn parcels within thirty days of delivery." }
const shipping = {
  name: "shipping.md",
  text: "# Shipping\n\nA parcel takes three days. Within a week it is delivered.",
}

it("says which words were looked up as what, and which were not", async () => {
  await index.put(returns, shipping)
  const { words, minFit } = await explained("How are the returned zebras shipped?")
  expect(minFit).toBeGreaterThan(0)
  expect(words.map(({ text, state }) => [text, state])).toEqual([
    ["how", "stop word"],
    ["are", "stop word"],
    ["the", "stop word"],
    ["returned", "used"],
    ["zebras", "in no document"],
    ["shipped", "used"],
  ])
  expect(words[3]).toMatchObject({ terms: ["return"], passages: 1 })
  expect(words[3]?.share).toBeGreaterThan(0.2)
})

it("says where each passage has the words, and what they contribute to the score of the search", async () => {
  await index.put(returns, shipping)
  const { passages } = await explained("thirty days for shipping parcels")
  expect(passages.map(({ name }) => name).toSorted()).toEqual(["returns.md", "shipping.md"])
  const shipped = passages.find(({ name }) => name === "shipping.md")
  expect(shipped).toMatchObject({ title: "Shipping", ordinal: 0, words: expect.anything() })
  expect(shipped?.words).toContainEqual({
    text: "shipping",
    terms: ["ship"],
    count: 1,
    isInHeading: true,
    isInTitle: true,
    isInName: true,
  })
  const kinds = shipped?.parts.map(({ kind, word }) => `${kind} ${word}`.trim())
  expect(kinds).toEqual(expect.arrayContaining(["word shipping", "word parcels", "title", "heading"]))
  const near = passages.find(({ name }) => name === "returns.md")?.parts.map(({ kind }) => kind)
  expect(near).toEqual(expect.arrayContaining(["nearness"])) // thirty days
  for (const { parts, byWords } of passages) for (const { score } of parts) expect(score).toBeLessThanOrEqual(byWords)
})

it("says that nothing fits where an agent would get nothing", async () => {
  await index.put(returns, shipping)
  const { passages } = await explained("three zebras of the quaggas in Tanzania")
  expect(passages).toMatchObject([{ name: "shipping.md", isFitting: false }])
  expect(passages[0]?.fit).toBeLessThan(0.4)
  expect((await explained("parcel within thirty days")).passages[0]).toMatchObject({ isFitting: true })
  expect((await explained("zebra")).passages).toEqual([])
})

it("compares meanings where there are vectors", async () => {
  await index.put(returns, shipping)
  await index.embed(wordEmbedder)
  const { hasVectors, passages } = await explained("parcel within thirty days", visitor, true)
  expect(hasVectors).toBe(true)
  expect(passages.some(({ similarity = 0 }) => similarity > 0)).toBe(true)
})

it("knows nothing of documents that the searcher may not find", async () => {
  await index.put({ ...returns, audience: ["staff"] }, { ...shipping, org: "acme" })
  expect(await explained("parcel within thirty days")).toMatchObject({ words: [], passages: [] })
  const staff = await explained("parcel within thirty days", { org: "local", groups: ["staff"] })
  expect(staff.passages.map(({ name }) => name)).toEqual(["returns.md"])
  const acme = await explained("parcel within thirty days", { org: "acme", groups: [] })
  expect(acme.words.find(({ text }) => text === "thirty")).toMatchObject({ state: "in no document", passages: 0 })
})
