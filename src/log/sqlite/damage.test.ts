// Files that are really damaged: rows altered or deleted behind the log's back, whole pages overwritten with garbage.
// Damage is named, session by session and event by event; it is never misread; and what is not hit still opens.
import { closeSync, copyFileSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { decodeEvent } from "../../contract/stored-event.ts"
import type { Outcome, StoredLine } from "../event-log.ts"
import { appendOf, createdEvent, hostNamed, refusalOf, sessionIdOf, valueOf } from "../fixtures.ts"
import { Connection, openDatabase } from "./connection.ts"
import { seeded } from "../../app/prove/seeded.ts"
import { placeOf } from "./place.ts"
import { openSqliteLog, type SqliteLog } from "./sqlite-log.ts"

const sessionIds = Array.from({ length: 24 }, (_, index) => sessionIdOf(index + 1))
const eventsEach = 30
const [one = "", two = "", three = ""] = sessionIds
let folder: string
let whole: string
let copies = 0
const original = new Map<string, readonly StoredLine[]>()

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "turnhouse-damage-"))
  whole = join(folder, "whole.db")
  const random = seeded(1)
  const log = valueOf(openSqliteLog({ path: whole }))
  const lease = valueOf(await log.registerHost(hostNamed("first")))
  for (const sessionId of sessionIds)
    valueOf(await log.create(lease, { ...appendOf(sessionId, 0), events: [createdEvent(sessionId)] }))
  for (let seq = 1; seq < eventsEach; seq++)
    for (const sessionId of sessionIds)
      valueOf(await log.append(lease, appendOf(sessionId, seq, `${seq} `.repeat(random(random(8) === 0 ? 2000 : 60)))))
  for (const sessionId of sessionIds) original.set(sessionId, valueOf(await log.readLines(sessionId, 0, 1000)))
  valueOf(await log.saveSnapshot(lease, three, { seq: 10, value: "ten" }))
  valueOf(await log.saveSnapshot(lease, three, { seq: 20, value: "twenty" }))
  valueOf(await log.checkpoint(lease, two, { stepId: "stp_9", blocks: [{ block: 0, kind: "text", text: "so far" }] }))
  await log.close()
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Opens a copy that was damaged by `damage`. */
async function withDamaged(damage: (path: string) => void, check: (log: SqliteLog) => Promise<void>): Promise<void> {
  const path = join(folder, `copy-${++copies}.db`)
  copyFileSync(whole, path)
  damage(path)
  const log = valueOf(openSqliteLog({ path }))
  await check(log)
  await log.close()
  rmSync(path)
}

function sql(...statements: readonly string[]) {
  return (path: string) => {
    const database = new DatabaseSync(path)
    for (const statement of statements) database.exec(statement)
    database.close()
  }
}

/** Sessions are numbered in the order in which they were made. */
const placeIn = (sessionId: string, seq: number) => placeOf(sessionIds.indexOf(sessionId) + 1, seq)
const eventOf = (sessionId: string, seq: number) => `events where place = ${placeIn(sessionId, seq)}`
const alter = (sessionId: string, seq: number, set: string) =>
  `update events set ${set} where place = ${placeIn(sessionId, seq)}`

/** One bit of one byte in the middle of the stored text. */
const flipped = "text = substr(text, 1, 40) || char(unicode(substr(text, 41, 1)) + 1) || substr(text, 42)"

async function openable(log: SqliteLog): Promise<readonly string[]> {
  const outcomes = await Promise.all(sessionIds.map((sessionId) => log.load(sessionId)))
  return sessionIds.filter((_, index) => outcomes[index]?.kind === "ok")
}

const damaged = (sessionId: string, seq: number, what: string) => ({ sessionId, seq, what })
const without = (...hit: readonly string[]) => sessionIds.filter((sessionId) => !hit.includes(sessionId))

describe("an event", () => {
  it.each([
    ["altered in one byte", alter(one, 7, flipped), [damaged(one, 7, "its bytes were altered")]],
    ["with another hash", alter(one, 7, "hash = 'x' || substr(hash, 2)"), [damaged(one, 7, "its bytes were altered")]],
    ["deleted", `delete from ${eventOf(one, 7)}`, [damaged(one, 7, "it is missing")]],
    ["deleted at the end", `delete from ${eventOf(one, 30)}`, [damaged(one, 30, "it is missing")]],
    ["deleted at the beginning", `delete from ${eventOf(one, 1)}`, [damaged(one, 1, "it is missing")]],
    ["exchanged for another session's", alter(one, 7, `text = (select text from ${eventOf(two, 7)} )`), []],
  ])("%s is named, and only its session does not open", async (_, statement, named) => {
    const expected = named.length > 0 ? named : [damaged(one, 7, "its bytes were altered")]
    await withDamaged(sql(statement), async (log) => {
      expect(valueOf(await log.inspect())).toEqual(expected)
      expect(valueOf(await log.inspect(two))).toEqual([])
      const [first] = expected
      expect(refusalOf(await log.load(one))).toEqual({ code: "session.damaged", ...first })
      expect(refusalOf(await log.read(one, 0, 100))).toEqual({ code: "session.damaged", ...first })
      expect(await openable(log)).toEqual(without(one))
    })
  })

  it("that is damaged is reported with all other damaged ones", async () => {
    const statements = [
      alter(one, 3, flipped),
      alter(one, 4, flipped),
      `delete from ${eventOf(one, 12)}`,
      `delete from ${eventOf(two, 30)}`,
      alter(two, 1, flipped),
    ]
    await withDamaged(sql(...statements), async (log) => {
      expect(valueOf(await log.inspect())).toEqual([
        damaged(one, 3, "its bytes were altered"),
        damaged(one, 4, "its bytes were altered"),
        damaged(one, 12, "it is missing"),
        damaged(two, 1, "its bytes were altered"),
        damaged(two, 30, "it is missing"),
      ])
      expect(await openable(log)).toEqual(without(one, two))
    })
  })

  it("before the damage can be read", async () => {
    await withDamaged(sql(alter(one, 7, flipped)), async (log) => {
      expect(valueOf(await log.read(one, 0, 6))).toHaveLength(6)
      expect(valueOf(await log.read(one, 7, 100))).toHaveLength(23)
      expect(refusalOf(await log.readLines(one, 6, 1))?.code).toBe("session.damaged")
    })
  })

  it("of a newer version is refused as newer and not reported as damage", async () => {
    const path = join(folder, "newer.db")
    copyFileSync(whole, path)
    const log = valueOf(openSqliteLog({ path }))
    const database = new DatabaseSync(path)
    const { hash, text } = original.get(one)?.[eventsEach - 1] ?? { hash: "", text: "" }
    const newer = text.replace('"v":1', '"v":9')
    const before = original.get(one)?.[eventsEach - 2]?.hash ?? ""
    const { nextHash } = await import("../chain.ts")
    database.prepare("update events set text = ?, hash = ? where hash = ?").run(newer, nextHash(before, newer), hash)
    database.prepare("update sessions set head = ? where session_id = ?").run(nextHash(before, newer), one)
    database.close()
    const refusal = { code: "session.newer", sessionId: one, seq: 30, type: "text.ended", version: 9, known: 1 }
    expect(refusalOf(await log.load(one))).toEqual(refusal)
    expect(valueOf(await log.readLines(one, 29, 1))[0]?.text).toBe(newer)
    expect(valueOf(await log.inspect())).toEqual([])
    await log.close()
  })
})

describe("the directory", () => {
  it("that lacks an entry is reported from the session's events", async () => {
    await withDamaged(sql(`delete from sessions where session_id = '${one}'`), async (log) => {
      expect(valueOf(await log.inspect())).toEqual([damaged(one, 0, "its directory entry is missing")])
      expect(refusalOf(await log.load(one))).toEqual({ code: "session.unknown", wanted: one })
      expect(await openable(log)).toEqual(without(one))
    })
  })

  it.each([
    ["fewer events than there are", "seq = 12", [12, 13]],
    ["more events than there are", "seq = 32", [31, 32]],
    ["another last event", `head = '${"0".repeat(64)}'`, [30]],
  ])("that knows %s is found out", async (_, set, seqs) => {
    await withDamaged(sql(`update sessions set ${set} where session_id = '${one}'`), async (log) => {
      const damage = valueOf(await log.inspect())
      expect(damage.map(({ seq }) => seq).toSorted((left, right) => left - right)).toEqual(seqs)
      expect(new Set(damage.map(({ sessionId }) => sessionId))).toEqual(new Set([one]))
      expect(refusalOf(await log.load(one))).toMatchObject({ code: "session.damaged", seq: seqs[0] })
      expect(await openable(log)).toEqual(without(one))
    })
  })

  it("that counts a billion missing events yields a bounded number of reports", async () => {
    await withDamaged(sql(`update sessions set seq = 1000000000 where session_id = '${one}'`), async (log) => {
      const damage = valueOf(await log.inspect())
      expect(damage.length).toBeLessThan(1100)
      expect(damage.map(({ what }) => what)).toContain("it is missing, and so are all after it up to 1000000000")
    })
  })
})

describe("a snapshot", () => {
  const load = (statements: readonly string[]) => async (check: (loaded: unknown) => void) =>
    withDamaged(sql(...statements), async (log) => {
      const { snapshot, events } = valueOf(await log.load(three))
      check({ snapshot, events: events.length })
    })

  it.each([
    ["whole", [], { snapshot: { seq: 20, value: "twenty" }, events: 10 }],
    [
      "altered",
      [`value = '"other"' where place = ${placeIn(three, 20)}`],
      { snapshot: { seq: 10, value: "ten" }, events: 20 },
    ],
    [
      "of other events",
      [`place = place + 1 where place = ${placeIn(three, 20)}`],
      { snapshot: { seq: 10, value: "ten" }, events: 20 },
    ],
    ["unusable like the one before it", ["value = 'x'"], { snapshot: undefined, events: 30 }],
  ])("that is %s is used only if it can be", async (_, sets, expected) => {
    await load(sets.map((set) => `update snapshots set ${set}`))((loaded) => expect(loaded).toEqual(expected))
  })

  it("lets a session load despite damage before it; reading that part is refused", async () => {
    await withDamaged(sql(alter(three, 5, flipped)), async (log) => {
      expect(valueOf(await log.load(three)).events).toHaveLength(10)
      expect(refusalOf(await log.read(three, 0, 100))).toMatchObject({ code: "session.damaged", seq: 5 })
    })
  })

  it("does not hide damage after it", async () => {
    await withDamaged(sql(alter(three, 21, flipped)), async (log) => {
      expect(refusalOf(await log.load(three))).toMatchObject({ code: "session.damaged", seq: 21 })
    })
  })
})

it("altered streamed text is left out and reported", async () => {
  await withDamaged(sql("update streamed set blocks = replace(blocks, 'so', 'no')"), async (log) => {
    expect(valueOf(await log.load(two)).streamed).toEqual([])
    const what = "the streamed text after it is damaged (its bytes were altered)"
    expect(valueOf(await log.inspect())).toEqual([damaged(two, 30, what)])
  })
})

describe("overwritten pages", () => {
  const pageSize = 4096
  type Random = (below: number) => number
  type Filling = (random: Random, bytes: Buffer) => Buffer

  const garbage: Filling = (random) => Buffer.from(Array.from({ length: pageSize }, () => random(256)))
  const garbageOrZeros: Filling = (random, bytes) => (random(3) === 0 ? Buffer.alloc(pageSize) : garbage(random, bytes))
  const otherPage: Filling = (random, bytes) => {
    const from = pageSize * random(bytes.length / pageSize)
    return bytes.subarray(from, from + pageSize)
  }

  /** The first page is spared: it is the file's own, and without it there is no log. */
  function overwrite(path: string, random: Random, count: number, filling: Filling): void {
    const bytes = readFileSync(path)
    const file = openSync(path, "r+")
    for (let index = 0; index < count; index++) {
      const page = 1 + random(bytes.length / pageSize - 1)
      writeSync(file, filling(random, bytes), 0, pageSize, pageSize * page)
    }
    closeSync(file)
  }

  /** What is wrong, found by asking for every single row and comparing it with what was written. */
  function findDamage(path: string): readonly string[] {
    const database = new DatabaseSync(path, { readOnly: true })
    const eventRow = database.prepare("select text, hash from events where place = ?")
    const directoryRow = database.prepare("select seq, head, owner_epoch from sessions where session_id = ?")
    const row = (get: () => unknown) => {
      try {
        return JSON.stringify(get() ?? "missing")
      } catch {
        return "unreadable"
      }
    }
    const found: string[] = []
    for (const [sessionId, lines] of original) {
      const head = { seq: lines.length, head: lines.at(-1)?.hash, owner_epoch: 1 }
      if (row(() => directoryRow.get(sessionId)) !== JSON.stringify(head)) found.push(`${sessionId} 0`)
      for (const { seq, text, hash } of lines)
        if (row(() => eventRow.get(placeIn(sessionId, seq))) !== JSON.stringify({ text, hash }))
          found.push(`${sessionId} ${seq}`)
    }
    database.close()
    return found
  }

  /** Without a directory entry the number of lost events at the end is unknown: only the first is reported. */
  function reportable(actualDamage: readonly string[]): readonly string[] {
    const isLost = (sessionId: string, seq: number) => actualDamage.includes(`${sessionId} ${seq}`)
    return actualDamage.filter((each) => {
      const [sessionId = "", seq = ""] = each.split(" ")
      if (!isLost(sessionId, 0) || Number(seq) < 2 || !isLost(sessionId, Number(seq) - 1)) return true
      return lastSeqs(Number(seq)).some((later) => !isLost(sessionId, later))
    })
  }

  function lastSeqs(from: number): readonly number[] {
    return Array.from({ length: eventsEach - from + 1 }, (_, index) => from + index)
  }

  async function namedBy(log: SqliteLog): Promise<readonly string[]> {
    const damage = valueOf(await log.inspect())
    // What is said of streamed text, and of what may lie behind a session's last event, is not about its events.
    const ofEvents = damage.filter(({ seq, what }) => seq <= eventsEach && !what.startsWith("the streamed text"))
    return ofEvents.map(({ sessionId, seq }) => `${sessionId} ${seq}`)
  }

  function undamaged(named: readonly string[]): string[] {
    return sessionIds.filter((sessionId) => !named.some((each) => each.startsWith(sessionId)))
  }

  function firstDamage(outcome: Outcome<unknown>): string {
    const refusal = refusalOf(outcome)
    if (refusal === undefined) return "none"
    return refusal.code === "session.damaged" ? `${refusal.sessionId} ${refusal.seq}` : refusal.code
  }

  /** A session opens exactly if nothing in it was named; otherwise it is refused by the first of what was named. */
  async function expectOnlyNamedToBeRefused(log: SqliteLog, named: readonly string[]): Promise<void> {
    for (const sessionId of sessionIds) {
      const first = named.find((each) => each.startsWith(sessionId)) ?? "none"
      const lines = await log.readLines(sessionId, 0, 1000)
      expect(firstDamage(lines)).toBe(first)
      expect(lines.kind === "ok" ? lines.value : "refused").toEqual(
        first === "none" ? original.get(sessionId) : "refused",
      )
      expect(["none", ...named]).toContain(firstDamage(await log.load(sessionId)))
    }
    expect(await openable(log)).toEqual(expect.arrayContaining(undamaged(named)))
    const listed = valueOf(await log.list()).map(({ sessionId }) => sessionId)
    expect(listed).toEqual(expect.arrayContaining(undamaged(named)))
  }

  const seeds = Array.from({ length: 25 }, (_, seed) => seed)

  it.each(seeds)("with garbage are reported event by event, and nothing else is (%i)", async (seed) => {
    let actualDamage: readonly string[] = []
    const damage = (path: string) => {
      overwrite(path, seeded(seed), 1 + (seed % 4), garbageOrZeros)
      actualDamage = findDamage(path)
    }
    await withDamaged(damage, async (log) => {
      const named = await namedBy(log)
      expect(named).toEqual(reportable(actualDamage))
      await expectOnlyNamedToBeRefused(log, named)
    })
  })

  it.each(seeds)("that are valid but belong elsewhere are detected (%i)", async (seed) => {
    let actualDamage: readonly string[] = []
    const damage = (path: string) => {
      overwrite(path, seeded(1000 + seed), 1 + (seed % 3), otherPage)
      actualDamage = findDamage(path)
    }
    await withDamaged(damage, async (log) => {
      const named = await namedBy(log)
      expect(actualDamage).toEqual(expect.arrayContaining([...named]))
      await expectOnlyNamedToBeRefused(log, named)
    })
  })

  it("cause damage in most of these cases", () => {
    const hits = seeds.filter((seed) => {
      const path = join(folder, "probe.db")
      copyFileSync(whole, path)
      overwrite(path, seeded(seed), 1 + (seed % 4), garbageOrZeros)
      const hit = findDamage(path).length > 0
      rmSync(path)
      return hit
    })
    expect(hits.length).toBeGreaterThan(18)
  })
})

it("a query that found damage once still works for other parts of the file", () => {
  const path = join(folder, "spoilt.db")
  copyFileSync(whole, path)
  sql(alter(one, 1, "text = 'no JSON'"))(path)
  const connection = new Connection(() => openDatabase(path))
  const query = "select json_extract(text, '$') from events where place = ?"
  expect(() => [...connection.rows(query, placeIn(one, 1))]).toThrow("malformed JSON")
  expect([...connection.rows(query, placeIn(one, 2))]).toHaveLength(1)
  connection.close()
})

it("a damaged file yields only what was stored", async () => {
  await withDamaged(sql(alter(one, 7, flipped)), async (log) => {
    for (const sessionId of without(one)) {
      const expected = original.get(sessionId)?.map(({ text }) => decodeEvent(text))
      const recorded = valueOf(await log.read(sessionId, 0, 100))
      expect(recorded.map((each) => ({ kind: "event", recorded: each }))).toEqual(expected)
    }
  })
})
