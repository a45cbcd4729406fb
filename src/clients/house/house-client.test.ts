import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import type { HostPort, WatchItem } from "../../contract/host-port.ts"
import { newSession, testHost, turn } from "../../testing/test-host.ts"
import { gate, scriptedSource } from "../../testing/index.ts"
import { portOf, serve } from "../../testing/doors/served-host.ts"
import { eventItem, stubId, stubPort, stubQueries, StubSession } from "../../testing/doors/stub-port.ts"
import { houseLimits } from "../../protocols/house/limits.ts"
import { HouseClient } from "./house-client.ts"

/** A slow machine must not fail the test. */
const patient = { timeout: 30_000 }
const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

async function clientOf(port: HostPort): Promise<{ client: HouseClient; leave: () => Promise<void> }> {
  const served = await serve(port, { host: "h7", role: "host", release: "1.2.3" })
  const client = await HouseClient.connect(served.path, { door: "probe" })
  cleanups.push(
    () => served.close(),
    () => client.close(),
  )
  return { client, leave: () => served.close() }
}

/** A host that the test scripts line by line. */
async function scriptedHost(onLine: (line: string, socket: Socket) => void): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "house-"))
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on("error", () => socket.destroy())
    socket.on("data", (chunk: Buffer) => {
      for (const line of chunk.toString().trimEnd().split("\n")) onLine(line, socket)
    })
  })
  const path = join(folder, "h.sock")
  await new Promise<void>((resolve) => server.listen(path, resolve))
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return path
}

function seqs(items: readonly WatchItem[]): number[] {
  return items.flatMap((item) => (item.kind === "event" ? [item.recorded.seq] : []))
}

describe("HouseClient", () => {
  it("returns the host's greeting", async () => {
    const { client } = await clientOf(stubPort(new StubSession()))
    const greeting = { version: 1, host: "h7", role: "host", release: "1.2.3", pid: process.pid, principal: "you" }
    expect(client.host).toEqual(greeting)
  })

  it("refuses a request that is too long, and continues", patient, async () => {
    const { client } = await clientOf(stubPort(new StubSession()))
    const text = "x".repeat(houseLimits.lineBytes)
    const sent = await client.send(stubId, { type: "prompt", promptId: "prm_1", text, ifBusy: "wait" })
    expect(sent).toMatchObject({ refusal: { code: "frame.bad", what: expect.stringContaining("the limit is") } })
    expect(await client.send(stubId, { type: "interrupt" })).toMatchObject({ kind: "accepted" })
  })

  it("queries, creates and opens sessions, and returns refusals", async () => {
    const { host } = await testHost(scriptedSource([[{ text: "Hi." }]]))
    const { client } = await clientOf(portOf(host))
    const created = await client.create({ cwd: "/", origin: "probe" })
    if (created.kind === "refused") throw new Error(created.refusal.code)
    const { sessionId } = created.handle
    expect(await client.query({ type: "session", sessionId })).toMatchObject({ value: { sessionId } })
    expect(await client.open(sessionId)).toMatchObject({ kind: "opened" })
    expect(await client.open(stubId)).toEqual({
      kind: "refused",
      refusal: { code: "session.unknown", wanted: stubId },
    })
  })

  it("tracks the cursor of a handle", async () => {
    const session = new StubSession()
    const { client } = await clientOf(stubPort(session))
    const opened = await client.open(stubId)
    if (opened.kind === "refused") throw new Error(opened.refusal.code)
    await opened.handle.watch(3, () => {})
    await expect.poll(() => session.watchers.size, patient).toBe(1)
    session.publish(eventItem(4))
    await expect.poll(() => opened.handle.cursor, patient).toBe(4)
  })

  it("sends each watcher of a session what comes after its own cursor, once", async () => {
    const session = new StubSession()
    session.stored = [1, 2, 3].map((seq) => eventItem(seq))
    const { client } = await clientOf(stubPort(session))
    const [first, second]: [WatchItem[], WatchItem[]] = [[], []]
    const leave = await client.watch(stubId, 2, (item) => first.push(item))
    await expect.poll(() => seqs(first), patient).toEqual([3])
    await client.watch(stubId, 0, (item) => second.push(item))
    await expect.poll(() => seqs(second), patient).toEqual([1, 2, 3])
    session.publish(eventItem(4))
    await expect
      .poll(() => [seqs(first), seqs(second)], patient)
      .toEqual([
        [3, 4],
        [1, 2, 3, 4],
      ])
    leave()
    session.publish(eventItem(5))
    await expect.poll(() => seqs(second), patient).toEqual([1, 2, 3, 4, 5])
    expect(seqs(first)).toEqual([3, 4])
  })

  it("ignores items of an earlier open", async () => {
    const session = new StubSession()
    session.stored = [eventItem(1), eventItem(2)]
    const { client } = await clientOf(stubPort(session))
    const leave = await client.watch(stubId, 2, () => {})
    await expect.poll(() => session.watchers.size, patient).toBe(1)
    session.publish(eventItem(3)) // in transit when the watcher leaves
    leave()
    const items: WatchItem[] = []
    await client.watch(stubId, 0, (item) => items.push(item))
    await expect.poll(() => seqs(items), patient).toEqual([1, 2, 3])
  })

  it("closes the session on the host with its last watcher", async () => {
    const session = new StubSession()
    const { client } = await clientOf(stubPort(session))
    const leave = await client.watch(stubId, 0, () => {})
    await expect.poll(() => session.watchers.size, patient).toBe(1)
    leave()
    await expect.poll(() => session.watchers.size, patient).toBe(0)
  })

  it("joins with a snapshot and what follows, alone or beside another watcher", async () => {
    const middle = gate()
    const { host } = await testHost(scriptedSource([[{ text: "One." }], [{ gate: middle }, { text: "Two." }]]))
    const session = await newSession(host)
    await turn(session, "first")
    const ended = turn(session, "second")
    await middle.arrived
    const { seq } = session.state
    const { client } = await clientOf(portOf(host))
    const all: { snapshots: unknown[]; items: WatchItem[] }[] = []
    for (const _ of ["alone", "beside"]) {
      const seen = { snapshots: new Array<unknown>(), items: new Array<WatchItem>() }
      all.push(seen)
      const joined = await client.join(session.id, 5, (snapshot) => {
        seen.snapshots.push(snapshot)
        return (item) => seen.items.push(item)
      })
      expect(joined).toMatchObject({ kind: "joined", seq })
    }
    middle.open()
    await ended
    for (const { snapshots, items } of all) {
      expect(snapshots).toMatchObject([{ seq, items: expect.any(Array) }])
      await expect.poll(() => seqs(items).at(-1), patient).toBe(session.state.seq)
      expect(seqs(items)).toEqual(seqs(items).map((_, index) => seq + 1 + index))
    }
  })

  it("rejects join when its callback throws, and continues", async () => {
    const session = new StubSession()
    const page = { seq: 0, start: 0, items: [], earlier: false }
    const query = stubQueries({ transcript: async () => ({ kind: "answer", value: page }) })
    const { client } = await clientOf(stubPort(session, { query }))
    const joining = client.join(stubId, 1, () => {
      throw new Error("a bug in a view")
    })
    await expect(joining).rejects.toThrow("a bug in a view")
    await expect.poll(() => session.watchers.size, patient).toBe(0)
    expect(await client.query({ type: "transcript", sessionId: stubId })).toMatchObject({ kind: "answer" })
  })

  it("refuses an answer of another form than the query declares", async () => {
    const path = await scriptedHost((line, socket) => {
      const { type, id }: { type: string; id: string } = JSON.parse(line)
      const say = (frame: object) => void socket.write(`${JSON.stringify(frame)}\n`)
      if (type === "hello") say({ type, version: 1, host: "h", role: "host", release: "9", pid: 1 })
      else say({ type: "answer", id, value: { held: "all of them" } })
    })
    const client = await HouseClient.connect(path)
    cleanups.push(() => client.close())
    const refused = (type: string) => ({
      kind: "refused",
      refusal: { code: "host.unreachable", what: expect.stringContaining(`'${type}'`) },
    })
    expect(await client.query({ type: "locks" })).toEqual(refused("locks"))
    const lock = { sessionId: stubId, lock: "build", scope: "/" } as const
    expect(await client.perform({ type: "release-lock", ...lock })).toEqual(refused("release-lock"))
    await expect(client.join(stubId, 1, () => () => {})).rejects.toThrow("'transcript'")
  })

  it("ends a watch with the refusal", async () => {
    const { host } = await testHost(scriptedSource([]))
    const { client } = await clientOf(portOf(host))
    const items: WatchItem[] = []
    await client.watch(stubId, 0, (item) => items.push(item))
    expect(items).toEqual([{ kind: "lost", refusal: { code: "session.unknown", wanted: stubId } }])
    expect(await client.join(stubId, 1, () => () => {})).toMatchObject({ refusal: { code: "session.unknown" } })
  })

  it("refuses pending and later requests when the host is gone", async () => {
    const session = new StubSession()
    const received = Promise.withResolvers<void>()
    const port = stubPort(session, {
      query: () => {
        received.resolve()
        return new Promise(() => {})
      },
    })
    const { client, leave } = await clientOf(port)
    const items: WatchItem[] = []
    await client.watch(stubId, 0, (item) => items.push(item))
    const waiting = client.query({ type: "host" })
    await received.promise
    await leave()
    const gone = { kind: "refused", refusal: { code: "host.gone" } }
    expect(await waiting).toEqual(gone)
    expect(await client.closed).toEqual(gone.refusal)
    expect(items).toEqual([{ kind: "lost", refusal: gone.refusal }])
    expect(await client.query({ type: "host" })).toEqual(gone)
    expect(await client.send(stubId, { type: "interrupt" })).toEqual(gone)
    expect(await client.join(stubId, 1, () => () => {})).toEqual(gone)
  })

  it("rejects at the timeout of the handshake", async () => {
    const path = await scriptedHost(() => {})
    await expect(HouseClient.connect(path, { patienceMs: 20 })).rejects.toMatchObject({
      refusal: { code: "host.gone" },
    })
  })

  it("rejects when the host speaks another version", async () => {
    const refusal = { code: "frame.bad", what: "this host speaks versions 9 and 8 of the house wire, not 1" }
    const path = await scriptedHost(
      (_, socket) => void socket.write(`${JSON.stringify({ type: "refused", refusal })}\n`),
    )
    await expect(HouseClient.connect(path)).rejects.toThrow("versions 9 and 8")
  })

  it("rejects when nothing listens", async () => {
    await expect(HouseClient.connect(join(tmpdir(), "missing.sock"))).rejects.toThrow("ENOENT")
  })

  it("ignores unknown frames, and ends the watch at an unreadable event", async () => {
    const event = { seq: 5, at: 1, v: 9, type: "text.ended", stepId: "stp_1", block: 0, text: "?" }
    const path = await scriptedHost((line, socket) => {
      const { type, id }: { type: string; id: string } = JSON.parse(line)
      const say = (frame: object) => void socket.write(`${JSON.stringify(frame)}\n`)
      if (type === "hello") say({ type, version: 1, host: "h", role: "host", release: "9", pid: 1 })
      if (type !== "open") return
      say({ type: "answer", id, value: { sessionId: stubId, seq: 4 } })
      say({ type: "song", sessionId: stubId })
      say({ type: "delta", sessionId: stubId, delta: { type: "song.delta" } })
      say({ type: "event", sessionId: stubId, seq: 5, event })
      say({ type: "event", sessionId: stubId, seq: 6, event: { ...event, seq: 6, v: 1 } })
    })
    const client = await HouseClient.connect(path)
    cleanups.push(() => client.close())
    const items: WatchItem[] = []
    await client.watch(stubId, 4, (item) => items.push(item))
    await expect.poll(() => items.length, patient).toBe(1)
    expect(items).toEqual([
      {
        kind: "lost",
        refusal: { code: "session.newer", sessionId: stubId, seq: 5, type: "text.ended", version: 9, known: 1 },
      },
    ])
  })
})
