// A file of the first schema: its tables by the text that made them then, so that no later change of ours changes it.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { encodeEvent } from "../../contract/stored-event.ts"
import { openLogWithWriter } from "../../log-writer/client.ts"
import { placeOf as placeOfWriter, readLink } from "../../log-writer/place.ts"
import { firstHash, nextHash } from "../chain.ts"
import { createdEvent, hostNamed, sessionIdOf, valueOf, visitEvent } from "../fixtures.ts"
import { placeOf } from "./place.ts"
import { openSqliteLog, type SqliteLog } from "./sqlite-log.ts"

const firstTables = `
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

const one = sessionIdOf(1)
const visit = "6f1c0f4e-0000-4000-8000-000000000001"
let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnhouse-log-"))
  path = join(folder, "turnhouse.db")
  makeFirstVersion()
})
afterEach(() => rmSync(folder, { recursive: true, maxRetries: 5 }))

function makeFirstVersion(): void {
  const database = new DatabaseSync(path)
  database.exec(`pragma journal_mode = wal; ${firstTables} pragma user_version = 1;`)
  const insert = database.prepare(
    "insert into sessions (number, session_id, created_at, updated_at, seq, head, summary) values (?, ?, 5, 5, 1, ?, ?)",
  )
  for (const [number, summary] of [
    [1, '{"org":"local","owner":"me","model":"m"}'],
    [2, "null"],
    [3, "{ half of a"],
  ] as const) {
    const sessionId = sessionIdOf(number)
    const text = encodeEvent({ seq: 1, at: 5, event: createdEvent(sessionId) })
    const hash = nextHash(firstHash(sessionId), text)
    insert.run(number, sessionId, hash, summary)
    database.prepare("insert into events (place, hash, text) values (?, ?, ?)").run(placeOf(number, 1), hash, text)
  }
  database.close()
}

async function opened(use: (log: SqliteLog) => Promise<void>): Promise<void> {
  const log = valueOf(openSqliteLog({ path, isAlive: () => false }))
  try {
    await use(log)
  } finally {
    await log.close()
  }
}

describe("a file of the first schema", () => {
  it("keeps its content, and its sessions are listed by organisation and owner", () =>
    opened(async (log) => {
      expect(valueOf(await log.list())).toHaveLength(3)
      expect(valueOf(await log.list({ org: "local", owner: "me" })).map(({ sessionId }) => sessionId)).toEqual([one])
      expect(valueOf(await log.read(one, 0, 10))).toEqual([{ seq: 1, at: 5, event: createdEvent(one) }])
      expect(valueOf(await log.inspect())).toEqual([])
    }))

  it("stores visits after the migration, which runs once", async () => {
    await opened(async (log) => {
      const lease = valueOf(await log.registerHost(hostNamed("first")))
      valueOf(await log.claim(lease, one))
      valueOf(await log.append(lease, { sessionId: one, expectedSeq: 1, at: 6, events: [visitEvent(visit)] }))
    })
    await opened(async (log) => expect(valueOf(await log.findVisit(visit))).toEqual({ sessionId: one, seq: 2 }))
  })

  it("that two processes open at once is migrated by one of them", async () => {
    const logs = [openSqliteLog({ path }), openSqliteLog({ path })].map(valueOf)
    for (const log of logs) expect(valueOf(await log.list({ org: "local" }))).toHaveLength(1)
    for (const log of logs) await log.close()
  })

  it("is migrated by a log writer when a process only reads it", async () => {
    const log = valueOf(openLogWithWriter({ path }))
    expect(valueOf(await log.list({ org: "local" }))).toHaveLength(1)
    await log.close()
    const { current } = placeOfWriter(path)
    await vi.waitFor(() => expect(readLink(current)).toBeUndefined(), 30_000)
  })
})
