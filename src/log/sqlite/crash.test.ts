// The log under kill -9, torn files and several writing processes. Whatever was acknowledged is there afterwards.
import { appendFileSync, copyFileSync, mkdtempSync, rmSync, statSync, truncateSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { appendOf, hostNamed, sessionIdOf, valueOf } from "../fixtures.ts"
import { Child } from "./fixtures/child.ts"
import { seeded } from "../../app/prove/seeded.ts"
import { openSqliteLog } from "./sqlite-log.ts"

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnhouse-crash-"))
  path = join(folder, "turnhouse.db")
})
afterEach(() => rmSync(folder, { recursive: true }))

interface Acknowledged {
  readonly sessionId: string
  readonly seq: number
  readonly text: string
}

/** Runs until so many events are acknowledged, then kills. What is said until the pipe closes counts as well. */
async function killAfter(sessionIds: readonly string[], count: number): Promise<readonly Acknowledged[]> {
  const child = new Child("appending-process", [path, sessionIds.join(","), "100000"])
  const acknowledged: Acknowledged[] = []
  await new Promise<void>((resolve) => {
    child.lines.on("line", (line) => {
      acknowledged.push(JSON.parse(line))
      if (acknowledged.length === count) resolve()
    })
    child.lines.once("close", resolve)
  })
  await child.kill()
  return acknowledged
}

async function findLost(acknowledged: readonly Acknowledged[]): Promise<readonly Acknowledged[]> {
  const log = valueOf(openSqliteLog({ path }))
  const stored = new Set<string>()
  for (const sessionId of new Set(acknowledged.map((each) => each.sessionId)))
    for (const { seq, event } of valueOf(await log.load(sessionId)).events)
      if (event.type === "text.ended") stored.add(`${sessionId} ${seq} ${event.text}`)
  const damage = valueOf(await log.inspect())
  await log.close()
  expect(damage).toEqual([])
  return acknowledged.filter(({ sessionId, seq, text }) => !stored.has(`${sessionId} ${seq} ${text}`))
}

/** Only a bound: every acknowledgement waits for a disk that others use as well. */
const timeout = 300_000

describe("a process that is killed while it writes", { timeout }, () => {
  it("loses no acknowledged event in repeated rounds on the same sessions", async () => {
    const random = seeded(20)
    const sessionIds = [1, 2, 3, 4, 5, 6].map(sessionIdOf)
    const all: Acknowledged[] = []
    for (let round = 0; round < 15; round++) {
      const acknowledged = await killAfter(sessionIds, 1 + random(round % 3 === 0 ? 1500 : 60))
      expect(acknowledged.length).toBeGreaterThan(0)
      expect(await findLost(acknowledged)).toEqual([])
      all.push(...acknowledged)
    }
    expect(await findLost(all)).toEqual([])
  })
})

describe("several processes", { timeout }, () => {
  it("open a new log at once and write to their own sessions without affecting each other", async () => {
    const children = [1, 2, 3].map((number) => {
      const sessionIds = [sessionIdOf(10 * number), sessionIdOf(10 * number + 1)]
      const child = new Child("appending-process", [path, sessionIds.join(","), "40"])
      const acknowledged: Acknowledged[] = []
      child.lines.on("line", (line) => acknowledged.push(JSON.parse(line)))
      return { child, acknowledged }
    })
    for (const { child, acknowledged } of children) {
      expect(await child.end()).toBe(0)
      expect(acknowledged).toHaveLength(80)
    }
    expect(await findLost(children.flatMap(({ acknowledged }) => acknowledged))).toEqual([])
  })
})

describe("a torn write-ahead log", () => {
  const sessionId = sessionIdOf(1)

  /** A copy of the files as a power cut would leave them: before and after the last of ten appends. */
  async function seqsAfterTear(tear: (wal: string, before: number, after: number) => void): Promise<readonly number[]> {
    const log = valueOf(openSqliteLog({ path }))
    const lease = valueOf(await log.registerHost(hostNamed("first")))
    valueOf(await log.create(lease, appendOf(sessionId, 0, "first")))
    for (let seq = 1; seq < 10; seq++) valueOf(await log.append(lease, appendOf(sessionId, seq, "x".repeat(seq * 700))))
    const before = statSync(`${path}-wal`).size
    valueOf(await log.append(lease, appendOf(sessionId, 10, "the last one, ".repeat(1000))))
    const after = statSync(`${path}-wal`).size
    const copy = join(folder, "copy.db")
    for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, copy + suffix)
    await log.close()
    tear(`${copy}-wal`, before, after)
    const reopened = valueOf(openSqliteLog({ path: copy }))
    const { events } = valueOf(await reopened.load(sessionId))
    expect(valueOf(await reopened.inspect())).toEqual([])
    const other = valueOf(await reopened.registerHost(hostNamed("second", 2)))
    expect(await reopened.append(other, appendOf(sessionId, 0, "x"))).toMatchObject({ kind: "refused" })
    await reopened.close()
    return events.map(({ seq }) => seq)
  }

  const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)

  it("with garbage after its last commit is read up to that commit", async () => {
    const random = seeded(7)
    const garbage = Buffer.from(Array.from({ length: 10_000 }, () => random(256)))
    expect(await seqsAfterTear((wal) => appendFileSync(wal, garbage))).toEqual(upTo(11))
  })

  it.each([1, 2, 3, 4, 5])("that ends inside its last commit has everything before it (%i)", async (seed) => {
    const random = seeded(seed)
    const seqs = await seqsAfterTear((wal, before, after) => truncateSync(wal, before + random(after - before)))
    expect(seqs).toEqual(upTo(10))
  })
})
