// Tables of the sources of documents, their runs, and what is known of their pages. They stand beside the index and are
// created where they are missing: releases that do not know them read and write the same index.
import type { DatabaseSync } from "node:sqlite"
import { audienceKey, audienceOf, type Audience } from "../rights.ts"

/** Documents that an older release has added belong to a source too. */
export function ensureSources(database: DatabaseSync): void {
  database.exec(tables)
  for (const row of database.prepare(rootsWithoutSource).all()) {
    const [org, root] = [String(row["org"]), String(row["root"])]
    const documents = database.prepare(documentsOfRoot).all(org, root)
    const audiences = new Set(documents.map((one) => String(one["audience"])))
    const first = documents[0]
    database
      .prepare("insert or ignore into sources (org, kind, root, audience, sets, added_at) values (?, ?, ?, ?, ?, ?)")
      .run(org, kindOf(first, root), root, commonAudience(audiences), String(first?.["sets"] ?? "[]"), Date.now())
  }
}

export function hasSources(database: DatabaseSync): boolean {
  const found = database.prepare("select 1 from sqlite_schema where name = 'source_pages'").get()
  return found !== undefined
}

/** New documents of a source whose documents differ in audience are found by no one, until the user says more. */
function commonAudience(audiences: ReadonlySet<string>): string {
  const [first] = audiences
  const nobody: Audience = []
  return first !== undefined && audiences.size === 1 ? audienceKey(audienceOf(first)) : audienceKey(nobody)
}

function kindOf(document: Record<string, unknown> | undefined, root: string): string {
  if (document?.["source"] === root) return document["url"] === null ? "file" : "page"
  return document?.["url"] === null ? "folder" : "list"
}

const rootsWithoutSource = `select distinct org, root from documents
  where not exists (select 1 from sources where sources.org = documents.org and sources.root = documents.root)`

const documentsOfRoot = `select documents.source, documents.url, classes.audience,
    (select json_group_array(name) from (select name from document_sets where document = documents.id order by name)) as sets
  from documents join classes on classes.id = documents.class where documents.org = ? and documents.root = ?`

const tables = `
  create table if not exists sources (
    id integer primary key,
    org text not null,
    kind text not null,
    root text not null,
    prefix text not null default '',
    audience text not null,
    sets text not null default '[]',
    options text not null default '{}',
    every_ms integer,
    next_run_at integer,
    failures integer not null default 0,
    revision text,
    added_at integer not null,
    unique (org, root)
  ) strict;
  create table if not exists source_runs (
    id integer primary key autoincrement,
    source integer not null references sources (id) on delete cascade,
    started_at integer not null,
    seen_at integer not null,
    ended_at integer,
    outcome text not null,
    process text not null,
    added integer not null default 0,
    changed integer not null default 0,
    unchanged integer not null default 0,
    removed integer not null default 0,
    failed integer not null default 0,
    note text
  ) strict;
  create index if not exists runs_of_source on source_runs (source);
  create table if not exists source_problems (
    run integer not null references source_runs (id) on delete cascade,
    name text not null,
    reason text not null
  ) strict;
  create index if not exists problems_of_run on source_problems (run);
  create table if not exists source_pages (
    source integer not null references sources (id) on delete cascade,
    address text not null,
    etag text,
    last_modified text,
    links text not null default '[]',
    primary key (source, address)
  ) strict, without rowid;
`
