// Pages of the list of documents, and of the passages of one, for those who may find them.
import type { DatabaseSync, SQLOutputValue } from "node:sqlite"
import { audienceOf, mayFind, type Audience } from "../rights.ts"

/** Whose documents are listed. */
export interface Readers {
  /** All organisations without one. */
  readonly org: string | undefined
  /** Absent: also what only others, or no one, may find. */
  readonly groups: readonly string[] | undefined
}

export interface ListedDocument {
  readonly id: number
  readonly org: string
  readonly name: string
  readonly title: string
  readonly source: string
  readonly url: string | undefined
  readonly bytes: number
  readonly addedAt: number
  readonly language: string
  readonly passages: number
  readonly sets: readonly string[]
  readonly audience: Audience
}

export interface PageRequest {
  readonly filter: string
  readonly offset: number
  readonly limit: number
}

export interface DocumentRows {
  readonly total: number
  readonly matching: number
  readonly documents: readonly ListedDocument[]
  readonly orgs: readonly string[]
}

export interface PassageText {
  readonly ordinal: number
  readonly heading: string
  readonly text: string
}

export function documentRows(database: DatabaseSync, readers: Readers, page: PageRequest): DocumentRows {
  const classes = classesFor(database, readers)
  const ids = JSON.stringify(classes.map(({ id }) => id))
  const where = "class in (select value from json_each(?))"
  const [words, wanted] = filterOf(page.filter)
  const count = (condition: string, ...values: readonly string[]) =>
    Number(database.prepare(`select count(*) as found from documents where ${condition}`).get(...values)?.["found"])
  const rows = database
    .prepare(`select * from documents where ${where} ${wanted} order by org, name limit ? offset ?`)
    .all(ids, ...words, page.limit, page.offset)
  return {
    total: count(where, ids),
    matching: count(`${where} ${wanted}`, ids, ...words),
    documents: rows.map((row) => documentOf(database, row, classes)),
    orgs: [...new Set(classes.map(({ org }) => org))].toSorted(),
  }
}

/** Undefined if these readers may not find it. */
export function documentRow(database: DatabaseSync, readers: Readers, name: string): ListedDocument | undefined {
  const classes = classesFor(database, readers)
  const row = database.prepare("select * from documents where org = ? and name = ?").get(readers.org ?? "", name)
  const isFound = classes.some(({ id }) => id === row?.["class"])
  return row === undefined || !isFound ? undefined : documentOf(database, row, classes)
}

export function passageTexts(
  database: DatabaseSync,
  { id }: Pick<ListedDocument, "id">,
  { from, limit }: { readonly from: number; readonly limit: number },
): readonly PassageText[] {
  return database
    .prepare("select ordinal, heading, text from passages where document = ? and ordinal >= ? order by ordinal limit ?")
    .all(id, from, limit)
    .map((row) => ({ ordinal: Number(row["ordinal"]), heading: String(row["heading"]), text: String(row["text"]) }))
}

interface ReadableClass {
  readonly id: number
  readonly org: string
  readonly audience: Audience
}

function classesFor(database: DatabaseSync, { org, groups }: Readers): readonly ReadableClass[] {
  return database
    .prepare("select id, org, audience from classes where exists (select 1 from documents where class = classes.id)")
    .all()
    .map((row) => ({
      id: Number(row["id"]),
      org: String(row["org"]),
      audience: audienceOf(String(row["audience"])),
    }))
    .filter((one) => org === undefined || one.org === org)
    .filter((one) => groups === undefined || mayFind({ org: one.org, groups }, one.audience))
}

const MAX_WORDS = 8

export function filterWords(filter: string): readonly string[] {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, MAX_WORDS)
}

/** Each word must occur in the name, the title or a set. */
function filterOf(filter: string): readonly [readonly string[], string] {
  const words = filterWords(filter)
  const one = `and (instr(lower(name), ?) > 0 or instr(lower(title), ?) > 0
    or exists (select 1 from document_sets where document = documents.id and instr(lower(document_sets.name), ?) > 0))`
  return [words.flatMap((word) => [word, word, word]), words.map(() => one).join(" ")]
}

function documentOf(
  database: DatabaseSync,
  row: Record<string, SQLOutputValue>,
  classes: readonly ReadableClass[],
): ListedDocument {
  const id = Number(row["id"])
  const url = row["url"]
  const found = classes.find((one) => one.id === row["class"])
  const sets = database.prepare("select name from document_sets where document = ? order by name").all(id)
  return {
    id,
    org: String(row["org"]),
    name: String(row["name"]),
    title: String(row["title"]),
    source: String(row["source"]),
    url: typeof url === "string" ? url : undefined,
    bytes: Number(row["bytes"]),
    addedAt: Number(row["added_at"]),
    language: String(row["language"]),
    passages: Number(row["passages"]),
    sets: sets.map(({ name }) => String(name)),
    audience: found === undefined ? [] : found.audience,
  }
}
