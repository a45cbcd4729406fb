// Creates missing vectors in small batches; each batch is searchable at once, and an interrupted run continues where it
// stopped. A different model replaces all vectors.
import type { DatabaseSync } from "node:sqlite"
import type { Embedder } from "../embedder.ts"
import { stored } from "../search/vectors.ts"
import { embedderOf, IndexFault, inTransaction } from "./schema.ts"

const batch = 16

export interface Embedding {
  readonly done: number
  readonly of: number
}

export async function* embedMissing(
  database: DatabaseSync,
  embedder: Embedder,
  signal?: AbortSignal,
): AsyncGenerator<Embedding, void, undefined> {
  const all = missingVectors(database, embedder.name)
  if (embedderOf(database) !== embedder.name) startAnew(database, embedder.name)
  const next = database.prepare(`select id, class, heading, text from ${missing} and id > ? order by id limit ${batch}`)
  for (let done = 0, last = 0; ;) {
    const rows = next.all(last)
    if (rows.length === 0) return
    const texts = rows.map((row) => [row["heading"], row["text"]].filter((part) => part !== "").join("\n"))
    const vectors = await embedder.embed(texts, signal)
    inTransaction(database, () => {
      checkEmbedderUnchanged(database, embedder.name)
      for (const [at, row] of rows.entries()) {
        const vector = vectors[at]
        if (vector !== undefined) storeVector(database, Number(row["id"]), Number(row["class"]), vector)
      }
    })
    last = Number(rows.at(-1)?.["id"])
    done += rows.length
    yield { done, of: Math.max(all, done) }
  }
}

/** Passages without a vector of this model. */
export function missingVectors(database: DatabaseSync, embedder: string): number {
  const from = embedderOf(database) === embedder ? missing : "passages"
  return Number(database.prepare(`select count(*) as missing from ${from}`).get()?.["missing"])
}

const missing = "passages where not exists (select 1 from vectors where passage = passages.id)"

function startAnew(database: DatabaseSync, embedder: string): void {
  inTransaction(database, () => {
    database.exec("delete from vectors; update classes set changes = changes + 1")
    database.prepare("insert or replace into settings (name, value) values ('embedder', ?)").run(embedder)
  })
}

/** Another process may have changed the model; vectors of two models must not be mixed. */
function checkEmbedderUnchanged(database: DatabaseSync, embedder: string): void {
  const now = embedderOf(database)
  if (now !== embedder)
    throw new IndexFault(`another process is embedding the passages with ${now ?? "another model"} now`)
}

/** Another process may have removed the passage. */
function storeVector(database: DatabaseSync, passage: number, classId: number, vector: Float32Array): void {
  const { data, bits } = stored(vector)
  const { changes } = database
    .prepare(
      `insert or replace into vectors (passage, class, bits, data)
       select id, class, ?, ? from passages where id = ?`,
    )
    .run(bits, data, passage)
  if (changes > 0) database.prepare("update classes set changes = changes + 1 where id = ?").run(classId)
}
