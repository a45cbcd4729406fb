// Pages of the list of documents in PostgreSQL, and of the passages of one, for those who may find them.
import type { Queries, Value } from "../../postgres/database.ts"
import { numberIn, textIn, textOrNothingIn, type Row } from "../../postgres/row.ts"
import type { DocumentLine } from "../index/catalogue.ts"
import {
  filterWords,
  type DocumentRows,
  type ListedDocument,
  type PageRequest,
  type PassageText,
  type Readers,
} from "../index/document-pages.ts"
import { audienceOf } from "../rights.ts"
import { embeddedPassages } from "./vectors.ts"

/** `$1`: organisation, null for all; `$2`: groups, null for documents of all groups and locked ones. */
const isReadable = `($1::text is null or classes.org = $1)
  and ($2::text[] is null or groups is null or groups && $2::text[])`

const fromReadable = `from turnhouse.documents join turnhouse.document_classes as classes on classes.id = documents.class
  where ${isReadable}`

const columns = `documents.id, documents.org, name, title, source, url, bytes, added_at, language, documents.passages, sets,
  audience, node`

export async function documentRows(queries: Queries, readers: Readers, page: PageRequest): Promise<DocumentRows> {
  const readable = valuesOf(readers)
  const words = filterWords(page.filter)
  const matching = `${fromReadable} ${words.map((_, at) => hasWord(`$${at + 3}`)).join(" ")}`
  const [limit, offset] = [`$${words.length + 3}`, `$${words.length + 4}`]
  const rows = await queries.query(
    `select ${columns} ${matching} order by documents.org collate "C", name collate "C" limit ${limit} offset ${offset}`,
    [...readable, ...words, page.limit, page.offset],
  )
  const orgs = await queries.query(`select distinct documents.org ${fromReadable}`, readable)
  return {
    total: await count(queries, fromReadable, readable),
    matching: await count(queries, matching, [...readable, ...words]),
    documents: rows.map(documentOf),
    orgs: orgs.map((row) => textIn(row, "org")).toSorted(),
  }
}

/** Undefined if these readers may not find it. */
export async function documentRow(
  queries: Queries,
  readers: Readers,
  name: string,
): Promise<ListedDocument | undefined> {
  const [row] = await queries.query(`select ${columns} ${fromReadable} and documents.org = $1 and name = $3`, [
    ...valuesOf({ ...readers, org: readers.org ?? "" }),
    name,
  ])
  return row === undefined ? undefined : documentOf(row)
}

export async function passageTexts(
  queries: Queries,
  { id }: Pick<ListedDocument, "id">,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<readonly PassageText[]> {
  const rows = await queries.query(
    "select ordinal, heading, text from turnhouse.passages where document = $1 and ordinal >= $2 order by ordinal limit $3",
    [id, from, limit],
  )
  return rows.map((row) => ({
    ordinal: numberIn(row, "ordinal"),
    heading: textIn(row, "heading"),
    text: textIn(row, "text"),
  }))
}

export interface SharedLine extends DocumentLine {
  /** The node that it was added on. */
  readonly node: string
}

/** Of one organisation or of all. */
export async function documentLines(queries: Queries, org: string | undefined): Promise<readonly SharedLine[]> {
  const embedded = await embeddedPassages(queries)
  const rows = await queries.query(
    `select ${columns}, root, hash ${fromReadable} order by documents.org collate "C", name collate "C"`,
    valuesOf({ org, groups: undefined }),
  )
  return rows.map((row) => {
    const { id, name, audience, sets, source, url, bytes, addedAt, passages, org: owner } = documentOf(row)
    const place = { source, root: textIn(row, "root"), url, hash: textIn(row, "hash"), node: textIn(row, "node") }
    return { org: owner, name, audience, sets, ...place, bytes, addedAt, passages, embedded: embedded.get(id) ?? 0 }
  })
}

/** Organisations that have documents. */
export async function organisations(queries: Queries): Promise<readonly string[]> {
  const rows = await queries.query("select distinct org from turnhouse.documents")
  return rows.map((row) => textIn(row, "org"))
}

function hasWord(parameter: string): string {
  return `and (position(${parameter} in lower(name)) > 0 or position(${parameter} in lower(title)) > 0
    or exists (select 1 from unnest(sets) as one where position(${parameter} in lower(one)) > 0))`
}

function valuesOf({ org, groups }: Readers): readonly Value[] {
  return [org ?? null, groups === undefined ? null : [...groups]]
}

async function count(queries: Queries, from: string, values: readonly Value[]): Promise<number> {
  const [row] = await queries.query(`select count(*) as found ${from}`, values)
  return row === undefined ? 0 : numberIn(row, "found")
}

function documentOf(row: Row): ListedDocument {
  const sets = row["sets"]
  return {
    id: numberIn(row, "id"),
    org: textIn(row, "org"),
    name: textIn(row, "name"),
    title: textIn(row, "title"),
    source: textIn(row, "source"),
    url: textOrNothingIn(row, "url"),
    bytes: numberIn(row, "bytes"),
    addedAt: numberIn(row, "added_at"),
    language: textIn(row, "language"),
    passages: numberIn(row, "passages"),
    sets: Array.isArray(sets) ? sets.map(String).toSorted() : [],
    audience: audienceOf(textIn(row, "audience")),
  }
}
