// Writes and deletes documents in PostgreSQL. One transaction writes at a time, so that the passages of a document have
// consecutive numbers; the counts of a class change in the same transaction.
import type { Queries } from "../../postgres/database.ts"
import { numberIn, textIn, type Row } from "../../postgres/row.ts"
import { analysisOf, passageTerms, type DocumentAnalysis } from "../text/analysis.ts"
import { keyOf, type DocumentKey } from "./compare.ts"
import type { LocalDocument, LocalPassage } from "./local-documents.ts"
import { countInClass, ensureClass } from "./rights-classes.ts"
import { storable, vectorOf } from "./words.ts"

export interface Publisher {
  readonly id: string
  /** Shown to people. */
  readonly node: string
}

/** Passages in one statement. */
const ROWS = 200

export async function lockWriters(queries: Queries): Promise<void> {
  await queries.query("select pg_advisory_xact_lock(hashtext('turnhouse documents'))")
}

/** Returns the other node whose document was replaced. */
export async function writeDocument(
  queries: Queries,
  publisher: Publisher,
  document: LocalDocument,
  passages: Iterable<LocalPassage>,
): Promise<string | undefined> {
  const { org, name, audience, digest } = document
  const replaced = await deleteDocuments(queries, [document])
  const classId = await ensureClass(queries, org, audience)
  const [last] = await queries.query("select coalesce(max(id), 0) as newest from turnhouse.passages")
  const first = last === undefined ? 1 : numberIn(last, "newest") + 1
  const id = await insertDocument(queries, publisher, document, { classId, first })
  const terms = await insertPassages(queries, { id, classId, first }, document, passages)
  await queries.query("update turnhouse.documents set terms = $2 where id = $1", [id, terms])
  await countInClass(queries, classId, { passages: document.passages, terms })
  await queries.query(
    `insert into turnhouse.publications (publisher, org, name, digest) values ($1, $2, $3, $4)
     on conflict (publisher, org, name) do update set digest = excluded.digest, is_removed = false`,
    [publisher.id, org, name, digest],
  )
  return replaced.find((row) => row["publisher"] !== publisher.id)?.["node"]?.toString()
}

interface Place {
  readonly classId: number
  readonly first: number
}

async function insertDocument(
  queries: Queries,
  publisher: Publisher,
  document: LocalDocument,
  { classId, first }: Place,
): Promise<number> {
  const { org, name, sets, source, root, url, hash, bytes, addedAt, language, title, passages } = document
  const [row] = await queries.query(
    `insert into turnhouse.documents (org, name, class, publisher, node, source, root, url, hash, bytes, added_at, language,
       title, sets, first_passage, passages, terms)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::text[], $15, $16, 0) returning id`,
    [
      org,
      name,
      classId,
      publisher.id,
      publisher.node,
      storable(source),
      storable(root),
      url === null ? null : storable(url),
      hash,
      bytes,
      addedAt,
      language,
      storable(title),
      sets,
      first,
      passages,
    ],
  )
  if (row === undefined) throw new Error("a document was not stored")
  return numberIn(row, "id")
}

/** Returns the number of terms of all texts. */
async function insertPassages(
  queries: Queries,
  place: Place & { readonly id: number },
  { name, title, language }: LocalDocument,
  passages: Iterable<LocalPassage>,
): Promise<number> {
  const analysis = analysisOf(name, title, language)
  let terms = 0
  let rows: StoredPassage[] = []
  for (const passage of passages) {
    const row = storedPassage(place.classId, analysis, passage)
    terms += row.terms
    rows.push(row)
    if (rows.length < ROWS) continue
    await insertRows(queries, place, rows)
    rows = []
  }
  if (rows.length > 0) await insertRows(queries, place, rows)
  return terms
}

interface StoredPassage extends LocalPassage {
  readonly terms: number
  readonly words: string
}

function storedPassage(classId: number, analysis: DocumentAnalysis, passage: LocalPassage): StoredPassage {
  const { ordinal, heading, text } = passage
  const found = passageTerms(analysis, heading, text)
  const words = vectorOf(classId, found)
  return { ordinal, heading: storable(heading), text: storable(text), terms: found.body.length, words }
}

async function insertRows(
  queries: Queries,
  { id, classId, first }: Place & { readonly id: number },
  rows: readonly StoredPassage[],
): Promise<void> {
  await queries.query(
    `insert into turnhouse.passages (id, document, class, ordinal, heading, text, terms, words)
     select $3::bigint + ordinal, $1::bigint, $2::integer, ordinal, heading, text, terms, words::tsvector
     from unnest($4::integer[], $5::text[], $6::text[], $7::integer[], $8::text[])
       as one (ordinal, heading, text, terms, words)`,
    [
      id,
      classId,
      first,
      rows.map(({ ordinal }) => ordinal),
      rows.map(({ heading }) => heading),
      rows.map(({ text }) => text),
      rows.map(({ terms }) => terms),
      rows.map(({ words }) => words),
    ],
  )
}

/** With their passages; only those of `publisher` if there is one. */
export async function deleteDocuments(
  queries: Queries,
  keys: readonly DocumentKey[],
  publisher?: Pick<Publisher, "id">,
): Promise<readonly Row[]> {
  const rows = await queries.query(
    `delete from turnhouse.documents
     where (org, name) in (select * from unnest($1::text[], $2::text[])) and ($3::text is null or publisher = $3)
     returning org, name, class, passages, terms, publisher, node`,
    [...columnsOf(keys), publisher?.id ?? null],
  )
  for (const [classId, some] of Map.groupBy(rows, (row) => numberIn(row, "class"))) {
    const sum = (column: string) => some.reduce((all, row) => all - numberIn(row, column), 0)
    await countInClass(queries, classId, { passages: sum("passages"), terms: sum("terms") })
  }
  return rows
}

/** What an index does not have any more. */
export async function forgetDocuments(
  queries: Queries,
  publisher: Pick<Publisher, "id">,
  keys: readonly DocumentKey[],
): Promise<void> {
  await deleteDocuments(queries, keys, publisher)
  await queries.query(
    `delete from turnhouse.publications
     where publisher = $3 and (org, name) in (select * from unnest($1::text[], $2::text[]))`,
    [...columnsOf(keys), publisher.id],
  )
}

/**
 * Removes documents of any node: all or none. The nodes that have them remove them from their index when they write next.
 * Returns those that do not exist; `unwritten`: what exists although it is not in PostgreSQL.
 */
export async function removeDocuments(
  queries: Queries,
  keys: readonly DocumentKey[],
  unwritten: (key: DocumentKey) => boolean = () => false,
): Promise<readonly DocumentKey[]> {
  await lockWriters(queries)
  const found = await queries.query(
    "select org, name from turnhouse.documents where (org, name) in (select * from unnest($1::text[], $2::text[]))",
    columnsOf(keys),
  )
  const there = new Set(found.map((row) => keyOf({ org: textIn(row, "org"), name: textIn(row, "name") })))
  const missing = keys.filter((key) => !there.has(keyOf(key)) && !unwritten(key))
  if (missing.length > 0) return missing
  await deleteDocuments(queries, keys)
  await queries.query(
    `update turnhouse.publications set is_removed = true
     where (org, name) in (select * from unnest($1::text[], $2::text[]))`,
    columnsOf(keys),
  )
  return []
}

function columnsOf(keys: readonly DocumentKey[]): [string[], string[]] {
  return [keys.map(({ org }) => org), keys.map(({ name }) => name)]
}
