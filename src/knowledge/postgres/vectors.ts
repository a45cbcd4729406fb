// Vectors of passages in PostgreSQL, which needs the extension pgvector. They are those of the local indexes; a search
// compares those of its own model only.
import type { DatabaseSync } from "node:sqlite"
import type { Database, Queries } from "../../postgres/database.ts"
import { migrate, type Step } from "../../postgres/migrate.ts"
import { numberIn, textIn } from "../../postgres/row.ts"
import type { RightsClass } from "../index/classes.ts"
import { embedderOf, IndexFault } from "../index/schema.ts"
import { MIN_COSINE, MIN_SAMPLED, NEAR_CANDIDATES, sampledPairs, usualLimit } from "../search/nearness-limit.ts"
import type { Near } from "../search/search-reader.ts"
import { lockWriters } from "./write-documents.ts"

/** Throws IndexFault where the database has no vectors. Creates the table. */
export async function openVectors(database: Database): Promise<void> {
  const [found] = await database.query("select 1 as found from pg_extension where extname = 'vector'")
  if (found === undefined) {
    const what = `search by meaning needs the extension pgvector, which the database ${database.server} does not have`
    throw new IndexFault(`${what}. Run "create extension vector" there, or remove knowledge.embeddings.`)
  }
  await migrate(database, "document vectors", steps)
}

const steps: readonly Step[] = [
  {
    keepsOlder: false,
    sql: `
      create table turnhouse.passage_vectors (
        passage bigint primary key references turnhouse.passages (id) on delete cascade,
        class integer not null,
        model text not null,
        size integer not null,
        embedding vector not null
      );
      create index passage_vectors_of_class on turnhouse.passage_vectors (class, model, passage);
    `,
  },
]

/** Passages in one transaction. */
const BATCH = 200

/** Writes the vectors of a local index that PostgreSQL does not have. Returns their number. */
export async function publishVectors(
  local: DatabaseSync,
  database: Database,
  { publisher, signal }: { readonly publisher: string; readonly signal: AbortSignal | undefined },
): Promise<number> {
  const model = embedderOf(local)
  if (model === undefined) return 0
  const vectorOf = local.prepare(
    `select vectors.data from vectors join passages on passages.id = vectors.passage
     join documents on documents.id = passages.document where documents.org = ? and documents.name = ? and ordinal = ?`,
  )
  let written = 0
  for (let last = 0; ;) {
    const rows = await database.query(missing, [publisher, model, last, BATCH])
    if (rows.length === 0 || signal?.aborted === true) break
    const found = rows.flatMap((row) => {
      const data = vectorOf.get(textIn(row, "org"), textIn(row, "name"), numberIn(row, "ordinal"))?.["data"]
      const vector = data instanceof Uint8Array ? bytesOf(data) : undefined
      return vector === undefined ? [] : [{ id: numberIn(row, "id"), vector }]
    })
    if (found.length > 0) await insertVectors(database, model, found)
    written += found.length
    last = numberIn(rows.at(-1) ?? {}, "id")
  }
  return written
}

const missing = `select one.id, org, name, ordinal from turnhouse.passages as one
  join turnhouse.documents on documents.id = one.document
  where publisher = $1 and one.id > $3
    and not exists (select 1 from turnhouse.passage_vectors as other where other.passage = one.id and other.model = $2)
  order by one.id limit $4`

interface PassageVector {
  readonly id: number
  readonly vector: Int8Array
}

/** A passage may have been replaced meanwhile. */
async function insertVectors(database: Database, model: string, found: readonly PassageVector[]): Promise<void> {
  await database.transaction(async (queries) => {
    await lockWriters(queries)
    const rows = await queries.query(
      `insert into turnhouse.passage_vectors (passage, class, model, size, embedding)
       select one.id, one.class, $3, vector_dims(given.embedding::vector), given.embedding::vector
       from unnest($1::bigint[], $2::text[]) as given (id, embedding) join turnhouse.passages as one on one.id = given.id
       on conflict (passage) do update set model = excluded.model, size = excluded.size, embedding = excluded.embedding
       returning class`,
      [found.map(({ id }) => id), found.map(({ vector }) => textOf(vector)), model],
    )
    const classes = [...new Set(rows.map((row) => numberIn(row, "class")))]
    await queries.query("update turnhouse.document_classes set changes = changes + 1 where id = any($1::integer[])", [
      classes,
    ])
  })
}

/** For each document how many of its passages have a vector; empty without pgvector. */
export async function embeddedPassages(queries: Queries): Promise<ReadonlyMap<number, number>> {
  const [table] = await queries.query("select to_regclass('turnhouse.passage_vectors') is not null as there")
  if (table?.["there"] !== true) return new Map()
  const rows = await queries.query(
    `select document, count(*) as found from turnhouse.passage_vectors as one
     join turnhouse.passages on passages.id = one.passage group by document`,
  )
  return new Map(rows.map((row) => [numberIn(row, "document"), numberIn(row, "found")]))
}

/** The similarities that are usual in classes, until these change. */
export class UsualLimits {
  readonly #known = new Map<number, { readonly changes: number; readonly limit: number | undefined }>()

  /** Undefined where too few passages have a vector. */
  async of(queries: Queries, { id, changes }: RightsClass, model: string, size: number): Promise<number | undefined> {
    const known = this.#known.get(id)
    if (known?.changes === changes) return known.limit
    const limit = await readUsualLimit(queries, [id, model, size])
    this.#known.set(id, { changes, limit })
    return limit
  }
}

type OfClass = readonly [classId: number, model: string, size: number]

const ofClass = "turnhouse.passage_vectors where class = $1 and model = $2 and size = $3"

async function readUsualLimit(queries: Queries, ofOne: OfClass): Promise<number | undefined> {
  const [counted] = await queries.query(`select count(*) as found from ${ofClass}`, ofOne)
  const passages = counted === undefined ? 0 : numberIn(counted, "found")
  if (passages < MIN_SAMPLED) return undefined
  const pairs = sampledPairs(passages)
  const rows = await queries.query(
    `with numbered as (select embedding, row_number() over (order by passage) - 1 as place from ${ofClass})
     select 1 - (one.embedding <=> other.embedding) as similarity
     from unnest($4::integer[], $5::integer[]) as pair (one, other)
     join numbered as one on one.place = pair.one join numbered as other on other.place = pair.other`,
    [...ofOne, pairs.map(([one]) => one), pairs.map(([, other]) => other)],
  )
  return usualLimit(rows.map((row) => similarityIn(row["similarity"])))
}

/** `allowed`: only these passages; undefined: all of the class. */
export async function nearestPassages(
  queries: Queries,
  ofOne: OfClass,
  query: Int8Array,
  { allowed, limit }: { readonly allowed: ReadonlySet<number> | undefined; readonly limit: number | undefined },
): Promise<readonly Near[]> {
  const rows = await queries.query(
    `select passage, 1 - (embedding <=> $4::text::vector) as similarity from ${ofClass}
       and ($5::bigint[] is null or passage = any($5::bigint[]))
     order by embedding <=> $4::text::vector, passage limit ${NEAR_CANDIDATES}`,
    [...ofOne, textOf(query), allowed === undefined ? null : [...allowed]],
  )
  return rows.flatMap((row) => {
    const relevance = similarityIn(row["similarity"])
    const near = { id: numberIn(row, "passage"), relevance, fit: limit === undefined ? 0 : 1 }
    return relevance < (limit ?? MIN_COSINE) ? [] : [near]
  })
}

/** A vector of zeros is similar to none. */
function similarityIn(value: unknown): number {
  return typeof value === "number" && !Number.isNaN(value) ? value : 0
}

function textOf(vector: Int8Array): string {
  return `[${vector.join(",")}]`
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Int8Array {
  return new Int8Array(buffer, byteOffset, byteLength)
}
