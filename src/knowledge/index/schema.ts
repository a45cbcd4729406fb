// Schema of the index file: documents, passages, and postings and vectors per class. One writer, many readers. A file of
// an older release is rebuilt by the next writer; one of a newer release is refused.
import { chmodSync, closeSync, existsSync, openSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { ensureSources } from "../sources/tables.ts"
import { rebuildIndex } from "./rebuild.ts"
import { inTransaction, isBusy } from "./sql.ts"

export const indexVersion = 2
const firstVersion = 1

/** How long a writer waits for another writer's batch. */
const busyMs = 60_000

export class IndexFault extends Error {
  override readonly name: string = "IndexFault"
}

/** Written by an older release. Opening it for writing rebuilds it. */
export class IndexOutdated extends IndexFault {
  override readonly name = "IndexOutdated"
}

export function openForWriting(path: string): DatabaseSync {
  if (!existsSync(path)) closeSync(openSync(path, "a", 0o600))
  chmodSync(path, 0o600) // regardless of umask: passages may be confidential
  const database = new DatabaseSync(path, { timeout: busyMs })
  try {
    database.exec("pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on")
    inTransaction(database, () => {
      if (versionOf(database) === 0) database.exec(schema)
      if (isOutdated(database)) rebuildIndex(database)
      checkVersion(database, path)
      ensureSources(database)
    })
    return database
  } catch (fault) {
    database.close()
    throw openingFault(fault, path)
  }
}

/** Whether another process is writing now. Anything else that is wrong is reported when the index is opened. */
export function isBeingWritten(path: string): boolean {
  if (!existsSync(path)) return false
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec("begin immediate; rollback")
    return false
  } catch (fault) {
    return isBusy(fault)
  } finally {
    database.close()
  }
}

/** Undefined if there is no index yet. */
export function openForReading(path: string): DatabaseSync | undefined {
  if (!existsSync(path)) return undefined
  const database = new DatabaseSync(path, { readOnly: true, timeout: busyMs })
  try {
    if (versionOf(database) === 0) {
      database.close() // another process is creating it
      return undefined
    }
    checkVersion(database, path)
    database.exec("pragma cache_size = -16000; pragma mmap_size = 1073741824")
    return database
  } catch (fault) {
    database.close()
    throw openingFault(fault, path)
  }
}

/** An unusable file is an environment error: the user can remove it and add the documents again. */
function openingFault(fault: unknown, path: string): unknown {
  if (!(fault instanceof Error) || fault instanceof IndexFault) return fault
  return new IndexFault(`${path} cannot be used: ${fault.message}`, { cause: fault })
}

/** The model that created the vectors. There is one at a time; with another one a search uses words alone. */
export function embedderOf(database: DatabaseSync): string | undefined {
  const value = database.prepare("select value from settings where name = 'embedder'").get()?.["value"]
  return typeof value === "string" ? value : undefined
}

/** Numbers in a vector; undefined without vectors. */
export function vectorSize(database: DatabaseSync): number | undefined {
  const size = database.prepare("select length(data) as size from vectors limit 1").get()?.["size"]
  return typeof size === "number" ? size : undefined
}

/** Whether the index was written by an older release whose documents this one can index again. */
export function isOutdated(database: DatabaseSync): boolean {
  const found = versionOf(database)
  return found >= firstVersion && found < indexVersion
}

function checkVersion(database: DatabaseSync, path: string): void {
  if (isOutdated(database))
    throw new IndexOutdated(`${path} was written by an older release and is being rebuilt. Try again in a minute.`)
  const found = versionOf(database)
  if (found !== indexVersion)
    throw new IndexFault(
      `${path} has version ${found}; this release supports version ${indexVersion}. ${remedy(found)}`,
    )
}

function remedy(found: number): string {
  return found > indexVersion ? "Upgrade Turnhouse." : "Remove the file and add the documents again."
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("pragma user_version").get()?.["user_version"])
}

const schema = `
  create table settings (name text primary key, value text not null) strict;
  create table classes (
    id integer primary key,
    org text not null,
    audience text not null,
    passages integer not null default 0,
    terms integer not null default 0,
    changes integer not null default 0,
    unique (org, audience)
  ) strict;
  create table documents (
    id integer primary key,
    org text not null,
    name text not null,
    class integer not null references classes (id),
    source text not null,
    root text not null,
    url text,
    hash text not null,
    bytes integer not null,
    added_at integer not null,
    language text not null default 'en',
    title text not null default '',
    first_passage integer not null default 0,
    passages integer not null default 0,
    unique (org, name)
  ) strict;
  create table document_sets (
    document integer not null references documents (id) on delete cascade,
    name text not null,
    primary key (document, name)
  ) strict, without rowid;
  create table passages (
    id integer primary key autoincrement,
    document integer not null references documents (id) on delete cascade,
    class integer not null,
    ordinal integer not null,
    heading text not null,
    text text not null,
    terms integer not null
  ) strict;
  create index passages_of_document on passages (document);
  create table postings (
    class integer not null,
    term text not null,
    part integer not null,
    passages integer not null,
    newest integer not null,
    data blob not null,
    primary key (class, term, part)
  ) strict, without rowid;
  create table vectors (
    passage integer primary key references passages (id) on delete cascade,
    class integer not null,
    bits blob not null,
    data blob not null
  ) strict;
  create index vectors_of_class on vectors (class, passage);
  pragma user_version = ${indexVersion};
`
