// The tables of the log. Events are stored in the order of session and seq, in one tree with integer keys (place.ts): a
// session is read sequentially, a search never reads long texts, and a damaged page affects few sessions. A change is a
// new schema version with a migration here; a file of a newer version is not touched. SQLite stores the text of the
// statements, comments included.
import type { DatabaseSync } from "node:sqlite"
import { version as ownRelease } from "../../program/program-files.ts"
import { isNewer } from "../../program/release.ts"
import { LogUnavailable } from "./faults.ts"
import { writingRelease } from "./release-note.ts"

export const schemaVersion = 3

/** The tables of the first version. A new file gets them and every change since. */
const tables = `
  create table hosts (
    epoch integer primary key autoincrement,
    host_id text not null unique,
    role text not null,
    pid integer not null,
    start_time text not null,
    boot_id text not null,
    expires_at integer not null
  ) strict;
  create table sessions (
    number integer primary key autoincrement, -- never used twice, so that nothing is taken for another session
    session_id text not null unique,
    created_at integer not null,
    updated_at integer not null,
    seq integer not null,
    head text not null,
    owner_epoch integer,
    summary text not null
  ) strict;
  create index owned_sessions on sessions (owner_epoch) where owner_epoch is not null;
  create table events (
    place integer primary key,
    hash text not null, -- before the text: a long text spills to other pages, which may be damaged
    text text not null
  ) strict;
  create table snapshots (
    place integer primary key,
    hash text not null,
    value text not null
  ) strict;
  create table streamed (
    id integer primary key,
    session integer not null,
    step_id text not null,
    piece text not null,
    hash text not null,
    blocks text not null
  ) strict;
  create index streamed_steps on streamed (session, step_id);
`

/** From each version to the next. */
const changes: readonly string[] = [
  `
  alter table sessions add column org text;
  alter table sessions add column owner text;
  update sessions set org = json_extract(summary, '$.org'), owner = json_extract(summary, '$.owner')
    where json_valid(summary);
  create index sessions_of_org on sessions (org, owner); -- without a time: an append does not touch it
  create table visits (
    visit_id text primary key,
    session integer not null,
    seq integer not null
  ) strict, without rowid;
  create index visits_of_session on visits (session);
`,
  `
  create table head_file (
    only integer primary key check (only = 1),
    file_id text not null -- of the file outside that has the newest event of every session: missing means deleted
  ) strict;
`,
]

export function ensureSchema(database: DatabaseSync, path: string): void {
  if (versionOf(database, path) === schemaVersion) return
  database.exec("pragma journal_mode = wal")
  database.exec("begin immediate")
  // Read again under the write lock: another process may have been faster.
  const version = versionOf(database, path)
  createSchema(database, version)
  database.exec("commit")
}

/** Creates all tables, or applies the changes since an older version. */
export function createSchema(database: DatabaseSync, version = 0): void {
  if (version === 0) database.exec(tables)
  for (const change of changes.slice(Math.max(0, version - 1))) database.exec(change)
  database.exec(`pragma user_version = ${schemaVersion}`)
}

/** 0 for a file without tables; throws if the file is not a log that this release can open. */
export function versionOf(database: Pick<DatabaseSync, "prepare">, path: string): number {
  const version = storedVersion(database)
  if (version > schemaVersion) throw new LogUnavailable(newer(path, version))
  if (version > 0 || !hasTables(database)) return version
  if (storedVersion(database) > 0) return versionOf(database, path) // they were created between the two reads
  throw new LogUnavailable(`${path} is a database of another program`)
}

function storedVersion(database: Pick<DatabaseSync, "prepare">): number {
  return Number(database.prepare("pragma user_version").get()?.["user_version"])
}

function hasTables(database: Pick<DatabaseSync, "prepare">): boolean {
  return database.prepare("select 1 from sqlite_schema limit 1").get() !== undefined
}

/** One sentence about the two releases and one about what to do. */
export function newer(path: string, version: number): string {
  const release = writingRelease(path)
  const writer = release !== undefined && isNewer(release, ownRelease()) ? `Turnhouse ${release}` : "a newer Turnhouse"
  const schemas = `schema ${version}; this is ${ownRelease()}, schema ${schemaVersion}`
  return `${path} was written by ${writer} (${schemas}). Upgrade, or set TURNHOUSE_HOME to another folder.`
}
