import { describe, expect, it, vi } from "vitest"
import type { HostPort, SessionHandle, WatchItem } from "../contract/host-port.ts"
import { openMemoryLog } from "../log/sqlite/sqlite-log.ts"
import { gate, scriptedSource } from "../testing/index.ts"
import { history, newSession, next, prompt, testHost, you } from "../testing/test-host.ts"
import { portOf } from "../testing/doors/served-host.ts"
import { Links } from "./links.ts"

async function handleOf(port: HostPort, sessionId: string): Promise<SessionHandle> {
  const opened = await port.open(sessionId, you)
  if (opened.kind === "refused") throw new Error(opened.refusal.code)
  return opened.handle
}

function textsIn(items: readonly WatchItem[]): readonly string[] {
  return items.flatMap((item) =>
    item.kind === "event" && item.recorded.event.type === "text.ended" ? [item.recorded.event.text] : [],
  )
}

/** A host whose first handle has been closed at the moment of its first use, as its refusals say over a socket. */
function closedAtFirstUse(port: HostPort): HostPort {
  let opens = 0
  const open: HostPort["open"] = async (sessionId, client) => {
    const opened = await port.open(sessionId, client)
    if (opened.kind === "refused" || opens++ > 0) return opened
    const closed = { code: "session.unknown", wanted: sessionId } as const
    const send: SessionHandle["send"] = async () => ({ kind: "refused", refusal: closed })
    const watch: SessionHandle["watch"] = async (_cursor, watcher) => {
      watcher({ kind: "lost", refusal: closed })
      return () => {}
    }
    return { kind: "opened", handle: { sessionId, send, watch } }
  }
  return {
    open,
    create: (...args) => port.create(...args),
    query: (...args) => port.query(...args),
    perform: (...args) => port.perform(...args),
  }
}

describe("a link", () => {
  it("tells its watcher when the watch at the next owner fails", async () => {
    const log = openMemoryLog()
    const a = await testHost(scriptedSource([]), [], {}, log, 1)
    const { id } = await newSession(a.host)
    const gone: WatchItem = { kind: "lost", refusal: { code: "host.gone" } }
    const watches: SessionHandle["watch"][] = [
      async (_, watcher) => (watcher(gone), () => {}),
      () => Promise.reject(new Error("a bug")),
    ]
    const port = portOf(a.host)
    const open: HostPort["open"] = async (...args) => {
      const opened = await port.open(...args)
      if (opened.kind === "refused") return opened
      const { sessionId } = opened.handle
      const watch = watches.shift() ?? ((...rest) => opened.handle.watch(...rest))
      return { kind: "opened", handle: { sessionId, send: (command) => opened.handle.send(command), watch } }
    }
    const home: HostPort = {
      open,
      create: (...args) => port.create(...args),
      query: (...args) => port.query(...args),
      perform: (...args) => port.perform(...args),
    }
    const links = new Links({ log, home: async () => home, connect: async () => home })
    const lost = Promise.withResolvers<WatchItem>()
    await (await handleOf(links, id)).watch(0, lost.resolve)
    expect(await lost.promise).toEqual({ kind: "lost", refusal: { code: "host.unreachable", what: "a bug" } })
    links.close()
  })

  it("connects to the process that has the session open; there is one history", async () => {
    const log = openMemoryLog()
    const a = await testHost(scriptedSource([[{ text: "one" }], [{ text: "two" }]]), [], {}, log, 1)
    const b = await testHost(scriptedSource([]), [], {}, log, 2)
    const session = await newSession(a.host)
    const links = new Links({
      log,
      hostId: b.host.lease.hostId,
      home: async () => portOf(b.host, { opensClosed: true }),
      connect: async (hostId) => (hostId === a.host.lease.hostId ? portOf(a.host, { opensClosed: false }) : undefined),
    })
    const handle = await handleOf(links, session.id)
    const items: WatchItem[] = []
    await handle.watch(0, (item) => items.push(item))
    const ended = next(session, "turn.ended")
    await handle.send({ type: "prompt", promptId: "prm_b", text: "from b", ifBusy: "wait" })
    await ended
    const secondEnd = next(session, "turn.ended")
    await prompt(session, "from a")
    await secondEnd
    expect(textsIn(items)).toEqual(["one", "two"])
    expect(b.host.size).toBe(0)
    const stored = (await history(log, session.id)).map(({ type }) => type)
    expect(items.flatMap((item) => (item.kind === "event" ? [item.recorded.event.type] : []))).toEqual(stored)
  })

  it("opens a session without an owner in the home host and refuses an unknown one", async () => {
    const log = openMemoryLog()
    const a = await testHost(scriptedSource([]), [], {}, log, 1)
    const session = await newSession(a.host)
    await a.host.closeSession(session.id)
    const links = new Links({
      log,
      home: async () => portOf(a.host, { opensClosed: true }),
      connect: async () => undefined,
    })
    await handleOf(links, session.id)
    expect(a.host.size).toBe(1)
    const unknown = "01890000-0000-7000-8000-000000000001"
    expect(await links.open(unknown, you)).toMatchObject({ refusal: { code: "session.unknown" } })
  })

  it("continues with the next owner when its host leaves mid-turn, without gap or repeat", async () => {
    const log = openMemoryLog()
    const speaking = gate()
    const a = await testHost(
      scriptedSource([[{ text: "The first half, " }, { gate: speaking }, { text: "and more." }]]),
      [],
      {},
      log,
      1,
    )
    const b = await testHost(scriptedSource([[{ text: "The rest." }]]), [], { adopts: true }, log, 2)
    const session = await newSession(a.host)
    const ports = new Map([
      [a.host.lease.hostId, portOf(a.host, { opensClosed: false })],
      [b.host.lease.hostId, portOf(b.host, { opensClosed: false })],
    ])
    const links = new Links({
      log,
      home: async () => portOf(b.host, { opensClosed: true }),
      connect: async (hostId) => ports.get(hostId),
    })
    const handle = await handleOf(links, session.id)
    const items: WatchItem[] = []
    const over = new Promise<void>((resolve) => {
      void handle.watch(0, (item) => {
        items.push(item)
        if (item.kind === "event" && item.recorded.event.type === "turn.ended") resolve()
      })
    })
    await handle.send({ type: "prompt", promptId: "prm_1", text: "speak", ifBusy: "wait" })
    await speaking.arrived
    await a.host.leave(0)
    await over
    const seqs = items.flatMap((item) => (item.kind === "event" ? [item.recorded.seq] : []))
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    expect(textsIn(items)).toEqual(["The first half, ", "The rest."])
    expect((await handle.send({ type: "rename", name: "moved" })).kind).toBe("accepted")
    expect((await b.host.sessions())[0]?.state.name).toBe("moved")
  })

  it("opens a session again that its host has just closed", async () => {
    const log = openMemoryLog()
    const a = await testHost(scriptedSource([]), [], {}, log, 1)
    const session = await newSession(a.host)
    const link = async () => {
      const port = closedAtFirstUse(portOf(a.host))
      return handleOf(new Links({ log, home: async () => port, connect: async () => port }), session.id)
    }
    expect(await (await link()).send({ type: "rename", name: "moved" })).toMatchObject({ kind: "accepted" })
    const watching = await link()
    const first = await new Promise<WatchItem>((resolve) => void watching.watch(0, resolve))
    expect(first).toMatchObject({ kind: "event", recorded: { seq: 1 } })
  })

  it("reports a store that stays unreadable to its watcher, after waiting for it", async ({ onTestFinished }) => {
    const log = openMemoryLog()
    const { host } = await testHost(scriptedSource([]), [], {}, log)
    const session = await newSession(host)
    const unavailable = { kind: "refused", refusal: { code: "log.unavailable", what: "the disk is broken" } } as const
    let reads = 0
    log.read = async () => ((reads += 1), unavailable)
    const home = async () => portOf(host, { opensClosed: true })
    const links = new Links({ log, hostId: host.lease.hostId, home, connect: async () => undefined })
    const handle = await handleOf(links, session.id)
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] })
    onTestFinished(() => void vi.useRealTimers())
    const items: WatchItem[] = []
    await handle.watch(0, (item) => items.push(item))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(items).toEqual([])
    await vi.advanceTimersByTimeAsync(15_000)
    expect(items).toEqual([{ kind: "lost", refusal: unavailable.refusal }])
    expect(reads).toBeLessThan(50)
  })

  it("asks the next owner when the one that was asked does not answer and loses the session", async () => {
    const log = openMemoryLog()
    const a = await testHost(scriptedSource([]), [], {}, log, 1)
    const b = await testHost(scriptedSource([]), [], { adopts: true }, log, 2)
    const session = await newSession(a.host)
    const asked = Promise.withResolvers<void>()
    const never = () => {
      asked.resolve()
      return new Promise<never>(() => {})
    }
    const frozen: HostPort = { open: never, create: never, query: never, perform: never }
    const links = new Links({
      log,
      hostId: b.host.lease.hostId,
      home: async () => portOf(b.host, { opensClosed: true }),
      connect: async () => frozen,
    })
    const opening = handleOf(links, session.id)
    const query = links.query({ type: "transcript", sessionId: session.id, turns: 1 })
    await asked.promise
    await a.host.closeSession(session.id)
    expect((await (await opening).send({ type: "rename", name: "moved" })).kind).toBe("accepted")
    expect((await query).kind).toBe("answer")
  })

  it("reports the loss to its watcher when no host can continue", async () => {
    const log = openMemoryLog()
    const a = await testHost(scriptedSource([]), [], {}, log, 1)
    const session = await newSession(a.host)
    const gone = { code: "log.unavailable", what: "no host can be started" } as const
    const emptyPort: HostPort = {
      open: async () => ({ kind: "refused", refusal: gone }),
      create: async () => ({ kind: "refused", refusal: gone }),
      query: async () => ({ kind: "refused", refusal: gone }),
      perform: async () => ({ kind: "refused", refusal: gone }),
    }
    const links = new Links({
      log,
      home: async () => emptyPort,
      connect: async () => portOf(a.host, { opensClosed: false }),
    })
    const handle = await handleOf(links, session.id)
    const lost = new Promise<WatchItem>((resolve) => {
      void handle.watch(0, (item) => item.kind === "lost" && resolve(item))
    })
    await a.host.closeSession(session.id)
    expect(await lost).toEqual({ kind: "lost", refusal: gone })
  })
})
