import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { afterEach, beforeEach, describe, expect, it, vi, type Mock } from "vitest"
import { encodeEvent } from "../../contract/stored-event.ts"
import { hostNamed, sessionIdOf, textEvent } from "../fixtures.ts"
import { openDatabase } from "./connection.ts"
import type { WriteRequest } from "./write-request.ts"
import { startWriterThread, WriterClient } from "./writer-client.ts"
import { Writer } from "./writer.ts"

const done = { kind: "done" }
let folder: string
let path: string
let threads: Worker[]
let posted: Mock[]
let client: WriterClient

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnhouse-client-"))
  path = join(folder, "turnhouse.db")
  threads = []
  posted = []
  client = clientWith(() => startWriterThread(path))
})

afterEach(async () => {
  await client.close()
  rmSync(folder, { recursive: true })
})

function clientWith(start: () => Worker): WriterClient {
  return new WriterClient(new Writer({ path, open: () => openDatabase(path) }), () => {
    const thread = start()
    threads.push(thread)
    posted.push(vi.spyOn(thread, "postMessage"))
    return thread
  })
}

const register: WriteRequest = {
  kind: "register",
  host: hostNamed("first"),
  expiresAt: 1,
  forgetBefore: 0,
  deadRivals: undefined,
}

function create(number: number): WriteRequest {
  const lines = [encodeEvent({ seq: 1, at: 5, event: textEvent("first") })]
  const rest = { summary: undefined, visits: [], org: undefined, owner: undefined }
  return { kind: "create", sessionId: sessionIdOf(number), epoch: 1, expectedSeq: 0, at: 5, lines, ...rest }
}

function sessions(): number {
  const database = openDatabase(path)
  try {
    return Number(database.prepare("select count(*) as count from sessions").get()?.["count"])
  } finally {
    database.close()
  }
}

describe("writing", () => {
  it("starts no thread for what is done once", async () => {
    await client.sendOnce(register)
    expect(await client.sendOnce(create(1))).toEqual(done)
    expect(threads).toHaveLength(0)
  })

  it("goes on in place while the thread starts, and is the thread's business from then on", async () => {
    await client.sendOnce(register)
    expect(await client.send(create(1))).toEqual(done)
    expect(threads).toHaveLength(1)
    expect(posted[0]).not.toHaveBeenCalled()
    await client.startThread()
    expect(await client.send(create(2))).toEqual(done)
    expect(posted[0]).toHaveBeenCalledTimes(1)
    expect(threads).toHaveLength(1)
    expect(sessions()).toBe(2)
  })

  it("takes the requests of one tick over in one message and answers each", async () => {
    await client.sendOnce(register)
    await client.startThread()
    const requests = Array.from({ length: 50 }, (_, index) => create(index % 40))
    const answers = await Promise.all(requests.map((request) => client.send(request)))
    expect(posted[0]).toHaveBeenCalledTimes(1)
    expect(answers.slice(0, 40)).toEqual(Array.from({ length: 40 }, () => done))
    expect(answers.slice(40)).toMatchObject(
      Array.from({ length: 10 }, (_, index) => ({
        refusal: { code: "session.exists", sessionId: sessionIdOf(index) },
      })),
    )
  })

  it("finishes what was sent before it is closed, and refuses what comes after", async () => {
    await client.sendOnce(register)
    await client.startThread()
    const before = client.send(create(1))
    const closed = client.close()
    const after = client.send(create(2))
    await closed
    expect(await before).toEqual(done)
    expect(await after).toEqual({ kind: "refused", refusal: { code: "log.unavailable", what: "the log is closed" } })
    expect(sessions()).toBe(1)
  })
})

describe("a thread that dies", () => {
  it("has its waiting requests refused, and the next write starts another one", async () => {
    await client.sendOnce(register)
    await client.startThread()
    const other = openDatabase(path)
    other.exec("begin immediate") // so that the thread has to wait
    const waiting = [client.send(create(1)), client.send(create(2))]
    await vi.waitFor(() => expect(posted[0]).toHaveBeenCalled())
    const ended = threads[0]?.terminate()
    other.exec("rollback")
    other.close()
    await ended
    const what = "the thread that writes has stopped: it ended"
    const refused = { kind: "refused", refusal: { code: "log.unavailable", what } }
    expect(await Promise.all(waiting)).toEqual([refused, refused])
    expect(await client.send(create(3))).toEqual(done)
    await client.startThread()
    expect(await client.send(create(4))).toEqual(done)
    expect(threads).toHaveLength(2)
    expect(posted[1]).toHaveBeenCalledTimes(1)
  })

  it("before it was ready is warned of, and writing stays in place", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {})
    client = clientWith(() => new Worker("throw new Error('no room for threads')", { eval: true }))
    await client.sendOnce(register)
    await client.startThread()
    expect(warned).toHaveBeenCalledWith("The thread that writes the log did not start: no room for threads")
    warned.mockRestore()
    expect(await client.send(create(1))).toEqual(done)
    expect(await client.send(create(2))).toEqual(done)
    expect(threads).toHaveLength(1)
  })
})
