// Lists the documents of the index.
import type { DatabaseSync, SQLOutputValue } from "node:sqlite"
import { audienceOf } from "../rights.ts"
import { statementsOf } from "./sql.ts"
import type { NewDocument } from "./writer.ts"

export interface DocumentLine extends NewDocument {
  readonly passages: number
  /** Passages that have a vector. */
  readonly embedded: number
}

export function listDocuments(database: DatabaseSync, org: string | undefined): readonly DocumentLine[] {
  const where = org === undefined ? "" : "where documents.org = ?"
  const query = database.prepare(`${select(counts)} ${where} order by documents.org, documents.name`)
  return (org === undefined ? query.all() : query.all(org)).map(lineOf)
}

export type KnownDocument = Omit<DocumentLine, "embedded">

/** Asked for each document that is read. */
export function findDocument(database: DatabaseSync, org: string, name: string): KnownDocument | undefined {
  const sql = prepared.get(database) ?? statementsOf(database)
  prepared.set(database, sql)
  const row = sql(`${select("")} where documents.org = ? and documents.name = ?`).get(org, name)
  return row === undefined ? undefined : knownOf(row)
}

const prepared = new WeakMap<DatabaseSync, ReturnType<typeof statementsOf>>()

const counts = `,
    (select count(*) from passages join vectors on vectors.passage = passages.id where document = documents.id) as embedded`

function select(more: string): string {
  return `
  select documents.*, classes.audience,
    (select json_group_array(name) from (select name from document_sets where document = documents.id order by name)) as sets
    ${more}
  from documents join classes on classes.id = documents.class`
}

function lineOf(row: Record<string, SQLOutputValue>): DocumentLine {
  return { ...knownOf(row), embedded: Number(row["embedded"]) }
}

function knownOf(row: Record<string, SQLOutputValue>): KnownDocument {
  const url = row["url"]
  const sets: unknown = JSON.parse(String(row["sets"]))
  return {
    org: String(row["org"]),
    name: String(row["name"]),
    audience: audienceOf(String(row["audience"])),
    sets: Array.isArray(sets) ? sets.map(String) : [],
    source: String(row["source"]),
    root: String(row["root"]),
    url: typeof url === "string" ? url : undefined,
    hash: String(row["hash"]),
    bytes: Number(row["bytes"]),
    addedAt: Number(row["added_at"]),
    passages: Number(row["passages"]),
  }
}
