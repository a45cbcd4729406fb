import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { encodeEvent } from "../../../contract/stored-event.ts"
import { hostNamed, sessionIdOf, textEvent } from "../../fixtures.ts"
import { openDatabase, type Database } from "../connection.ts"
import { placeOf } from "../place.ts"
import type { AppendRequest, CheckpointRequest, WriteRequest } from "./write-request.ts"
import { Writer } from "./writer.ts"

/** What the injected database does at its next COMMITs: pass, fail and store nothing, or store and fail all the same. */
type CommitResult = "pass" | "fail" | "store and fail"

class DiskFailure extends Error {
  readonly errcode = 1034 // SQLITE_IOERR_FSYNC
}

const done = { kind: "done" }
const one = sessionIdOf(1)
let folder: string
let path: string
let commitResults: CommitResult[]
let opens: number
let pages: number | undefined
let writer: Writer

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnhouse-writer-"))
  path = join(folder, "turnhouse.db")
  commitResults = []
  opens = 0
  pages = undefined
  writer = new Writer({ path, open })
  writer.commit([{ kind: "register", host: hostNamed("first"), expiresAt: 1, forgetBefore: 0, deadRivals: undefined }])
  writer.commit([createOf(1)])
})

afterEach(() => {
  writer.close()
  rmSync(folder, { recursive: true })
})

function open(): Database {
  opens += 1
  const database = openDatabase(path)
  if (pages !== undefined) database.exec(`pragma max_page_count = ${pages}`)
  return {
    prepare: (sql) => database.prepare(sql),
    close: () => database.close(),
    exec: (sql) => {
      const commitResult = sql === "commit" ? (commitResults.shift() ?? "pass") : "pass"
      if (commitResult !== "fail") database.exec(sql)
      if (commitResult !== "pass") throw new DiskFailure("disk I/O error")
    },
  }
}

function linesOf(expectedSeq: number, texts: readonly string[]) {
  return texts.map((text, index) => encodeEvent({ seq: expectedSeq + 1 + index, at: 5, event: textEvent(text) }))
}

function createOf(number: number): WriteRequest {
  const rest = { epoch: 1, expectedSeq: 0, at: 5, summary: undefined, visits: [], org: undefined, owner: undefined }
  return { kind: "create", sessionId: sessionIdOf(number), lines: linesOf(0, ["first"]), ...rest }
}

function appendOf(number: number, expectedSeq: number, ...texts: string[]): AppendRequest {
  const rest = { epoch: 1, at: 5, summary: undefined, settles: undefined, visits: [] }
  return { kind: "append", sessionId: sessionIdOf(number), expectedSeq, lines: linesOf(expectedSeq, texts), ...rest }
}

function pieceOf(piece: string): CheckpointRequest {
  return { kind: "checkpoint", sessionId: one, epoch: 1, stepId: "stp_1", piece, blocks: "[]" }
}

function storedTexts(): readonly unknown[] {
  const rows = writer.connection.sql("select json_extract(text, '$.text') as text from events order by place")
  return rows.all().map((row) => row["text"])
}

function storedPieces(): readonly unknown[] {
  return writer.connection
    .sql("select piece from streamed order by id")
    .all()
    .map((row) => row["piece"])
}

describe("one transaction", () => {
  it("contains all waiting requests, and a refused one does not affect the others", () => {
    const answers = writer.commit([
      appendOf(1, 1, "a"),
      appendOf(1, 1, "late"),
      appendOf(1, 2, "b"),
      appendOf(9, 0, "x"),
    ])
    expect(answers).toEqual([
      done,
      { kind: "refused", refusal: { code: "log.conflict", sessionId: one, expectedSeq: 1, seq: 2 } },
      done,
      { kind: "refused", refusal: { code: "session.unknown", wanted: sessionIdOf(9) } },
    ])
    expect(storedTexts()).toEqual(["first", "a", "b"])
    expect(opens).toBe(1)
  })
})

describe("a claim", () => {
  const epochs = () =>
    writer.connection
      .sql("select epoch from hosts order by epoch")
      .all()
      .map((row) => row["epoch"])
  const claimBySecond = (expiresAt: number | undefined) =>
    writer.commit([{ kind: "claim", sessionId: one, epoch: 2, replaces: { epoch: 1, expiresAt } }])

  beforeEach(() => {
    writer.commit([
      { kind: "register", host: hostNamed("second"), expiresAt: 9, forgetBefore: 0, deadRivals: undefined },
    ])
  })

  it("changes nothing if the owner has renewed its lease since it was found dead", () => {
    writer.commit([{ kind: "renew", lease: { hostId: "first", epoch: 1 }, expiresAt: 8 }])
    expect(claimBySecond(1)).toEqual([{ kind: "owner-changed" }])
    expect(writer.commit([appendOf(1, 1, "still mine")])).toEqual([done])
    expect(epochs()).toEqual([1, 2])
  })

  it("takes the session and the lease of a dead owner", () => {
    expect(claimBySecond(1)).toEqual([done])
    expect(writer.commit([appendOf(1, 1, "late")])).toMatchObject([{ refusal: { code: "log.fenced" } }])
    expect(epochs()).toEqual([2])
  })
})

it("every commit is fully synced", () => {
  expect(writer.connection.sql("pragma synchronous").get()).toEqual({ synchronous: 2 })
  expect(writer.connection.sql("pragma journal_mode").get()).toEqual({ journal_mode: "wal" })
})

describe("after a commit that failed", () => {
  it("the database is opened again, and missing events are stored before they are acknowledged", () => {
    commitResults = ["fail"]
    expect(writer.commit([appendOf(1, 1, "a"), pieceOf("p1")])).toEqual([done, done])
    expect(opens).toBe(2)
    expect(storedTexts()).toEqual(["first", "a"])
    expect(storedPieces()).toEqual(["p1"])
  })

  it("events that reached the disk are recognised and not stored twice", () => {
    commitResults = ["store and fail"]
    expect(writer.commit([appendOf(1, 1, "a", "b"), createOf(2), pieceOf("p1")])).toEqual([done, done, done])
    expect(opens).toBe(2)
    expect(storedTexts()).toEqual(["first", "a", "b", "first"])
    expect(storedPieces()).toEqual(["p1"])
  })

  it("that fails again everything is refused and nothing is stored", () => {
    commitResults = ["fail", "fail"]
    const what = `reading or writing ${path} failed (disk I/O error)`
    const refused = { kind: "refused", refusal: { code: "log.unavailable", what } }
    expect(writer.commit([appendOf(1, 1, "a"), createOf(2)])).toEqual([refused, refused])
    expect(storedTexts()).toEqual(["first"])
    expect(writer.commit([appendOf(1, 1, "b")])).toEqual([done])
    expect(storedTexts()).toEqual(["first", "b"])
  })

  it("nothing is acknowledged before the remains of the failed commit are synced again", () => {
    commitResults = ["fail", "fail"]
    writer.commit([appendOf(1, 1, "a")])
    // A reader in the past keeps the write-ahead log from being written back.
    const reader = openDatabase(path)
    reader.exec("begin; select * from events")
    reader.prepare("select count(*) from events").get()
    const other = openDatabase(path)
    other.exec("update sessions set summary = '1'; pragma busy_timeout = 0")
    other.close()
    writer.connection.exec("pragma busy_timeout = 0")
    expect(writer.commit([appendOf(1, 1, "b")])).toMatchObject([{ refusal: { code: "log.unavailable" } }])
    reader.close()
    expect(writer.commit([appendOf(1, 1, "c")])).toEqual([done])
    expect(storedTexts()).toEqual(["first", "c"])
  })
})

describe("a full disk", () => {
  it("refuses what does not fit with a message and stores it once there is space", () => {
    pages = 20
    writer.connection.discard()
    const large = appendOf(1, 1, "x".repeat(200_000))
    const what = `no space is left on the disk of ${path}`
    const refused = { kind: "refused", refusal: { code: "log.unavailable", what } }
    expect(writer.commit([large])).toEqual([refused])
    expect(writer.commit([large, createOf(2)])).toEqual([refused, done])
    expect(storedTexts()).toEqual(["first", "first"])
    pages = undefined
    writer.connection.discard()
    expect(writer.commit([large])).toEqual([done])
  })
})

describe("a writer that cannot open its file", () => {
  it("refuses and retries with the next request", () => {
    let isThere = false
    const late = new Writer({
      path,
      open: () => {
        if (isThere) return openDatabase(path)
        return openDatabase(join(path, "below-a-file.db"))
      },
    })
    expect(late.commit([appendOf(1, 1, "a")])).toMatchObject([{ refusal: { code: "log.unavailable" } }])
    isThere = true
    expect(late.commit([appendOf(1, 1, "a")])).toEqual([done])
    late.close()
  })

  it("waits for another process for a limited time", () => {
    const other = openDatabase(path)
    other.exec("begin immediate")
    const impatientWriter = new Writer({
      path,
      open: () => {
        const database = openDatabase(path)
        database.exec("pragma busy_timeout = 10")
        return database
      },
    })
    const what = `${path} is locked by another process`
    expect(impatientWriter.commit([appendOf(1, 1, "a")])).toEqual([
      { kind: "refused", refusal: { code: "log.unavailable", what } },
    ])
    other.exec("commit")
    expect(impatientWriter.commit([appendOf(1, 1, "a")])).toEqual([done])
    other.close()
    impatientWriter.close()
  })
})

it("only the session with inconsistent data is refused", () => {
  const other = openDatabase(path)
  other.exec(`insert into events values (${placeOf(1, 2)}, 'stray', 'stray')`)
  other.close()
  const what = "UNIQUE constraint failed: events.place"
  const damaged = { kind: "refused", refusal: { code: "session.damaged", sessionId: one, seq: 1, what } }
  expect(writer.commit([createOf(2), appendOf(1, 1, "a"), createOf(3)])).toEqual([done, damaged, done])
})
