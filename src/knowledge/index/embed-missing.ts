// Creates missing vectors in small batches; each batch is searchable at once, and an interrupted run continues where it
// stopped. A different model, or one that now gives vectors of another length, replaces all vectors. One process embeds at a
// time, so that no passage is paid for twice.
import type { DatabaseSync } from "node:sqlite"
import type { Embedder } from "../embedder.ts"
import { stored } from "../search/vectors.ts"
import { embedderOf, IndexFault, vectorSize } from "./schema.ts"
import { inTransaction } from "./sql.ts"

const batch = 16
/** After each batch a process has this long for the next one; it is longer than the timeout of a request. */
const LEASE_MS = 120_000

export interface Embedding {
  readonly done: number
  readonly of: number
}

export async function* embedMissing(
  database: DatabaseSync,
  embedder: Embedder,
  signal?: AbortSignal,
): AsyncGenerator<Embedding, void, undefined> {
  const lease: Lease = { until: undefined }
  try {
    yield* embedBatches(database, embedder, lease, signal)
  } finally {
    endLease(database, lease) // also after a failure, so that the next search can continue
  }
}

async function* embedBatches(
  database: DatabaseSync,
  embedder: Embedder,
  lease: Lease,
  signal: AbortSignal | undefined,
): AsyncGenerator<Embedding, void, undefined> {
  if (embedderOf(database) !== embedder.name) startAnew(database, embedder.name)
  const all = missingVectors(database, embedder.name)
  renewLease(database, lease)
  const next = database.prepare(`select id, class, heading, text from ${missing} and id > ? order by id limit ${batch}`)
  for (let done = 0, last = 0; ;) {
    const rows = next.all(last)
    if (rows.length === 0) return
    const texts = rows.map((row) => [row["heading"], row["text"]].filter((part) => part !== "").join("\n"))
    const vectors = await embedder.embed(texts, signal)
    const size = vectors[0]?.length ?? 0
    checkModel(database, embedder.name)
    if (done === 0 && !fitsIndex(database, size)) {
      startAnew(database, embedder.name)
      yield* embedBatches(database, embedder, lease, signal)
      return
    }
    inTransaction(database, () => {
      checkModel(database, embedder.name)
      checkSize(database, embedder.name, size)
      renewLease(database, lease)
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

/** Whether vectors of this length can be compared with those of the index. */
export function fitsIndex(database: DatabaseSync, size: number): boolean {
  const known = vectorSize(database)
  return known === undefined || known === size
}

/** Whether a process is embedding passages, or was a moment ago. */
export function isBeingEmbedded(database: DatabaseSync): boolean {
  const until = database.prepare("select value from settings where name = 'embedding_until'").get()?.["value"]
  return Number(until ?? 0) > Date.now()
}

interface Lease {
  until: string | undefined
}

function renewLease(database: DatabaseSync, lease: Lease): void {
  lease.until = String(Date.now() + LEASE_MS)
  database.prepare("insert or replace into settings (name, value) values ('embedding_until', ?)").run(lease.until)
}

/** Unless another process has renewed it. */
function endLease(database: DatabaseSync, { until }: Lease): void {
  if (until === undefined) return
  database.prepare("delete from settings where name = 'embedding_until' and value = ?").run(until)
}

/** Passages without a vector of this model. */
export function missingVectors(database: DatabaseSync, embedder: string): number {
  const from = embedderOf(database) === embedder ? missing : "passages"
  return Number(database.prepare(`select count(*) as missing from ${from}`).get()?.["missing"])
}

const missing = "passages where not exists (select 1 from vectors where passage = passages.id)"

/** Removes the vectors of another model, or of another length. */
export function startAnew(database: DatabaseSync, embedder: string): void {
  inTransaction(database, () => {
    database.exec("delete from vectors; update classes set changes = changes + 1")
    database.prepare("insert or replace into settings (name, value) values ('embedder', ?)").run(embedder)
  })
}

/** Another process may have changed the model; vectors of two models must not be mixed. */
function checkModel(database: DatabaseSync, embedder: string): void {
  const now = embedderOf(database)
  if (now !== embedder)
    throw new IndexFault(`another process is embedding the passages with ${now ?? "another model"} now`)
}

function checkSize(database: DatabaseSync, embedder: string, size: number): void {
  if (!fitsIndex(database, size))
    throw new IndexFault(`${embedder} gives vectors of ${size} numbers and of ${vectorSize(database)}`)
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
