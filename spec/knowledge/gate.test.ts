// A small slice of bench/knowledge, on documents written for this test: the search by words is at least as good as SQLite
// FTS5, and vectors do not make it worse.
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, expect, it } from "vitest"
import { qualityOf } from "../../src/knowledge/evaluation/metrics.ts"
import { temporaryIndex, type TemporaryIndex } from "../../src/knowledge/fixtures/temporary-index.ts"
import { wordEmbedder } from "../../src/knowledge/fixtures/word-embedder.ts"
import { openForReading } from "../../src/knowledge/index/schema.ts"
import { IndexReader } from "../../src/knowledge/search/index-reader.ts"
import { search } from "../../src/knowledge/search/search.ts"

const documents: Readonly<Record<string, string>> = {
  "connections.md": "# Connections\n\nThe setting `max_connections` limits how many clients connect at the same time.",
  "backup.md": "# Backups\n\nBackups are written every night. A backup can be restored with the command restore.",
  "pool.md": "# Workers\n\nA ThreadPoolExecutor runs jobs in parallel. It limits how many jobs run at the same time.",
  "refund.md": "# Refunds\n\nThe price is refunded after the parcel has reached us.",
  "shipping.md": "# Shipping\n\nA parcel takes three days. The price of shipping depends on the parcel and its weight.",
  "drucken.md":
    "# Drucken\n\nWählen Sie das Menü, um die Seiten der Broschüre zu drucken. Der Drucker muss bereit sein.",
  "silben.md":
    "# Silbentrennung\n\nDie Trennung von Silben ist für einzelne Wörter ausgeschaltet, wenn das Menü es erlaubt.",
  "cellules.md": "# Protection\n\nLes cellules du tableau sont protégées contre les modifications par un mot de passe.",
  "celdas.md": "# Protección\n\nLas celdas de la tabla se protegen contra los cambios con una contraseña.",
  "m1.md": "# Vacuum\n\nReclaims the space of deleted rows, so that files do not grow without end.",
  "m2.md": "# Replication\n\nSends each change to a second server, which can take over.",
  "nightly.md":
    "# Maintenance\n\nThe vacuum comes first. A vacuum takes long; the next vacuum waits for the vacuum before it.",
  "messages.md":
    "# Log messages\n\nReplication started. Replication ended. Replication failed: the replication slot is gone.",
  "脚注.md": "# 脚注\n\n在文档中插入脚注，可以为读者提供更多信息。",
}

const questions: readonly (readonly [string, string])[] = [
  ["How many clients can connect?", "connections.md"],
  ["max_connections", "connections.md"],
  ["restoring backups", "backup.md"],
  ["thread pool", "pool.md"],
  ["ThreadPoolExecutor", "pool.md"],
  ["When is the price refunded?", "refund.md"],
  ["How long does shipping take?", "shipping.md"],
  ["vacuum", "m1.md"],
  ["What is replication?", "m2.md"],
  ["Wie drucke ich eine Seite?", "drucken.md"],
  ["Silbentrennungsregel", "silben.md"],
  ["protéger une cellule", "cellules.md"],
  ["proteger una celda", "celdas.md"],
  ["插入脚注", "脚注.md"],
]

let index: TemporaryIndex

beforeAll(async () => {
  index = temporaryIndex()
  await index.put(...Object.entries(documents).map(([name, text]) => ({ name, text })))
  await index.embed(wordEmbedder)
})
afterAll(() => index.delete())

it("by words ranks at least as well as FTS5 with its stemmer, and with vectors not worse", async () => {
  const database = openForReading(index.path)
  if (database === undefined) throw new Error("there is no index")
  const reader = new IndexReader(database)
  const found = (text: string, vector?: Float32Array) =>
    search(reader, { text, limit: 10, rights: { org: "local", groups: "all" }, sets: [] }, vector).map(({ id }) => id)
  const vectors = await wordEmbedder.embed(questions.map(([text]) => text))
  const words = qualityOf(questions.map(([text, right]) => ({ right: [right], found: found(text) })))
  const both = qualityOf(questions.map(([text, right], at) => ({ right: [right], found: found(text, vectors[at]) })))
  const fts5 = fts5Quality()
  database.close()
  expect(words.recallAt1).toBeGreaterThanOrEqual(fts5.recallAt1)
  expect(words.mrr).toBeGreaterThanOrEqual(fts5.mrr)
  expect(words.recallAt1).toBeGreaterThan(0.9)
  expect(both.recallAt1).toBeGreaterThanOrEqual(words.recallAt1)
  expect(fts5.recallAt1).toBeGreaterThan(0.4) // else the comparison would mean nothing
})

function fts5Quality() {
  const database = new DatabaseSync(":memory:")
  database.exec("create virtual table found using fts5(name, body, tokenize = 'porter unicode61')")
  const insert = database.prepare("insert into found values (?, ?)")
  for (const [name, text] of Object.entries(documents)) insert.run(name, text)
  const query = database.prepare("select name from found where found match ? order by bm25(found), rowid limit 10")
  const judged = questions.map(([text, right]) => {
    const words = (text.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => `"${word}"`)
    return { right: [right], found: query.all(words.join(" OR ")).map((row) => String(row["name"])) }
  })
  database.close()
  return qualityOf(judged)
}
