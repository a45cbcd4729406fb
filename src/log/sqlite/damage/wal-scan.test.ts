// Write-ahead logs that SQLite has really written, cut, flipped and overwritten in every place that matters.
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { beforeAll, describe, expect, it } from "vitest"
import { scanWal } from "./wal-scan.ts"

const pageBytes = 4096
const headerBytes = 32
const frameBytes = 24 + pageBytes
const transactions = 12

let wal: Buffer
/** The number of the last frame of each transaction. */
let commits: readonly number[]

beforeAll(() => {
  wal = writtenWal((database) => {
    for (let index = 0; index < transactions; index++) insertMany(database, index)
  })
  const frames = Array.from({ length: (wal.length - headerBytes) / frameBytes }, (_, index) => index + 1)
  commits = frames.filter((frame) => wal.readUInt32BE(offsetOf(frame) + 4) !== 0)
})

/** The bytes of the write-ahead log after `write`, before anything was moved into the database. */
function writtenWal(write: (database: DatabaseSync) => void): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-wal-"))
  const path = join(folder, "test.db")
  const database = new DatabaseSync(path)
  database.exec("pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table rows (id, text)")
  write(database)
  const bytes = readFileSync(`${path}-wal`)
  database.close()
  rmSync(folder, { recursive: true })
  return bytes
}

/** One transaction of several frames. */
function insertMany(database: DatabaseSync, index: number): void {
  database.exec("begin")
  for (let row = 0; row < 4; row++)
    database.prepare("insert into rows values (?, ?)").run(`${index}.${row}`, "x".repeat(3000))
  database.exec("commit")
}

function offsetOf(frame: number): number {
  return headerBytes + (frame - 1) * frameBytes
}

function flipped(...offsets: readonly number[]): Buffer {
  const bytes = Buffer.from(wal)
  for (const offset of offsets) bytes.writeUInt8(bytes.readUInt8(offset) ^ 0x10, offset)
  return bytes
}

/** The last transaction and the one before it. */
function lastTwo(): { readonly first: number; readonly before: number; readonly last: number } {
  const [before = 0, last = 0] = commits.slice(-2)
  return { first: before + 1, before, last }
}

describe("a write-ahead log", () => {
  it("written by SQLite is sound", () => {
    expect(commits.length).toBe(transactions + 1)
    expect(scanWal(wal, pageBytes)).toEqual({ kind: "sound", frames: commits.at(-1) })
  })

  it("that is empty or shorter than its header is sound", () => {
    for (const length of [0, 1, 31]) expect(scanWal(wal.subarray(0, length), pageBytes).kind).toBe("sound")
  })

  it("that was cut anywhere is sound: nothing follows the cut", () => {
    for (let length = headerBytes; length < wal.length; length += 1013)
      expect(scanWal(wal.subarray(0, length), pageBytes).kind).toBe("sound")
  })

  it("that was restarted is sound: the frames after the newest one belong to an older log", () => {
    const restarted = writtenWal((database) => {
      for (let index = 0; index < transactions; index++) insertMany(database, index)
      database.exec("pragma wal_checkpoint(restart)")
      insertMany(database, transactions)
    })
    expect(restarted.length).toBeGreaterThanOrEqual(wal.length)
    expect(scanWal(restarted, pageBytes).kind).toBe("sound")
  })

  it("that ends with frames of a rolled-back transaction is sound", () => {
    const bytes = writtenWal((database) => {
      insertMany(database, 0)
      database.exec("pragma cache_size = 1; begin")
      for (let row = 0; row < 200; row++) database.prepare("insert into rows values (?, ?)").run(row, "y".repeat(3000))
      database.exec("rollback")
      insertMany(database, 1)
    })
    expect(bytes.length / frameBytes).toBeGreaterThan(100)
    expect(scanWal(bytes, pageBytes).kind).toBe("sound")
  })
})

describe("a bad frame", () => {
  it("of any earlier transaction is damage at any position in the frame", () => {
    const { before } = lastTwo()
    for (let frame = 1; frame <= before; frame++)
      for (const offset of [0, 9, 17, 24, 2000, frameBytes - 1]) {
        if (frame === before && offset === 9) continue // nothing says that this frame ended a transaction
        const verdict = scanWal(flipped(offsetOf(frame) + offset), pageBytes)
        expect(verdict, `frame ${frame}, byte ${offset}`).toMatchObject({ kind: "damaged", badFrame: frame })
      }
  })

  it("counts the transactions that are lost with it", () => {
    const verdict = scanWal(flipped(offsetOf((commits[3] ?? 0) + 1) + 100), pageBytes)
    expect(verdict).toMatchObject({ lostTransactions: transactions + 1 - 4 })
  })

  it("of the last transaction counts as a power loss", () => {
    const { first, last } = lastTwo()
    expect(last).toBeGreaterThan(first)
    for (let frame = first; frame <= last; frame++)
      for (const offset of [0, 9, 24, 2000])
        expect(scanWal(flipped(offsetOf(frame) + offset), pageBytes).kind, `frame ${frame}`).toBe("sound")
  })

  it("of the last transaction counts as a power loss also if its commit frame is on disk", () => {
    const { first } = lastTwo()
    const bytes = Buffer.from(wal)
    bytes.fill(0, offsetOf(first), offsetOf(first + 1))
    expect(scanWal(bytes, pageBytes).kind).toBe("sound")
  })

  it("is found if whole blocks of the file are missing", () => {
    const bytes = Buffer.from(wal)
    bytes.fill(0, offsetOf(5), offsetOf(9))
    expect(scanWal(bytes, pageBytes)).toMatchObject({ kind: "damaged", badFrame: 5 })
  })
})

describe("a bad header", () => {
  it("is damage if transactions follow it", () => {
    for (const offset of [0, 8, 16, 25])
      expect(scanWal(flipped(offset), pageBytes)).toMatchObject({ kind: "damaged", badFrame: 0 })
  })

  it("of a log with a single transaction could be a power loss", () => {
    const bytes = flipped(17).subarray(0, offsetOf((commits[0] ?? 0) + 1))
    expect(scanWal(bytes, pageBytes).kind).toBe("sound")
  })
})
