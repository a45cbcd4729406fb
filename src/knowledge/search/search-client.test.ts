import { renameSync } from "node:fs"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { temporaryIndex, type TemporaryIndex } from "../fixtures/temporary-index.ts"
import { wordEmbedder } from "../fixtures/word-embedder.ts"
import { openForWriting } from "../index/schema.ts"
import { SearchClient, type SearchClientOptions } from "./search-client.ts"

let index: TemporaryIndex
const clients: SearchClient[] = []

beforeEach(() => (index = temporaryIndex()))
afterEach(async () => {
  for (const made of clients.splice(0)) await made.close()
  index.delete()
})

function client(options: Partial<SearchClientOptions> = {}): SearchClient {
  const made = new SearchClient({ path: index.path, embedder: undefined, ...options })
  clients.push(made)
  return made
}

function question(text: string) {
  return { text, limit: 5, rights: { org: "local", groups: [] }, sets: [] }
}

async function ids(from: SearchClient, text: string): Promise<readonly string[]> {
  return (await from.search(question(text))).map(({ id }) => id)
}

describe("searching from a session", () => {
  it("uses words alone while the embedding provider is down, and says so once", async () => {
    await index.put({ name: "money.md", text: "The refund comes soon." })
    await index.embed(wordEmbedder)
    let isDown = true
    const reasons: string[] = []
    const embed: typeof wordEmbedder.embed = async (texts) => {
      if (isDown) throw new Error("connection refused")
      return wordEmbedder.embed(texts)
    }
    const onWordsOnly = (reason: string) => reasons.push(reason)
    const searching = client({ embedder: { ...wordEmbedder, embed }, onWordsOnly, pauseMs: 0 })
    expect(await ids(searching, "when is the refund?")).toEqual(["money.md"])
    expect(await ids(searching, "my cash")).toEqual([])
    expect(reasons).toEqual(["connection refused"])
    isDown = false
    expect(await ids(searching, "my cash")).toEqual(["money.md"])
  })

  it("finds nothing without an index, and searches one as soon as it exists", async () => {
    const searching = client()
    expect(searching.exists).toBe(false)
    expect(await ids(searching, "tea")).toEqual([])
    await index.put({ name: "tea.md", text: "Tea." })
    expect(searching.exists).toBe(true)
    expect(await ids(searching, "tea")).toEqual(["tea.md"])
    await index.put({ name: "more.md", text: "More tea." })
    expect(await ids(searching, "tea")).toHaveLength(2)
  })

  it("answers concurrent questions", async () => {
    const names = Array.from({ length: 30 }, (_, at) => `word${at}x`)
    await index.put(...names.map((name) => ({ name: `${name}.md`, text: `About ${name}.` })))
    const searching = client()
    expect(await Promise.all(names.map((name) => ids(searching, name)))).toEqual(names.map((name) => [`${name}.md`]))
  })

  it("searches by meaning when the index has vectors of the same model, else by words alone", async () => {
    await index.put({ name: "money.md", text: "The refund." }, { name: "car.md", text: "A vehicle." })
    await index.embed(wordEmbedder)
    expect(await ids(client({ embedder: wordEmbedder }), "cash")).toEqual(["money.md"])
    expect(await ids(client({ embedder: { ...wordEmbedder, name: "test/other" } }), "cash")).toEqual([])
  })

  it("embeds the passages again in the background when the model has changed, and what is missing", async () => {
    await index.put({ name: "money.md", text: "The refund." }, { name: "car.md", text: "A vehicle." })
    await index.embed({ ...wordEmbedder, name: "test/older" })
    const reasons: string[] = []
    const options = { embedder: wordEmbedder, onEmbeddingFailed: (reason: string) => reasons.push(reason) }
    const searching = client(options)
    await ids(searching, "cash")
    await searching.embedded()
    expect(await ids(searching, "cash")).toEqual(["money.md"])
    await index.put({ name: "late.md", text: "The refund comes late." })
    const later = client(options)
    await ids(later, "cash")
    await later.embedded()
    expect((await ids(later, "cash")).toSorted()).toEqual(["late.md", "money.md"])
    expect(reasons).toEqual([])
  })

  it("embeds what another process has left, also if that began before the first search", async () => {
    await index.put({ name: "money.md", text: "The refund." })
    const failing = { ...wordEmbedder, embed: () => Promise.reject(new Error("no connection")) }
    await expect(index.embed(failing)).rejects.toThrow("no connection")
    const after = client({ embedder: wordEmbedder, onEmbeddingFailed: () => {} })
    await ids(after, "cash")
    await after.embedded()
    expect(await ids(after, "cash")).toEqual(["money.md"])

    await index.put({ name: "price.md", text: "The price." })
    using database = openForWriting(index.path)
    const lease = (until: number) =>
      database.prepare("insert or replace into settings values ('embedding_until', ?)").run(String(until))
    lease(Date.now() + 60_000)
    const searching = client({ embedder: wordEmbedder, onEmbeddingFailed: () => {}, pauseMs: 0 })
    await ids(searching, "cash")
    await searching.embedded()
    expect(await ids(searching, "cash")).toEqual(["money.md"])
    await searching.embedded()
    lease(0)
    await ids(searching, "cash")
    await searching.embedded()
    expect(await ids(searching, "cash")).toHaveLength(2)
  })

  it("leaves vectors of another model alone while the provider is down, and reports one that fails in the middle", async () => {
    await index.put({ name: "money.md", text: "The refund." })
    await index.embed({ ...wordEmbedder, name: "test/older" })
    const reasons: string[] = []
    let calls = 0
    const failing =
      (from: number): typeof wordEmbedder.embed =>
      async (texts) => {
        if ((calls += 1) >= from) throw new Error("quota exceeded")
        return wordEmbedder.embed(texts)
      }
    const made = (from: number) =>
      client({
        embedder: { ...wordEmbedder, embed: failing(from) },
        onEmbeddingFailed: (reason) => reasons.push(reason),
      })
    const down = made(1)
    await ids(down, "refund")
    await down.embedded()
    expect(reasons).toEqual([])
    expect(await ids(client({ embedder: { ...wordEmbedder, name: "test/older" } }), "cash")).toEqual(["money.md"])
    calls = 0
    const stops = made(2)
    await ids(stops, "refund")
    await stops.embedded()
    expect(reasons).toEqual(["quota exceeded"])
  })

  it("sees vectors that were added after its first search", async () => {
    await index.put({ name: "money.md", text: "The refund." })
    const searching = client({ embedder: wordEmbedder })
    expect(await ids(searching, "cash")).toEqual([])
    await index.embed(wordEmbedder)
    expect(await ids(searching, "cash")).toEqual(["money.md"])
    await index.put({ name: "price.md", text: "The price." })
    await index.embed(wordEmbedder)
    expect(await ids(searching, "cash")).toHaveLength(2)
  })

  it("sees an index file that replaced another", async () => {
    await index.put({ name: "old.md", text: "Tea." })
    const searching = client()
    expect(await ids(searching, "tea")).toEqual(["old.md"])
    const first = index
    index = temporaryIndex()
    await index.put({ name: "new.md", text: "Tea." })
    renameSync(index.path, first.path)
    expect(await ids(searching, "tea")).toEqual(["new.md"])
    first.delete()
  })

  it("ends its thread when idle, and starts a new one", async () => {
    await index.put({ name: "tea.md", text: "Tea." })
    const searching = client({ idleMs: 1 })
    for (let round = 0; round < 3; round++) {
      expect(await ids(searching, "tea")).toEqual(["tea.md"])
      await searching.ended()
    }
  })

  it("works while its thread is being terminated", async () => {
    await index.put({ name: "tea.md", text: "Tea." })
    const searching = client()
    expect(await ids(searching, "tea")).toEqual(["tea.md"])
    const closing = searching.close()
    expect(await ids(searching, "tea")).toEqual(["tea.md"])
    await closing
  })

  it("reports what is wrong with an unreadable index", async () => {
    const database = openForWriting(index.path)
    database.exec("pragma user_version = 99")
    database.close()
    await expect(client().search(question("tea"))).rejects.toThrow("has version 99")
  })

  it("accepts a question of any length, and ignores a blank one", async () => {
    await index.put({ name: "tea.md", text: "Tea." })
    expect(await ids(client(), `tea ${"x ".repeat(100_000)}`)).toEqual(["tea.md"])
    expect(await ids(client(), " \n ")).toEqual([])
  })

  it("stops when the caller aborts", async () => {
    await index.put({ name: "tea.md", text: "Tea." })
    const asking = client().search(question("tea"), AbortSignal.abort())
    await expect(asking).rejects.toThrow("aborted")
  })
})
