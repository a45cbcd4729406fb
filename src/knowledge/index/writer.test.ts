import { statSync } from "node:fs"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { temporaryIndex, type TemporaryIndex } from "../fixtures/temporary-index.ts"
import { wordEmbedder } from "../fixtures/word-embedder.ts"
import { findDocument, listDocuments } from "./catalogue.ts"
import { openForReading, openForWriting, IndexFault } from "./schema.ts"
import { IndexWriter } from "./writer.ts"

let index: TemporaryIndex

beforeEach(() => (index = temporaryIndex()))
afterEach(() => index.delete())

/** Everything that counts of a class, as plain rows. */
function counted() {
  const database = openForReading(index.path)
  if (database === undefined) return []
  const classes = database.prepare("select id, passages, terms from classes order by id").all()
  const postings = database.prepare("select class, term, passages from postings order by class, term, part").all()
  database.close()
  return [...classes, ...postings].map((row) => ({ ...row }))
}

const document = {
  org: "local",
  audience: undefined,
  sets: [],
  root: "/",
  url: undefined,
  hash: "h",
  bytes: 1,
  addedAt: 1,
}

async function* chunks(...texts: readonly string[]) {
  for (const text of texts) yield [{ headings: [], text }]
}

async function* failing(text: string) {
  yield* chunks(text)
  throw new Error("the file broke off")
}

describe("the index", () => {
  it("can be read by its owner alone", async () => {
    await index.put({ name: "a.md", text: "words" })
    expect(statSync(index.path).mode & 0o777).toBe(0o600)
  })

  it("has the same counts after a removal as if the document had never been added", async () => {
    await index.put({ name: "kept.md", text: "tea and biscuits" })
    const before = counted()
    await index.put({ name: "gone.md", text: "# Tea\n\ntea, coffee and more coffee" })
    expect(counted()).not.toEqual(before)
    await index.remove("gone.md")
    expect(counted()).toEqual(before)
  })

  it("has the same counts after a change as if the document had always been so", async () => {
    await index.put({ name: "a.md", text: "tea" })
    const wanted = counted()
    await index.put({ name: "a.md", text: "coffee and rolls" })
    await index.put({ name: "a.md", text: "tea" })
    expect(counted()).toEqual(wanted)
  })

  it("keeps the old version when the new one cannot be read to the end", async () => {
    const writer = new IndexWriter(index.path)
    const put = (name: string, texts: ReturnType<typeof chunks>) =>
      writer.put({ ...document, name, source: `/${name}` }, texts)
    await put("first.md", chunks("tea"))
    await put("second.md", chunks("coffee"))
    await expect(put("second.md", failing("milk"))).rejects.toThrow("broke off")
    await expect(put("third.md", failing("milk"))).rejects.toThrow("broke off")
    await put("fourth.md", chunks("sugar"))
    writer.close()
    const terms = counted().flatMap((row) => ("term" in row ? [row["term"]] : []))
    expect(terms).toEqual(["coffe", "first", "fourth", "second", "sugar", "tea"])
  })

  it("writes the terms of a large document while reading it, and rolls all of them back", async () => {
    const writer = new IndexWriter(index.path)
    const written = writer.database.prepare(
      "select coalesce(sum(passages), 0) as found from postings where term = 'tea'",
    )
    await writer.put({ ...document, name: "small.md", source: "/small.md" }, chunks("coffee"))
    const seen: number[] = []
    async function* endless() {
      for (let piece = 0; piece < 20; piece++) {
        yield [{ headings: [], text: `tea ${" ".repeat(1024 * 1024)}` }]
        seen.push(Number(written.get()?.["found"]))
      }
      throw new Error("the file broke off")
    }
    const large = { ...document, name: "large.txt", source: "/large.txt", bytes: 20 * 1024 * 1024 }
    await expect(writer.put(large, endless())).rejects.toThrow("broke off")
    expect(seen.at(-1)).toBeGreaterThan(8)
    writer.close()
    const terms = counted().flatMap((row) => ("term" in row ? [row["term"]] : []))
    expect(terms).toEqual(["coffe", "small"])
  })

  it("splits a frequent term into parts, and removes postings from all of them", async () => {
    const writer = new IndexWriter(index.path)
    const many = (name: string) =>
      writer.put({ ...document, name, source: `/${name}` }, chunks(...Array.from({ length: 9000 }, () => "tea")))
    await many("one.md")
    writer.flush()
    await many("two.md")
    writer.flush()
    await many("three.md")
    writer.remove("local", "two.md")
    writer.close()
    const database = openForReading(index.path)
    const found = database
      ?.prepare("select count(*) as parts, sum(passages) as passages from postings where term = 'tea'")
      .get()
    database?.close()
    expect(found?.["passages"]).toBe(18_000)
    expect(Number(found?.["parts"])).toBeGreaterThan(1)
  })

  it("lists documents with their audience, sets and how many of their passages have a vector", async () => {
    await index.put(
      { name: "a.md", text: "cash", sets: ["b", "a"], audience: ["staff"] },
      { name: "b.md", text: "car" },
    )
    await index.embed(wordEmbedder)
    await index.put({ name: "c.md", text: "box", org: "acme", audience: [] })
    const database = openForReading(index.path)
    if (database === undefined) throw new Error("there is no index")
    const lines = listDocuments(database, undefined)
    expect(lines.map(({ org, name, audience, sets, embedded }) => [org, name, audience, sets, embedded])).toEqual([
      ["acme", "c.md", [], [], 0],
      ["local", "a.md", ["staff"], ["a", "b"], 1],
      ["local", "b.md", undefined, [], 1],
    ])
    expect(findDocument(database, "acme", "a.md")).toBeUndefined()
    database.close()
  })

  it("replaces all vectors for another model", async () => {
    await index.put({ name: "a.md", text: "cash" }, { name: "b.md", text: "car" })
    await index.embed(wordEmbedder)
    let asked = 0
    const embed = async (texts: readonly string[]) => {
      asked += texts.length
      return texts.map(() => new Float32Array([1, 0, 0]))
    }
    const other = { name: "test/other", embed }
    await index.embed(other)
    await index.embed(other)
    expect(asked).toBe(2)
  })

  it("never has vectors of two models, even if two processes embed at once", async () => {
    await index.put({ name: "a.md", text: "cash" })
    const embed = async (texts: readonly string[]) => {
      await index.embed(wordEmbedder)
      return texts.map(() => new Float32Array([1, 0, 0]))
    }
    await expect(index.embed({ name: "test/slow", embed })).rejects.toThrow(
      `another process is embedding the passages with ${wordEmbedder.name} now`,
    )
    const database = openForReading(index.path)
    const [expected] = await wordEmbedder.embed(["cash"])
    expect(database?.prepare("select length(data) as length from vectors").get()?.["length"]).toBe(expected?.length)
    database?.close()
  })

  it("that another process keeps locked is refused with a reason", async () => {
    const [first, second] = [new IndexWriter(index.path), new IndexWriter(index.path)]
    second.database.exec("pragma busy_timeout = 1")
    await first.put({ ...document, name: "a.md", source: "/a.md" }, chunks("tea"))
    expect(() => second.remove("local", "a.md")).toThrow(IndexFault)
    first.close()
    expect(second.remove("local", "a.md")).toBe(true)
    second.close()
  })

  it("of another version is refused with a reason", () => {
    const database = openForWriting(index.path)
    database.exec("pragma user_version = 99")
    database.close()
    expect(() => openForWriting(index.path)).toThrow(IndexFault)
    expect(() => openForReading(index.path)).toThrow(/has version 99; this release supports version 2/)
  })
})
