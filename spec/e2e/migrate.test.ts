// `turnhouse migrate`: the log of a home moves to PostgreSQL and back, with the real program and a real server.
import { execFileSync } from "node:child_process"
import { copyFileSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as pause } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest"
import { firstHash, nextHash } from "../../src/log/chain.ts"
import { PostgresLog } from "../../src/log/postgres/postgres-log.ts"
import { Database } from "../../src/postgres/database.ts"
import { startPostgres, type PostgresServer } from "../../src/testing/servers/postgres-server.ts"
import { makeWorkFolder, workFolder } from "../recorded-homes/folder.ts"
import { complaintOf, noComplaint } from "./complaints.ts"
import { eventually } from "./eventually.ts"
import { eventsOf, object } from "./printed.ts"
import type { Ended } from "./running.ts"
import { newPlace, type Place } from "./turnhouse.ts"

const homes = join(import.meta.dirname, "../recorded-homes")
const logs = join(import.meta.dirname, "../recorded-logs")
const recordedHome = "0.1.0.tar.gz"

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
  makeWorkFolder()
})
afterAll(() => server.remove())

type Test = Pick<TestContext, "onTestFinished">

/** The home of a release, with the sessions of all recorded logs. */
function recordedPlace(test: Test): Place {
  const place = newPlace(test)
  execFileSync("tar", ["-xzf", join(homes, recordedHome), "--no-same-owner", "-C", place.home])
  const database = new DatabaseSync(join(place.home, "turnhouse.db"))
  for (const name of readdirSync(logs).filter((file) => file.endsWith(".ndjson")))
    addRecorded(database, readFileSync(join(logs, name), "utf8"))
  database.close()
  return place
}

function addRecorded(database: DatabaseSync, text: string): void {
  const [header = "", ...lines] = text.trimEnd().split("\n").slice(0, -1)
  const sessionId = String(object(header)["sessionId"])
  const insert =
    "insert into sessions (session_id, created_at, updated_at, seq, head, summary) values (?, 1, 2, 0, '', 'null')"
  const number = Number(database.prepare(insert).run(sessionId).lastInsertRowid)
  let hash = firstHash(sessionId)
  for (const [index, line] of lines.entries()) {
    hash = nextHash(hash, line)
    const at = number * 2 ** 26 + index + 1
    database.prepare("insert into events (place, hash, text) values (?, ?, ?)").run(at, hash, line)
  }
  database.prepare("update sessions set seq = ?, head = ? where number = ?").run(lines.length, hash, number)
}

/** The events of all sessions, as they are stored. */
function linesIn(place: Place): unknown {
  const database = new DatabaseSync(join(place.home, "turnhouse.db"), { readOnly: true })
  const sql = `select session_id, place % 67108864 as seq, hash, text from events join sessions on number = place / 67108864
    order by session_id, place`
  const rows = JSON.stringify(database.prepare(sql).all())
  database.close()
  return JSON.parse(rows)
}

async function migrated(place: Place, ...args: readonly string[]) {
  const { code, stdout, stderr } = await place.run("migrate", "--json", ...args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return object(stdout)
}

const withDatabase = (url: string) => ({ cwd: workFolder, env: { TURNHOUSE_DATABASE_URL: url } })

async function inServer<Value>(url: string, use: (database: Database) => Promise<Value>): Promise<Value> {
  const database = new Database({ url, timeoutMs: 60_000 })
  try {
    return await use(database)
  } finally {
    await database.close()
  }
}

/** With the tables of a log. */
async function preparedDatabase(): Promise<string> {
  const url = server.createDatabase()
  const log = new PostgresLog({ url })
  await log.list()
  await log.close()
  return url
}

async function sessionsAt(url: string): Promise<number> {
  return inServer(url, async (database) => {
    const [there] = await database.query("select to_regclass('turnhouse.sessions') is not null as there")
    if (there?.["there"] !== true) return 0
    const rows = await database.query("select session_id from turnhouse.sessions where seq > 0")
    return rows.length
  })
}

/** In the order in which they are copied. */
function sessionIdsIn(place: Place): readonly string[] {
  const database = new DatabaseSync(join(place.home, "turnhouse.db"), { readOnly: true })
  const rows = database.prepare("select session_id from sessions order by number").all()
  database.close()
  return rows.map((row) => String(row["session_id"]))
}

/** Another transaction that has inserted the session and does not end: the migration waits for it. */
async function stoppedAt(url: string, sessionId: string, work: () => Promise<void>): Promise<void> {
  const columns = "(session_id, created_at, updated_at, seq, head, summary)"
  const undone = new Error("undone")
  const inserted = inServer(url, (database) =>
    database.transaction(async (queries) => {
      await queries.query(`insert into turnhouse.sessions ${columns} values ($1, 0, 0, 0, '', 'null')`, [sessionId])
      await work()
      throw undone
    }),
  )
  await expect(inserted).rejects.toBe(undone)
}

const waiting = "datname = current_database() and wait_event_type = 'Lock'"

async function blockedAt(url: string): Promise<void> {
  await inServer(url, (database) =>
    eventually("it waits for the other transaction", async () => {
      const rows = await database.query(`select 1 from pg_stat_activity where ${waiting}`)
      return rows.length > 0 || undefined
    }),
  )
}

describe.concurrent("turnhouse migrate", () => {
  it("moves recorded homes and logs to PostgreSQL and into another home: the same lines, heads and checks", async (test) => {
    const place = recordedPlace(test)
    const url = server.createDatabase()
    const there = await migrated(place, "--to", url)
    expect(there).toMatchObject({ conflicts: [], damaged: [], unchanged: 0, copied: there["sessions"] })
    const other = newPlace(test)
    copyFileSync(join(place.home, "secret.key"), join(other.home, "secret.key"))
    const back = await other.start(["migrate", "--to", "sqlite", "--json"], withDatabase(url)).ended
    expect(object(back.stdout)).toMatchObject({ headOfHeads: there["headOfHeads"], verified: there["sessions"] })
    expect(linesIn(other)).toEqual(linesIn(place))
    for (const each of [place, other])
      expect(object((await each.run("verify", "--json")).stdout)).toMatchObject({ damage: [], findings: [] })
  })

  it("lets a host on PostgreSQL continue the turn that was open, and says how to use the database", async (test) => {
    const place = recordedPlace(test)
    const url = server.createDatabase()
    const moved = await place.run("migrate", "--to", url)
    expect(moved.stdout).toMatch(
      /^\d+ sessions, \d+ events copied; every chain verified; head of heads SHA-256 [0-9a-f]{64}\n/,
    )
    expect(moved.stdout).toContain("set TURNHOUSE_DATABASE_URL to the address")
    const listed = await place.start(["ls", "--all", "--json"], withDatabase(url)).ended
    const open = JSON.parse(listed.stdout).find(({ title }: { title?: string }) => title === "Wait a while.")
    const continued = await place.start(["run", "--session", open.id, "--yes"], withDatabase(url)).ended
    expect(continued).toMatchObject({ code: 0, stdout: "I do not know how it ended.\n" })
    const log = await place.start(["log", open.id, "--json"], withDatabase(url)).ended
    expect(eventsOf(log.stdout, "tool.started")).toHaveLength(1)
    expect(eventsOf(log.stdout, "tool.unsettled")).toHaveLength(1)
    const back = await place.start(["migrate", "--to", "sqlite"], withDatabase(url)).ended
    expect(back).toMatchObject({ code: 0, stderr: "" })
    expect(back.stdout).toContain("Unset TURNHOUSE_DATABASE_URL.")
    expect(await place.log(open.id)).toBe(log.stdout)
  })

  it("continues after it was killed in the middle of a session", async (test) => {
    const place = recordedPlace(test)
    const url = await preparedDatabase()
    const ids = sessionIdsIn(place)
    for (const [copied, sessionId] of ids.entries()) {
      await stoppedAt(url, sessionId, async () => {
        const running = place.start(["migrate", "--to", url])
        await blockedAt(url)
        running.signal("SIGKILL")
        expect((await running.ended).code).toBe(137)
      })
      expect(await sessionsAt(url)).toBe(copied)
    }
    expect(await migrated(place, "--to", url)).toMatchObject({
      copied: 1,
      unchanged: ids.length - 1,
      verified: ids.length,
    })
    expect(object((await place.run("verify", "--json")).stdout)).toMatchObject({ damage: [], findings: [] })
  })

  it("undoes the session that it copies on Ctrl-C, and when the connection is lost", async (test) => {
    const place = recordedPlace(test)
    const url = await preparedDatabase()
    const [, second = ""] = sessionIdsIn(place)
    await stoppedAt(url, second, async () => {
      const running = place.start(["migrate", "--to", url])
      await blockedAt(url)
      // The first signal ends it after the statement, the second at once.
      const { code } = await eventually("it has ended", () => {
        running.signal("SIGINT")
        return Promise.race([running.ended, pause(100, undefined)])
      })
      expect(code).toBe(130)
    })
    expect(await sessionsAt(url)).toBe(1)
    await stoppedAt(url, second, async () => {
      const running = place.start(["migrate", "--to", url])
      await blockedAt(url)
      await inServer(url, (database) =>
        database.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${waiting}`),
      )
      const { code, stderr } = await running.ended
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot be reached") })
    })
    expect(await sessionsAt(url)).toBe(1)
    expect(await migrated(place, "--to", url)).toMatchObject({ unchanged: 1, damaged: [], conflicts: [] })
  })

  it("keeps other commands from writing while it runs", async (test) => {
    const place = recordedPlace(test)
    const url = await preparedDatabase()
    const [first = ""] = sessionIdsIn(place)
    let running: Promise<Ended> | undefined
    await stoppedAt(url, first, async () => {
      running = place.start(["migrate", "--to", url]).ended
      await blockedAt(url)
      const why = "is copying the sessions of"
      const model = place.script([[{ text: "Hello." }]])
      expect(complaintOf(await place.run("run", "hi", "--model", model), why)).toEqual(noComplaint(1))
      expect(complaintOf(await place.run("migrate", "--to", server.createDatabase()), why)).toEqual(noComplaint(1))
      const there = await place.start(["run", "hi", "--model", model], withDatabase(url)).ended
      expect(complaintOf(there, "A host with the role 'migrate' is already running")).toEqual(noComplaint(1))
      expect((await place.sessions()).length).toBeGreaterThan(0)
    })
    expect(await running).toMatchObject({ code: 0 })
  })

  it("refuses while a host has a session open, and copies it afterwards", async (test) => {
    const place = newPlace(test)
    const url = server.createDatabase()
    const running = place.start(["run", "go", "--json", "--model", place.script([[{ text: "Wait" }, { hang: true }]])])
    await running.prints("Wait")
    const refused = await place.run("migrate", "--to", url)
    expect(complaintOf(refused, `run (pid ${running.pid}) uses`, "turnhouse host --stop")).toEqual(noComplaint(1))
    running.signal("SIGINT")
    await running.ended
    expect(await sessionsAt(url)).toBe(0)
    expect(await migrated(place, "--to", url)).toMatchObject({ copied: 1, verified: 1 })
  })

  it("says what is wrong with a target, and shows no password", async (test) => {
    const place = newPlace(test)
    const bad = async (to: string, code: number, ...texts: readonly string[]) => {
      const ended = await place.run("migrate", "--to", to)
      expect(ended.stderr).not.toContain("hunter2")
      expect(complaintOf(ended, ...texts)).toEqual(noComplaint(code))
    }
    await bad("mysql://me:hunter2@h/db", 2, "not an address of PostgreSQL")
    await bad("sqlite", 2, "no PostgreSQL is configured", "TURNHOUSE_DATABASE_URL")
    await bad("postgres", 2, "no PostgreSQL is configured", "--to postgres://USER@HOST/DATABASE")
    await bad("postgres://me:hunter2@127.0.0.1:1/db", 1, "this home has no log in SQLite")
    await place.run("run", "hi", "--model", place.script([[{ text: "Hello." }]]))
    await bad("postgres://me:hunter2@127.0.0.1:1/db", 1, "PostgreSQL at 127.0.0.1:1/db cannot be reached")
    await bad(server.createDatabase().replace(/test_\d+$/, "missing"), 1, 'database "missing" does not exist')
    const empty = server.createDatabase()
    const back = await place.start(["migrate", "--to", "sqlite"], withDatabase(empty)).ended
    expect(complaintOf(back, "there is no log at 127.0.0.1")).toEqual(noComplaint(1))
    const newer = server.createDatabase()
    await migrated(place, "--to", newer)
    await inServer(newer, (database) =>
      database.query("update turnhouse.schema_versions set version = 99, oldest = 99 where part = 'log'"),
    )
    await bad(newer, 1, "has schema 99")
  })
})
