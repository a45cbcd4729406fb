import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { eventLogContract, type LogConditions, type LogUnderTest } from "../event-log-contract.ts"
import { appendOf, hostNamed, refusalOf, sessionIdOf, valueOf } from "../fixtures.ts"
import { directoryContract } from "../directory-contract.ts"
import { version } from "../../program/program-files.ts"
import { noteRelease } from "./release-note.ts"
import { openSqliteLog } from "./sqlite-log.ts"

eventLogContract("SQLite", openFresh)
directoryContract("SQLite", openFresh)

describe("a file that cannot be the log", () => {
  let folder: string
  let path: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "turnhouse-log-"))
    path = join(folder, "turnhouse.db")
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  async function refusedUntouched(): Promise<unknown> {
    const before = readFileSync(path)
    const outcome = openSqliteLog({ path })
    expect(readFileSync(path).equals(before)).toBe(true)
    return refusalOf(outcome)
  }

  it("because its schema is newer is refused with a message and not changed", async () => {
    await valueOf(openSqliteLog({ path })).close()
    const database = new DatabaseSync(path)
    database.exec("pragma user_version = 7")
    database.close()
    const what = `${path} was written by a newer Turnhouse (schema 7; this is ${version()}, schema 3). Upgrade, or set TURNHOUSE_HOME to another folder.`
    expect(await refusedUntouched()).toEqual({ code: "log.unavailable", what })
  })

  it("because a newer release has written it is refused with the name of that release", async () => {
    await valueOf(openSqliteLog({ path })).close()
    const database = new DatabaseSync(path)
    database.exec("pragma user_version = 7")
    database.close()
    noteRelease(path, "9.9.9")
    const what = `${path} was written by Turnhouse 9.9.9 (schema 7; this is ${version()}, schema 3). Upgrade, or set TURNHOUSE_HOME to another folder.`
    expect(await refusedUntouched()).toEqual({ code: "log.unavailable", what })
  })

  it("because it is another program's database is refused and not changed", async () => {
    const database = new DatabaseSync(path)
    database.exec("create table recipes (name)")
    database.close()
    const what = `${path} is a database of another program`
    expect(await refusedUntouched()).toEqual({ code: "log.unavailable", what })
  })

  it("because it is not a database is refused and not changed", async () => {
    writeFileSync(path, "dear diary, ".repeat(1000), { mode: 0o600 })
    const what = `${path} is damaged (file is not a database)`
    expect(await refusedUntouched()).toEqual({ code: "log.unavailable", what })
  })
})

describe("a long history", () => {
  const sessionId = sessionIdOf(1)

  it("is read completely without blocking the event loop", async () => {
    const { log, remove } = openFresh({ now: Date.now, isAlive: () => true })
    const lease = valueOf(await log.registerHost(hostNamed("first")))
    valueOf(await log.create(lease, appendOf(sessionId, 0, "first")))
    const texts = Array.from({ length: 2000 }, (_, index) => `${index} `.repeat(index % 400 === 0 ? 200_000 : 3))
    valueOf(await log.append(lease, appendOf(sessionId, 1, ...texts)))
    let turns = 0
    let isReading = true
    const turn = () => {
      turns += 1
      if (isReading) setImmediate(turn)
    }
    setImmediate(turn)
    const { events } = valueOf(await log.load(sessionId))
    isReading = false
    const loaded = events.map(({ event }) => (event.type === "text.ended" ? event.text : ""))
    expect(loaded).toEqual(["first", ...texts])
    expect(turns).toBeGreaterThan(5)
    await remove()
  })
})

function openFresh(conditions: LogConditions) {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-log-"))
  const open = () => valueOf(openSqliteLog({ path: join(folder, "turnhouse.db"), ...conditions }))
  const log = open()
  const opened = [log]
  return {
    log,
    openAnother: () => {
      const another = open()
      opened.push(another)
      return another
    },
    remove: async () => {
      for (const each of opened) await each.close()
      rmSync(folder, { recursive: true })
    },
  } satisfies LogUnderTest
}

describe("a session that is written while it is inspected", () => {
  it("is not reported as damaged", async () => {
    const { log, openAnother, remove } = openFresh({ now: Date.now, isAlive: () => true })
    const other = openAnother()
    const lease = valueOf(await log.registerHost(hostNamed("first", 1)))
    const one = sessionIdOf(1)
    valueOf(await log.create(lease, appendOf(one, 0, "0")))
    const written = new AbortController()
    const writing = (async () => {
      for (let seq = 1; seq < 400; seq++) valueOf(await log.append(lease, appendOf(one, seq, "more")))
      written.abort()
    })()
    const found: unknown[] = []
    do found.push(...valueOf(await other.inspect()))
    while (!written.signal.aborted)
    await writing
    await remove()
    expect(found).toEqual([])
  })
})
