// The documents of a local index, as they are written to PostgreSQL.
import { createHash, randomUUID } from "node:crypto"
import type { DatabaseSync, SQLOutputValue } from "node:sqlite"
import { indexVersion } from "../index/schema.ts"
import { audienceOf, type Audience } from "../rights.ts"
import { isLanguage, type Language } from "../text/languages.ts"

export interface LocalDocument {
  readonly id: number
  readonly org: string
  readonly name: string
  readonly audience: Audience
  readonly sets: readonly string[]
  readonly source: string
  readonly root: string
  readonly url: string | null
  readonly hash: string
  readonly bytes: number
  readonly addedAt: number
  readonly language: Language
  readonly title: string
  readonly passages: number
  /** Of everything that is written: a document of the same digest is not written again. */
  readonly digest: string
}

const select = `select documents.*, classes.audience,
    (select json_group_array(name) from (select name from document_sets where document = documents.id order by name)) as sets
  from documents join classes on classes.id = documents.class order by documents.id`

export function localDocuments(database: DatabaseSync): readonly LocalDocument[] {
  return database.prepare(select).all().map(documentOf)
}

function documentOf(row: Record<string, SQLOutputValue>): LocalDocument {
  const sets: unknown = JSON.parse(String(row["sets"]))
  const { id, language, url } = row
  const document = {
    org: String(row["org"]),
    name: String(row["name"]),
    audience: audienceOf(String(row["audience"])),
    sets: Array.isArray(sets) ? sets.map(String) : [],
    source: String(row["source"]),
    root: String(row["root"]),
    url: typeof url === "string" ? url : null,
    hash: String(row["hash"]),
    bytes: Number(row["bytes"]),
    addedAt: Number(row["added_at"]),
    language: isLanguage(language) ? language : ("en" as const),
    title: String(row["title"]),
    passages: Number(row["passages"]),
  }
  const digest = createHash("sha256")
    .update(JSON.stringify([indexVersion, document, String(row["audience"])]))
    .digest("base64url")
  return { id: Number(id), ...document, digest }
}

export interface LocalPassage {
  readonly ordinal: number
  readonly heading: string
  readonly text: string
}

export function* localPassages(database: DatabaseSync, document: number): Generator<LocalPassage> {
  const rows = database.prepare("select ordinal, heading, text from passages where document = ? order by ordinal")
  for (const row of rows.iterate(document))
    yield { ordinal: Number(row["ordinal"]), heading: String(row["heading"]), text: String(row["text"]) }
}

/** The number of an index among all that write to PostgreSQL; undefined before it has written. */
export function publisherOf(database: DatabaseSync): string | undefined {
  const value = database.prepare("select value from settings where name = 'publisher'").get()?.["value"]
  return typeof value === "string" ? value : undefined
}

export function ensurePublisher(database: DatabaseSync): string {
  database.prepare("insert or ignore into settings (name, value) values ('publisher', ?)").run(randomUUID())
  const publisher = publisherOf(database)
  if (publisher === undefined) throw new Error("the index keeps no settings")
  return publisher
}
