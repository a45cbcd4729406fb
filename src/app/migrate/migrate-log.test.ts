import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { SessionEvent } from "../../contract/events.ts"
import type { SessionId } from "../../contract/ids.ts"
import { openLogWithWriter } from "../../log-writer/client.ts"
import { holdWriterPlace } from "../../log-writer/hold.ts"
import type { EventLog, Lease } from "../../log/event-log.ts"
import { appendOf, createdEvent, hostNamed, refusalOf, sessionIdOf, valueOf, visitEvent } from "../../log/fixtures.ts"
import { PostgresCopy } from "../../log/postgres/postgres-copy.ts"
import { PostgresLog } from "../../log/postgres/postgres-log.ts"
import { thisHost } from "../../log/process-identity.ts"
import { SqliteCopy } from "../../log/sqlite/sqlite-copy.ts"
import { openSqliteLog } from "../../log/sqlite/sqlite-log.ts"
import { Database } from "../../postgres/database.ts"
import { startPostgres, type PostgresServer } from "../../testing/servers/postgres-server.ts"
import { AppFault } from "../app-fault.ts"
import { clusterOf } from "../cluster/cluster.ts"
import { headKeyOf } from "../host/open-log.ts"
import { SearchIndex } from "../search/search-index.ts"
import { verifyLog } from "../sessions/verify-log.ts"
import { migrateLog, type MigrationReport } from "./migrate-log.ts"

let server: PostgresServer
const folders: string[] = []

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })))

const finished = sessionIdOf(1)
const visited = sessionIdOf(2)
const open = sessionIdOf(3)
const long = sessionIdOf(4)
/** More than a page of either log. */
const MANY = 1200

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), "turnhouse-migrate-"))
  folders.push(home)
  writeFileSync(join(home, "secret.key"), Buffer.alloc(32, 7), { mode: 0o600 }) // nodes of a cluster have the same
  return home
}

async function inHome<Value>(home: string, use: (log: EventLog, lease: Lease) => Promise<Value>): Promise<Value> {
  const log = valueOf(openSqliteLog({ path: join(home, "turnhouse.db"), headKey: headKeyOf(home) }))
  return withHost(log, use)
}

async function inDatabase<Value>(url: string, use: (log: EventLog, lease: Lease) => Promise<Value>): Promise<Value> {
  return withHost(new PostgresLog({ url }), use)
}

async function withHost<Value>(log: EventLog, use: (log: EventLog, lease: Lease) => Promise<Value>): Promise<Value> {
  const lease = valueOf(await log.registerHost(hostNamed("h")))
  try {
    return await use(log, lease)
  } finally {
    await log.releaseHost(lease)
    await log.close()
  }
}

async function create(log: EventLog, lease: Lease, sessionId: SessionId, ...events: SessionEvent[]): Promise<void> {
  const created = { sessionId, expectedSeq: 0, at: 10, events, summary: { title: `of ${sessionId}` } }
  valueOf(await log.create(lease, created))
}

async function append(log: EventLog, lease: Lease, sessionId: SessionId, ...texts: string[]): Promise<void> {
  valueOf(await log.claim(lease, sessionId))
  const { seq } = valueOf(await log.find(sessionId))
  valueOf(await log.append(lease, appendOf(sessionId, seq, ...texts)))
}

/** A finished session, one of a visitor, one that was left open while it streamed, and a long one. */
async function filledHome(): Promise<string> {
  const home = newHome()
  await inHome(home, async (log, lease) => {
    await create(log, lease, finished, { ...createdEvent(finished), cwd: "/srv/shop" })
    await append(log, lease, finished, "one", "two \u0000 \ud800 😀")
    valueOf(await log.saveSnapshot(lease, finished, { seq: 2, value: { any: "state" } }))
    await create(
      log,
      lease,
      visited,
      { ...createdEvent(visited), preset: "service" },
      visitEvent("6f1c0f4e-0000-4000-8000-000000000001"),
    )
    await create(log, lease, open, createdEvent(open))
    const blocks = [{ block: 0, kind: "text", text: "half a sen" }] as const
    valueOf(await log.checkpoint(lease, open, { stepId: "stp_9", blocks }))
    valueOf(await log.release(lease, open, "left open"))
    await create(log, lease, long, createdEvent(long))
    await append(log, lease, long, ...Array.from({ length: MANY }, (_, index) => `text ${index}`))
  })
  return home
}

interface Moved {
  readonly isDryRun?: boolean
  /** Interrupts the migration at this session. */
  readonly stopAt?: number
}

function migrate(home: string, url: string, to: "postgres" | "sqlite", { isDryRun = false, stopAt }: Moved = {}) {
  const node = { name: "here", labels: { projects: ["/srv"] } }
  const cluster = clusterOf({ home, config: { store: { type: "postgres", url }, node } })
  if (cluster === undefined) throw new Error("no cluster")
  const stop = new AbortController()
  const onProgress = ({ sessions }: { readonly sessions: number }) => {
    if (sessions === stopAt) stop.abort(new AppFault("interrupted"))
  }
  return migrateLog({ home, to, cluster, isDryRun, onProgress, signal: stop.signal })
}

function counts({ copied, extended, unchanged, events, verified, conflicts, damaged }: MigrationReport) {
  return {
    copied,
    extended,
    unchanged,
    events,
    verified,
    conflicts,
    damaged: damaged.map(({ sessionId }) => sessionId),
  }
}

const nothing = { copied: 0, extended: 0, unchanged: 0, events: 0, verified: 0, conflicts: [], damaged: [] }
const everything = { ...nothing, copied: 4, events: MANY + 7, verified: 4 }

/** Everything that is copied, as it is stored. */
const sqliteRows = {
  sessions: `select session_id, created_at, updated_at, seq, head, summary, org, owner, owner_epoch is not null as left_open
    from sessions order by session_id`,
  events: `select session_id, place % 67108864 as seq, hash, text from events join sessions on number = place / 67108864
    order by session_id, place`,
  visits: "select visit_id, session_id, v.seq from visits v join sessions on number = session order by visit_id",
  streamed:
    "select session_id, step_id, piece, hash, blocks from streamed join sessions on number = session order by id",
}

function storedIn(home: string) {
  const database = new DatabaseSync(join(home, "turnhouse.db"))
  const rows = Object.entries(sqliteRows).map(([name, sql]) => [name, database.prepare(sql).all()])
  database.close()
  return JSON.parse(JSON.stringify(Object.fromEntries(rows)))
}

const postgresRows = {
  sessions: `select session_id, created_at, updated_at, seq, head, summary, org, owner,
    (owner_epoch is not null)::int as left_open from turnhouse.sessions order by session_id`,
  events: `select session_id, e.seq, hash, text from turnhouse.events e join turnhouse.sessions on number = session
    order by session_id, e.seq`,
  visits: `select visit_id, session_id, v.seq from turnhouse.visits v join turnhouse.sessions on number = session order by visit_id`,
  streamed: `select session_id, step_id, piece, hash, blocks from turnhouse.streamed join turnhouse.sessions on number = session
    order by id`,
}

async function inServer<Value>(url: string, use: (database: Database) => Promise<Value>): Promise<Value> {
  const database = new Database({ url })
  try {
    return await use(database)
  } finally {
    await database.close()
  }
}

function storedAt(url: string) {
  return inServer(url, async (database) => {
    const rows: Record<string, unknown> = {}
    for (const [name, sql] of Object.entries(postgresRows)) rows[name] = [...(await database.query(sql))]
    return rows
  })
}

describe("a migration", () => {
  it("copies every byte to PostgreSQL and back into another home, where all is verified", async () => {
    const home = await filledHome()
    const before = storedIn(home)
    const url = server.createDatabase()
    const there = await migrate(home, url, "postgres")
    expect(counts(there)).toEqual(everything)
    expect(there).toMatchObject({ sessions: 4, onlyInTarget: 0, headOfHeads: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(await storedAt(url)).toEqual(before)
    const other = newHome()
    const back = await migrate(other, url, "sqlite")
    expect(counts(back)).toEqual(everything)
    expect(back.headOfHeads).toBe(there.headOfHeads)
    expect(storedIn(other)).toEqual(before)
    expect(storedIn(home)).toEqual(before)
    for (const each of [home, other])
      expect(await inHome(each, (log) => verifyLog(log))).toMatchObject({ damage: [], findings: [] })
  })

  it("places sessions by the folder of the node, and not those of the WebSocket API", async () => {
    const url = server.createDatabase()
    await migrate(await filledHome(), url, "postgres")
    await inDatabase(url, async (log) => {
      const places = [finished, visited, open].map(async (id) => valueOf(await log.find(id)).place)
      expect(await Promise.all(places)).toEqual(["projects", undefined, "here"])
      expect(valueOf(await log.leftOpen()).map(({ sessionId }) => sessionId)).toEqual([open])
      expect(valueOf(await log.load(open)).streamed[0]?.blocks[0]?.text).toBe("half a sen")
    })
  })

  it("can be interrupted at every session, and continues where it was", async () => {
    const home = await filledHome()
    const url = server.createDatabase()
    for (let stopAt = 0; stopAt < 4; stopAt++) {
      await expect(migrate(home, url, "postgres", { stopAt })).rejects.toThrow("interrupted")
      const copied = (await storedAt(url))["sessions"]
      expect(copied).toHaveLength(stopAt)
    }
    expect(counts(await migrate(home, url, "postgres"))).toEqual({
      ...everything,
      copied: 1,
      unchanged: 3,
      events: MANY + 1,
    })
    expect(counts(await migrate(home, url, "postgres"))).toEqual({ ...nothing, unchanged: 4, verified: 4 })
    expect(await storedAt(url)).toEqual(storedIn(home))
  })

  it("can be interrupted at every session on the way back, too", async () => {
    const url = server.createDatabase()
    await migrate(await filledHome(), url, "postgres")
    const home = newHome()
    for (let stopAt = 0; stopAt < 4; stopAt++) {
      await expect(migrate(home, url, "sqlite", { stopAt })).rejects.toThrow("interrupted")
      expect(storedIn(home)["sessions"]).toHaveLength(stopAt)
      expect(await inHome(home, (log) => verifyLog(log))).toMatchObject({ damage: [], findings: [] })
    }
    expect(counts(await migrate(home, url, "sqlite"))).toMatchObject({ copied: 1, unchanged: 3, verified: 4 })
    expect(storedIn(home)).toEqual(await storedAt(url))
  })

  it("brings back what was continued in PostgreSQL, and knows what was continued on both sides", async () => {
    const home = await filledHome()
    const url = server.createDatabase()
    await migrate(home, url, "postgres")
    await inDatabase(url, async (log, lease) => {
      for (const id of [finished, long]) await append(log, lease, id, "there")
      await create(log, lease, sessionIdOf(9), createdEvent(sessionIdOf(9)))
    })
    await inHome(home, (log, lease) => append(log, lease, long, "here"))
    const longer = await migrate(home, url, "postgres")
    expect(longer).toMatchObject({ unchanged: 2, onlyInTarget: 1, copied: 0 })
    expect(longer.conflicts.map(({ sessionId }) => sessionId)).toEqual([finished, long])
    const back = await migrate(home, url, "sqlite")
    expect(counts(back)).toMatchObject({ copied: 2, extended: 1, unchanged: 2, events: 2, verified: 4 })
    expect(back.conflicts).toEqual([{ sessionId: long, what: "it was continued differently on both sides" }])
    await inHome(home, async (log) => {
      expect(valueOf(await log.find(finished)).seq).toBe(4)
      const [last] = valueOf(await log.read(long, MANY + 1, 5))
      expect(last?.event).toMatchObject({ text: "here" })
      expect(await verifyLog(log)).toMatchObject({ damage: [], findings: [] })
    })
  })

  it.for(["event", "directory entry", "end"] as const)(
    "names a session whose %s was damaged, and copies the others",
    async (what) => {
      const home = await filledHome()
      const database = new DatabaseSync(join(home, "turnhouse.db"))
      const number = Number(database.prepare("select number from sessions where session_id = ?").get(long)?.["number"])
      const harm = {
        event: `update events set text = 'x' where place = ${number * 67_108_864 + 900}`,
        "directory entry": `update sessions set head = '0' where number = ${number}`,
        end: `delete from events where place > ${number * 67_108_864 + 900} and place < ${(number + 1) * 67_108_864}`,
      }
      database.exec(harm[what])
      database.close()
      const url = server.createDatabase()
      const report = await migrate(home, url, "postgres")
      expect(counts(report)).toEqual({ ...nothing, copied: 3, events: 6, verified: 3, damaged: [long] })
      expect((await storedAt(url))["sessions"]).toHaveLength(3)
      expect((await storedAt(url))["events"]).toHaveLength(6)
    },
  )

  it("names a session that is damaged in the target", async () => {
    const home = await filledHome()
    const url = server.createDatabase()
    await migrate(home, url, "postgres")
    await inServer(url, (database) => database.query("update turnhouse.events set text = 'x' where seq = 1000"))
    const report = await migrate(home, url, "postgres")
    expect(report.damaged).toEqual([{ sessionId: long, seq: 1000, what: "its bytes were altered", side: "target" }])
    expect(report.verified).toBe(3)
  })

  it("changes nothing in a dry run", async () => {
    const home = await filledHome()
    const url = server.createDatabase()
    const planned = await migrate(home, url, "postgres", { isDryRun: true })
    expect(counts(planned)).toEqual({ ...everything, verified: 0 })
    const tables = "select count(*)::int as tables from information_schema.tables where table_schema = 'turnhouse'"
    expect(await inServer(url, (database) => database.query(tables))).toEqual([{ tables: 0 }])
    await migrate(home, url, "postgres")
    const other = newHome()
    expect(counts(await migrate(other, url, "sqlite", { isDryRun: true }))).toEqual({ ...everything, verified: 0 })
    expect(() => storedIn(other)).toThrow("no such table")
  })

  it("refuses while a host runs on either side, and names it", async () => {
    const home = await filledHome()
    const url = server.createDatabase()
    const here = `serve (pid ${process.pid})`
    const running = thisHost("serve")
    await inHome(home, async (log) => {
      valueOf(await log.registerHost(running))
      await expect(migrate(home, url, "postgres")).rejects.toThrow(`${here} uses ${join(home, "turnhouse.db")}`)
      await expect(migrate(home, url, "postgres")).rejects.toThrow("turnhouse host --stop")
    })
    const log = new PostgresLog({ url })
    const node = { name: "other", labels: ["other"], release: "1.0.0" }
    const lease = valueOf(await log.registerHost({ ...running, node }))
    const other = newHome()
    await inHome(other, async () => {})
    await expect(migrate(other, url, "postgres")).rejects.toThrow(
      `serve (pid ${process.pid} on node other) uses 127.0.0.1`,
    )
    await log.releaseHost(lease)
    await log.close()
    expect(counts(await migrate(other, url, "postgres"))).toEqual(nothing)
  })

  it("refuses a home with another key than that of the cluster", async () => {
    const url = server.createDatabase()
    await migrate(await filledHome(), url, "postgres")
    const other = newHome()
    writeFileSync(join(other, "secret.key"), Buffer.alloc(32, 8))
    await expect(migrate(other, url, "sqlite")).rejects.toThrow("secret.key is not the key of the cluster")
  })

  it("keeps hosts out of both logs while it runs", async () => {
    const path = join(newHome(), "turnhouse.db")
    const url = server.createDatabase()
    const why = "it is being copied."
    const options = { headKey: undefined, readsOnly: false, warn: () => {} }
    const copies = [
      new SqliteCopy({ path, holdWriters: () => holdWriterPlace(path, why), ...options }),
      new PostgresCopy({ url, host: thisHost("migrate"), readsOnly: false }),
    ]
    for (const copy of copies) expect(valueOf(await copy.hold())).toEqual([])
    const there = new PostgresLog({ url })
    const here = valueOf(openLogWithWriter({ path }))
    const refusals = [await there.registerHost(thisHost("run")), await here.registerHost(thisHost("run"))].map(
      refusalOf,
    )
    expect(refusals[0]).toMatchObject({ code: "host.exists", role: "migrate", pid: process.pid })
    expect(refusals[1]).toEqual({ code: "log.unavailable", what: why })
    for (const copy of copies) await copy.close()
    valueOf(await there.registerHost(thisHost("run")))
    await Promise.all([there.close(), here.close()])
  })

  it("stores nothing after a host may have taken the database", async () => {
    const url = server.createDatabase()
    const copy = new PostgresCopy({ url, host: thisHost("migrate"), readsOnly: false })
    expect(valueOf(await copy.hold())).toEqual([])
    expect(valueOf(await copy.isHeld())).toBe(true)
    await inServer(url, (database) => database.query("delete from turnhouse.hosts"))
    const owner = { org: undefined, owner: undefined, isLeftOpen: false }
    const record = { createdAt: 1, updatedAt: 1, summary: "null", visits: [], streamed: [], ...owner }
    const session = { head: { sessionId: finished, seq: 0, hash: "" }, record, place: undefined, afterSeq: 0 }
    const none = (async function* () {})()
    expect(refusalOf(await copy.store(session, none))).toMatchObject({ code: "log.unavailable" })
    expect(valueOf(await copy.isHeld())).toBe(false)
    expect((await storedAt(url))["sessions"]).toEqual([])
    await copy.close()
  })

  it("takes over from a log writer that runs, and from a migration that was killed", async () => {
    const home = newHome()
    const path = join(home, "turnhouse.db")
    const writer = valueOf(openLogWithWriter({ path, headKey: headKeyOf(home) }))
    const lease = valueOf(await writer.registerHost(thisHost("run")))
    await create(writer, lease, finished, createdEvent(finished))
    await writer.releaseHost(lease)
    const url = server.createDatabase()
    const log = new PostgresLog({ url })
    valueOf(await log.registerHost({ ...thisHost("migrate"), startTime: "of a process that has ended" }))
    await log.close()
    expect(counts(await migrate(home, url, "postgres"))).toEqual({ ...nothing, copied: 1, events: 1, verified: 1 })
    valueOf(await writer.registerHost(thisHost("run"))) // starts another writer
    await writer.close()
  })

  it("leaves no search results of events that the other log does not have", async () => {
    const home = await filledHome()
    const older = newHome()
    const url = server.createDatabase()
    await migrate(home, url, "postgres")
    await migrate(older, url, "sqlite")
    await inHome(home, (log, lease) => append(log, lease, finished, "pineapple"))
    const found = (from: string) =>
      inHome(from, async (log) => {
        using index = new SearchIndex(home)
        await index.update(log, valueOf(await log.list()), () => {})
        return index.find("pineapple").length + index.find("one").length
      })
    expect(await found(home)).toBe(2)
    expect(await found(older)).toBe(1)
    expect(await found(home)).toBe(2)
  })
})
