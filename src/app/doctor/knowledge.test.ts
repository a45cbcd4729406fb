import { renameSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { temporaryIndex, type TemporaryIndex } from "../../knowledge/fixtures/temporary-index.ts"
import { wordEmbedder } from "../../knowledge/fixtures/word-embedder.ts"
import { openForWriting } from "../../knowledge/index/schema.ts"
import { knowledgeChecks } from "./knowledge.ts"
import { runChecks } from "./run-checks.ts"

let index: TemporaryIndex

beforeEach(() => (index = temporaryIndex()))
afterEach(() => index.delete())

async function found(embeddings: string) {
  const [finding] = await runChecks(knowledgeChecks(index.folder, { knowledge: { embeddings } }), 5000)
  return finding
}

it("reports nothing without documents", async () => {
  expect(await found("off")).toBeUndefined()
})

it("reports how documents are found, and which vectors are missing", async () => {
  await index.put({ name: "a.md", text: "cash" })
  expect(await found("off")).toMatchObject({ level: "ok", what: "1 documents, full-text search" })
  expect(await found("test/words")).toMatchObject({ level: "warning", what: expect.stringContaining("no vectors of") })
  await index.embed(wordEmbedder)
  expect(await found("test/words")).toMatchObject({ level: "ok", what: expect.stringContaining("vector search") })
  await index.put({ name: "b.md", text: "car" })
  expect(await found("test/words")).toMatchObject({ level: "warning", what: expect.stringContaining("1 passages") })
})

it("warns about the model that earlier releases had", async () => {
  await index.put({ name: "a.md", text: "tea" })
  expect(await found("local")).toMatchObject({ level: "warning", what: expect.stringContaining("no model of its own") })
})

it("reports an index that cannot be read", async () => {
  const other = join(index.folder, "other.db")
  const database = openForWriting(other)
  database.exec("pragma user_version = 99")
  database.close()
  renameSync(other, index.path)
  expect(await found("off")).toMatchObject({ level: "problem", what: expect.stringContaining("has version 99") })
})
