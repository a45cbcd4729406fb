// Output of strace as it was written, and what it says about the write-ahead log.
import { describe, expect, it } from "vitest"
import { failedCallsIn, readTrace } from "./trace.ts"

const wal = "/h/turnhouse.db-wal"

function trace(...lines: readonly string[]) {
  return readTrace(lines.join("\n"), wal)
}

const written = (offset: number, length = 4096) => `7 pwrite64(23<${wal}>, ""..., ${length}, ${offset}) = ${length}`
const synced = `7 fsync(23<${wal}>)      = 0`
const failed = `7 fsync(23<${wal}>)      = -1 EIO (Input/output error) (INJECTED)`

describe("the trace of a log", () => {
  it("of an empty file has nothing", () => {
    expect(trace("")).toEqual({ unsyncedFrom: undefined, size: 0 })
  })

  it("says where what was not synced begins", () => {
    expect(trace(written(0, 32), synced, written(32, 24), written(56))).toMatchObject({ unsyncedFrom: 32, size: 4152 })
  })

  it("counts what a later sync has synced as synced", () => {
    expect(trace(written(0), written(4096), synced).unsyncedFrom).toBeUndefined()
  })

  it("does not count a sync that failed", () => {
    expect(trace(written(0), synced, written(4096), failed)).toEqual({ unsyncedFrom: 4096, size: 8192 })
  })

  it("does not count what a sync that failed held as synced by the next one", () => {
    expect(trace(written(0), synced, written(4096), failed, synced).unsyncedFrom).toBe(4096)
    expect(trace(written(0), synced, written(4096), failed, synced, written(4096), synced).unsyncedFrom).toBeUndefined()
  })

  it("does not count a write that failed", () => {
    const full = `7 pwrite64(23<${wal}>, ""..., 24, 4096) = -1 ENOSPC (No space left on device) (INJECTED)`
    expect(trace(written(0), synced, full)).toEqual({ unsyncedFrom: undefined, size: 4096 })
  })

  it("puts calls together that were interrupted by another process", () => {
    const lines = [
      `7 pwrite64(23<${wal}>, ""..., 24, 8192 <unfinished ...>`,
      `9 +++ exited with 0 +++`,
      `7 <... pwrite64 resumed>)           = 24`,
    ]
    expect(trace(written(0), written(4096), synced, ...lines)).toMatchObject({ unsyncedFrom: 8192, size: 8216 })
    const sync = [`7 fsync(23<${wal}> <unfinished ...>`, `7 <... fsync resumed>)              = 0`]
    expect(trace(written(0), ...sync).unsyncedFrom).toBeUndefined()
  })

  it("starts again when the file is emptied", () => {
    const emptied = `7 ftruncate(23<${wal}>, 0) = 0`
    expect(trace(written(0), synced, written(4096), emptied)).toEqual({ unsyncedFrom: undefined, size: 0 })
  })

  it("counts the calls that were made to fail", () => {
    expect(failedCallsIn([written(0), failed, failed].join("\n"))).toBe(2)
  })

  it("ignores other files and lines", () => {
    const other = `7 pwrite64(22</h/turnhouse.db>, ""..., 4096, 0) = 4096`
    expect(trace(other, "8 +++ killed by SIGKILL +++", "nothing")).toEqual({
      unsyncedFrom: undefined,
      size: 0,
    })
  })
})
