import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { HeadFile } from "./head-file.ts"
import { HeadRecorder, type HeadSource } from "./head-recorder.ts"
import type { Head } from "./head-record.ts"

const key = new Uint8Array(32).fill(7)
const one = "01a1e3e9-5427-7693-9744-c80224afd501"
const two = "01a1e3e9-5427-7693-9744-c80224afd502"
let folder: string
let path: string
let stored: Map<string, Head>
let fileId: string | undefined
let warnings: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnhouse-heads-"))
  path = join(folder, "turnhouse.db-heads")
  stored = new Map()
  fileId = undefined
  warnings = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const source: HeadSource = {
  headOf: (sessionId) => stored.get(sessionId),
  allHeads: () => stored.values(),
  countSessions: () => stored.size,
  knownFileId: () => fileId,
  rememberFileId: (id) => (fileId = id),
}

function newRecorder(): HeadRecorder {
  return new HeadRecorder(new HeadFile(path, key), source, (message) => warnings.push(message))
}

function store(sessionId: string, seq: number): void {
  stored.set(sessionId, { sessionId, seq, hash: `hash-${seq}` })
}

const noted = (sessionId: string) => new HeadFile(path, key).find(sessionId)?.seq

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await setImmediate()
}

describe("the head recorder", () => {
  it("records an urgent head and all waiting ones before it is closed", async () => {
    const recorder = newRecorder()
    store(one, 1)
    store(two, 4)
    recorder.note(one, false)
    recorder.note(two, true)
    expect(noted(two)).toBeUndefined() // not before the caller has sent its acknowledgement
    await until(() => noted(two) === 4)
    expect(noted(one)).toBe(1)
    recorder.close()
  })

  it("records heads that are not urgent after a delay", async () => {
    const recorder = newRecorder()
    store(one, 1)
    recorder.note(one, false)
    await until(() => noted(one) === 1)
    store(one, 2)
    recorder.note(one, false)
    await until(() => noted(one) === 2)
    expect(warnings).toEqual([])
    recorder.close()
  })

  it("records all sessions of an older home when it creates the file", () => {
    store(one, 10)
    store(two, 20)
    const recorder = newRecorder()
    recorder.note(one, false)
    recorder.close()
    expect([noted(one), noted(two)]).toEqual([10, 20])
    expect(new HeadFile(path, key).read()).toMatchObject({ header: { origin: "new", fileId } })
  })

  it("marks the file as a replacement if the previous one was deleted", () => {
    store(one, 1)
    const first = newRecorder()
    first.note(one, false)
    first.close()
    rmSync(path)
    const second = newRecorder()
    second.note(one, false)
    second.close()
    expect(new HeadFile(path, key).read()).toMatchObject({ header: { origin: "replaced-missing" } })
  })

  it("does not keep a record of a session that is deleted while the record is being written", async () => {
    const recorder = newRecorder()
    store(one, 1)
    recorder.note(one, true)
    await until(() => noted(one) === 1)
    store(one, 2)
    store(two, 1)
    recorder.note(one, true)
    await setImmediate() // the write is under way
    recorder.forget(one)
    stored.delete(one)
    recorder.note(two, true)
    await until(() => noted(two) === 1)
    recorder.close()
    expect(noted(one)).toBeUndefined()
  })

  it("does not keep a record of a deleted session when it is closed during the write", async () => {
    const recorder = newRecorder()
    store(one, 1)
    recorder.note(one, true)
    await until(() => noted(one) === 1) // by the new file; the note itself is under way
    recorder.forget(one)
    stored.delete(one)
    recorder.close()
    const records = () => readFileSync(path, "latin1").split(one).length - 1
    await until(() => records() >= 3 && noted(one) === undefined) // its deletion, its note, and its deletion again
    expect(noted(one)).toBeUndefined()
  })

  it("warns once if the file cannot be written", async () => {
    const recorder = newRecorder()
    store(one, 1)
    rmSync(folder, { recursive: true })
    recorder.note(one, true)
    await until(() => warnings.length > 0)
    recorder.note(one, true)
    await setImmediate()
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain(path)
    recorder.close()
  })
})
