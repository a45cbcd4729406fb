// The search engines that are compared. Each gets the same passages and the plain text of a question.
import { DatabaseSync } from "node:sqlite"
import MiniSearch from "minisearch"
import { IndexWriter } from "../../src/knowledge/index/writer.ts"
import { openForReading } from "../../src/knowledge/index/schema.ts"
import { IndexReader } from "../../src/knowledge/search/index-reader.ts"
import { search } from "../../src/knowledge/search/search.ts"
import type { Chunk } from "../../src/knowledge/text/chunker.ts"
import type { CorpusDocument } from "./corpus-text.ts"

/** Names of documents for a question, the best first; a document may occur several times. */
export type Ask = (question: string) => readonly string[]
export type Engine = (documents: readonly CorpusDocument[], folder: string) => Promise<Ask>

/** Passages that are asked for: enough to name ten documents. */
const PASSAGES = 50

export const engines: Readonly<Record<string, Engine>> = {
  turnhouse,
  "FTS5 passages": (documents) => fts5(documents.flatMap(passagesOf)),
  "FTS5 documents": (documents) => fts5(documents.map(wholeDocument)),
  minisearch: miniSearch,
}

interface Row {
  readonly name: string
  readonly title: string
  readonly heading: string
  readonly text: string
}

async function turnhouse(documents: readonly CorpusDocument[], folder: string): Promise<Ask> {
  const path = `${folder}/knowledge.db`
  const writer = new IndexWriter(path)
  for (const { name, chunks } of documents) {
    const place = { source: name, root: "/", url: undefined, hash: name, bytes: 0, addedAt: 0 }
    await writer.put({ org: "local", name, audience: undefined, sets: [], ...place }, once(chunks))
  }
  writer.close()
  const database = openForReading(path)
  if (database === undefined) throw new Error("there is no index")
  const reader = new IndexReader(database)
  const rights = { org: "local", groups: "all" } as const
  return (text) => search(reader, { text, limit: PASSAGES, rights, sets: [] }, undefined).map(({ id }) => id)
}

async function* once(chunks: readonly Chunk[]): AsyncGenerator<readonly Chunk[]> {
  yield chunks
}

function passagesOf({ name, chunks }: CorpusDocument): readonly Row[] {
  const title = titleOf(chunks)
  return chunks.map(({ headings, text }) => ({ name, title, heading: headings.join(" "), text }))
}

function wholeDocument({ name, chunks }: CorpusDocument): Row {
  const headings = [...new Set(chunks.flatMap((chunk) => chunk.headings))]
  const text = chunks.map((chunk) => chunk.text).join("\n\n")
  return { name, title: titleOf(chunks), heading: headings.join(" "), text }
}

function titleOf(chunks: readonly Chunk[]): string {
  return chunks.find(({ headings }) => headings.length > 0)?.headings[0] ?? ""
}

/** SQLite's full-text search with its stemmer for English; a passage needs any of the words. */
async function fts5(rows: readonly Row[]): Promise<Ask> {
  const database = new DatabaseSync(":memory:")
  database.exec("create virtual table found using fts5(name, title, heading, body, tokenize = 'porter unicode61')")
  const insert = database.prepare("insert into found values (?, ?, ?, ?)")
  database.exec("begin")
  for (const { name, title, heading, text } of rows) insert.run(name, title, heading, text)
  database.exec("commit")
  const query = database.prepare(
    `select name from found where found match ? order by bm25(found), rowid limit ${PASSAGES}`,
  )
  return (question) => {
    const words = question.match(/[\p{L}\p{N}]+/gu) ?? []
    return query.all(words.map((word) => `"${word}"`).join(" OR ")).map((row) => String(row["name"]))
  }
}

async function miniSearch(documents: readonly CorpusDocument[]): Promise<Ask> {
  const rows = documents.flatMap(passagesOf)
  const index = new MiniSearch({ fields: ["name", "title", "heading", "text"] })
  index.addAll(rows.map((row, id) => ({ id, ...row })))
  return (question) =>
    index
      .search(question)
      .slice(0, PASSAGES)
      .map(({ id }) => rows[Number(id)]?.name ?? "")
}
