import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { HeadFile } from "./head-file.ts"
import type { Head } from "./head-record.ts"

const key = new Uint8Array(32).fill(7)
const one = "01a1e3e9-5427-7693-9744-c80224afd501"
const two = "01a1e3e9-5427-7693-9744-c80224afd502"
let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnhouse-heads-"))
  path = join(folder, "turnhouse.db-heads")
})
afterEach(() => rmSync(folder, { recursive: true }))

function head(sessionId: string, seq: number): Head {
  return { sessionId, seq, hash: seq.toString(16).padStart(64, "0") }
}

function created(...heads: readonly Head[]): HeadFile {
  const file = new HeadFile(path, key)
  file.create("new", heads)
  expect(file.openedId()).toBeDefined()
  return file
}

function contentOf(file: HeadFile) {
  const state = file.read()
  if (state.kind === "missing") throw new Error("the file is missing")
  return state
}

const record = (sessionId: string, seq: number) => ({ kind: "head", ...head(sessionId, seq) }) as const

describe("the head file", () => {
  it("is missing until it is created, and private from then on", () => {
    expect(new HeadFile(path, key).read()).toEqual({ kind: "missing" })
    created(head(one, 3))
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(["turnhouse.db-heads"])
  })

  it("returns the newest head of each session, whatever the order of records", async () => {
    const file = created(head(one, 3))
    await file.append([record(one, 9), record(two, 1)])
    file.appendSync([record(one, 7)])
    expect(contentOf(file).heads).toEqual(new Map([one, two].map((id, index) => [id, head(id, index === 0 ? 9 : 1)])))
    expect(file.find(one)).toEqual(head(one, 9))
    expect(file.find("01a1e3e9-0000-7000-8000-000000000000")).toBeUndefined()
  })

  it("removes a deleted session and records it again when it is created again", () => {
    const file = created(head(one, 9))
    file.appendSync([{ kind: "removed", sessionId: one }])
    expect(file.find(one)).toBeUndefined()
    file.appendSync([record(one, 1)])
    expect(file.find(one)).toEqual(head(one, 1))
  })

  it("loses only the last record when a crash cuts off its end, and can be appended to", () => {
    const file = created(head(one, 1))
    const whole = readFileSync(path).length
    file.appendSync([record(two, 5)])
    file.close()
    for (let length = readFileSync(path).length - 1; length >= whole; length--) {
      truncateSync(path, length)
      expect(contentOf(file)).toMatchObject({ invalidLines: [], heads: new Map([[one, head(one, 1)]]) })
    }
    appendFileSync(path, "h 01a1")
    expect(file.openedId()).toBeDefined()
    file.appendSync([record(two, 6)])
    expect(contentOf(file).invalidLines).toEqual([])
    expect(file.find(two)).toEqual(head(two, 6))
  })

  it("reports a line that was altered or written with another key", () => {
    const file = created(head(one, 1), head(two, 5))
    const text = readFileSync(path, "latin1")
    writeFileSync(path, text.replace(`${two} 5`, `${two} 4`))
    expect(contentOf(file)).toMatchObject({ invalidLines: [3], heads: new Map([[one, head(one, 1)]]) })
    expect(file.find(two)).toBeUndefined()
  })

  it("rejects records from another home's file", () => {
    const file = created(head(one, 1))
    const [, line = ""] = readFileSync(path, "latin1").split("\n")
    rmSync(path)
    const other = created()
    appendFileSync(path, `${line}\n`)
    expect(contentOf(other).invalidLines).toEqual([2])
    file.close()
  })

  it("with another key is invalid and renamed when a new one is created, and the new one says so", () => {
    created(head(one, 1)).close()
    const other = new HeadFile(path, new Uint8Array(32).fill(8))
    expect(other.openedId()).toBeUndefined()
    expect(contentOf(other)).toMatchObject({ header: undefined, invalidLines: [1] })
    other.create("replaced-invalid", [head(two, 2)])
    expect(contentOf(other)).toMatchObject({ header: { origin: "replaced-invalid" }, invalidLines: [] })
    expect(readdirSync(folder)).toEqual(["turnhouse.db-heads", expect.stringContaining("turnhouse.db-heads.invalid-")])
  })
})

describe("compaction", () => {
  it("bounds the size of the file and keeps every head", () => {
    const file = created()
    for (let seq = 1; seq <= 3000; seq++) {
      file.appendSync([record(one, seq), record(two, 2 * seq)])
      file.compactIfLarge(() => 2)
      expect(file.openedId()).toBeDefined()
      expect(statSync(path).size).toBeLessThan(300 * 1024)
    }
    expect(contentOf(file)).toMatchObject({ invalidLines: [], header: { origin: "new" } })
    expect(file.find(one)).toEqual(head(one, 3000))
    expect(file.find(two)).toEqual(head(two, 6000))
  })

  it("keeps invalid lines until they are accepted", () => {
    const file = created(head(one, 1))
    appendFileSync(path, `h ${one} 9 forged forged\n`)
    file.compact()
    expect(contentOf(file).invalidLines).toEqual([2])
    expect(file.openedId()).toBeDefined()
    file.compact("accepted")
    expect(contentOf(file)).toMatchObject({ invalidLines: [], header: { origin: "accepted" } })
    expect(file.find(one)).toEqual(head(one, 1))
  })

  it("by one process keeps what another one appends", () => {
    const file = created(head(one, 1))
    const other = new HeadFile(path, key)
    expect(other.openedId()).toBeDefined()
    file.compact()
    expect(other.openedId()).toBeDefined() // finds that its file was replaced
    other.appendSync([record(two, 4)])
    expect(file.find(two)).toEqual(head(two, 4))
  })
})
