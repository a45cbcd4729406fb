// The tables of the lock database. `locks` is shared with brainwires' agents, column by column; further data is in tables
// of our own. A row of ours counts only together with the row of `locks` that it describes: another program deletes or
// replaces only the latter.
import type { DatabaseSync } from "node:sqlite"

const tables = `
  create table if not exists locks (
    lock_id text primary key,
    lock_type text not null,
    resource_path text not null,
    agent_id text not null,
    process_id integer not null,
    acquired_at integer not null,
    expires_at integer,
    hostname text not null
  );
  create index if not exists idx_locks_agent on locks (agent_id, process_id, hostname);
  create table if not exists turnhouse_locks (
    lock_id text primary key,
    agent_id text not null,
    acquired_at integer not null,
    fence integer not null,
    description text not null,
    status text not null,
    start_time text not null,
    boot_id text not null,
    beat_now integer not null,
    beat_ticks integer not null
  ) strict;
  create table if not exists turnhouse_holds (
    fence integer primary key,
    lasts integer not null, -- 1: until it is given back, 0: for a call
    mark text not null, -- in the environment of what the holder starts
    processes text not null -- JSON: those that were started under it
  ) strict;
  create table if not exists turnhouse_waiting (
    ticket integer primary key autoincrement,
    agent_id text not null,
    wants text not null,
    description text not null,
    since integer not null,
    process_id integer not null,
    start_time text not null,
    boot_id text not null,
    beat_now integer not null,
    beat_ticks integer not null
  ) strict;
  create table if not exists turnhouse_lost (
    fence integer primary key -- the newest holds that were taken away
  ) strict;
  create table if not exists turnhouse_book (
    name text not null, -- tells the numbers of this book from those of one that was here before
    fence integer not null
  ) strict;
`

/** Returns the name of the database. */
export function ensureSchema(database: DatabaseSync, newName: string): string {
  if (!hasSchema(database)) {
    database.exec("pragma journal_mode = wal")
    database.exec("begin immediate")
    try {
      database.exec(tables)
      if (databaseName(database) === undefined)
        database.prepare("insert into turnhouse_book (name, fence) values (?, 0)").run(newName)
      database.exec("commit")
    } catch (fault) {
      if (database.isTransaction) database.exec("rollback")
      throw fault
    }
  }
  const name = databaseName(database)
  if (name === undefined) throw new Error("the lock database has no name")
  return name
}

function hasSchema(database: DatabaseSync): boolean {
  return database.prepare("select 1 from sqlite_schema where name = 'turnhouse_holds'").get() !== undefined
}

function databaseName(database: DatabaseSync): string | undefined {
  const name = database.prepare("select name from turnhouse_book limit 1").get()?.["name"]
  return typeof name === "string" ? name : undefined
}
