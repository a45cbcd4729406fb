// The sources of documents: where they come from, who may find them, and when they are read again.
import type { DatabaseSync, SQLOutputValue } from "node:sqlite"
import { tryParseJson, memberIn, type JsonObject } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import { audienceKey, audienceOf, type Audience } from "../rights.ts"

export const sourceKinds = ["file", "folder", "page", "list", "site", "git", "issues"] as const
export type SourceKind = (typeof sourceKinds)[number]

/** What of a source is read. */
export interface SourceOptions {
  /** Globs of paths; none: all. */
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  /** Of a site. */
  readonly maxPages?: number | undefined
  readonly maxDepth?: number | undefined
}

export interface NewSource {
  readonly org: string
  readonly kind: SourceKind
  /** A full path or an address; also the root of its documents. */
  readonly root: string
  /** Before the names of its documents. */
  readonly prefix: string
  /** Of new documents; known ones keep theirs. */
  readonly audience: Audience
  readonly sets: readonly string[]
  readonly options: SourceOptions
  /** Between two runs; undefined: only when the user says so. */
  readonly everyMs: number | undefined
}

export interface RegisteredSource extends NewSource {
  readonly id: number
  readonly nextRunAt: number | undefined
  /** Runs in a row that failed. */
  readonly failures: number
  /** What was read last, such as a commit. */
  readonly revision: string | undefined
  readonly addedAt: number
}

export interface ListedSource extends RegisteredSource {
  readonly documents: number
}

export function isSourceKind(value: unknown): value is SourceKind {
  return sourceKinds.some((kind) => kind === value)
}

export function listSources(database: DatabaseSync, org?: string): readonly ListedSource[] {
  const where = org === undefined ? "" : "where sources.org = ?"
  const query = database.prepare(`${select} ${where} order by sources.org, sources.root`)
  return (org === undefined ? query.all() : query.all(org)).map(sourceOf)
}

export function findSource(database: DatabaseSync, org: string, root: string): ListedSource | undefined {
  const row = database.prepare(`${select} where sources.org = ? and sources.root = ?`).get(org, root)
  return row === undefined ? undefined : sourceOf(row)
}

export function sourceById(database: DatabaseSync, id: number): ListedSource | undefined {
  const row = database.prepare(`${select} where sources.id = ?`).get(id)
  return row === undefined ? undefined : sourceOf(row)
}

/** Replaces what is known of a source of the same organisation and root, except its runs. */
export function putSource(database: DatabaseSync, source: NewSource, at: number): RegisteredSource {
  const { org, kind, root, prefix, audience, sets, options, everyMs } = source
  const known = findSource(database, org, root)
  const isSame = known !== undefined && known.kind === kind && sameOptions(known.options, options)
  const next = nextRun(known, everyMs, at)
  database
    .prepare(
      `insert into sources (org, kind, root, prefix, audience, sets, options, every_ms, next_run_at, added_at)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (org, root) do update set kind = excluded.kind, prefix = excluded.prefix, audience = excluded.audience,
         sets = excluded.sets, options = excluded.options, every_ms = excluded.every_ms, next_run_at = excluded.next_run_at`,
    )
    .run(
      org,
      kind,
      root,
      prefix,
      audienceKey(audience),
      JSON.stringify([...sets].toSorted()),
      JSON.stringify(options),
      everyMs ?? null,
      next ?? null,
      at,
    )
  const stored = findSource(database, org, root)
  if (stored === undefined) throw new Error(`the source ${root} was not stored`)
  if (!isSame) setRevision(database, stored.id, undefined)
  return isSame ? stored : { ...stored, revision: undefined }
}

function nextRun(known: ListedSource | undefined, everyMs: number | undefined, at: number): number | undefined {
  if (everyMs === undefined) return undefined
  return known?.everyMs === everyMs ? known.nextRunAt : at + everyMs
}

function sameOptions(one: SourceOptions, other: SourceOptions): boolean {
  return JSON.stringify(optionsOf(JSON.stringify(one))) === JSON.stringify(optionsOf(JSON.stringify(other)))
}

export function setRevision(database: DatabaseSync, id: number, revision: string | undefined): void {
  database.prepare("update sources set revision = ? where id = ?").run(revision ?? null, id)
}

/** Its documents must have been removed or given to another source. */
export function removeSource(database: DatabaseSync, id: number): void {
  database.prepare("delete from sources where id = ?").run(id)
}

export function documentNames(
  database: DatabaseSync,
  { org, root }: Pick<NewSource, "org" | "root">,
): readonly string[] {
  const rows = database.prepare("select name from documents where org = ? and root = ? order by name").all(org, root)
  return rows.map((row) => String(row["name"]))
}

const select = `select sources.*,
    (select count(*) from documents where documents.org = sources.org and documents.root = sources.root) as documents
  from sources`

function sourceOf(row: Record<string, SQLOutputValue>): ListedSource {
  const kind = row["kind"]
  return {
    id: Number(row["id"]),
    org: String(row["org"]),
    kind: isSourceKind(kind) ? kind : "folder",
    root: String(row["root"]),
    prefix: String(row["prefix"]),
    audience: audienceOf(String(row["audience"])),
    sets: textsIn(tryParseJson(String(row["sets"]))),
    options: optionsOf(String(row["options"])),
    everyMs: numberOf(row["every_ms"]),
    nextRunAt: numberOf(row["next_run_at"]),
    failures: Number(row["failures"]),
    revision: row["revision"] === null ? undefined : String(row["revision"]),
    addedAt: Number(row["added_at"]),
    documents: Number(row["documents"]),
  }
}

function optionsOf(text: string): SourceOptions {
  const found: JsonValue | JsonObject | undefined = tryParseJson(text)
  const [maxPages, maxDepth] = [memberIn(found, "maxPages"), memberIn(found, "maxDepth")]
  return {
    include: textsIn(memberIn(found, "include")),
    exclude: textsIn(memberIn(found, "exclude")),
    ...(typeof maxPages === "number" ? { maxPages } : {}),
    ...(typeof maxDepth === "number" ? { maxDepth } : {}),
  }
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : []
}

function numberOf(value: SQLOutputValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined
}
