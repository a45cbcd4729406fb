import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import type { HostPort, WatchItem } from "../contract/host-port.ts"
import type { SessionId } from "../contract/ids.ts"
import { valueOf } from "../log/fixtures.ts"
import { PostgresLog } from "../log/postgres/postgres-log.ts"
import { portOf } from "../testing/doors/served-host.ts"
import { gate, scriptedSource, type Gate } from "../testing/index.ts"
import { startPostgres, type PostgresServer } from "../testing/servers/postgres-server.ts"
import { history, newSession, prompt, testHost, testTool, you } from "../testing/test-host.ts"
import { Links } from "./links.ts"
import type { SessionActor } from "../runner/session-actor.ts"
import { SessionAdoption } from "./session-adoption.ts"
import type { HostMeter } from "./cluster-member.ts"
import type { SessionHost } from "./session-host.ts"

let server: PostgresServer
const closing: (() => Promise<void>)[] = []

beforeAll(async () => {
  server = await startPostgres()
})
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})
afterAll(() => server.remove())

const count = testTool("count", () => ({ outcome: "done", output: "" }), { class: "read" })
const countCall = { call: { tool: "count", input: {} } } as const

type Script = Parameters<typeof scriptedSource>[0]

interface TestNode {
  readonly host: SessionHost
  readonly port: HostPort
  readonly log: PostgresLog
  readonly counts: { adopted: number; moved: number; renewed: number }
}

const ports = new Map<string, HostPort>()

/** A node that adopts sessions, and is reached only through the given ports. */
async function startNode(url: string, name: string, script: Script, place?: string): Promise<TestNode> {
  const log = new PostgresLog({ url, node: name })
  const counts = { adopted: 0, moved: 0, renewed: 0 }
  const meter: HostMeter = {
    adopted: () => void (counts.adopted += 1),
    moved: () => void (counts.moved += 1),
    renewed: () => void (counts.renewed += 1),
  }
  const node = { name, labels: [name, "projects"], release: "1.0.0", placeOf: () => place }
  const { host } = await testHost(scriptedSource(script), [count], { adopts: true, node, meter }, log)
  const own = portOf(host, { connect: async (hostId) => ports.get(hostId) })
  ports.set(host.lease.hostId, own)
  const links = new Links({
    log,
    hostId: host.lease.hostId,
    node,
    home: async () => own,
    connect: async (hostId) => ports.get(hostId),
  })
  const warn = (message: string) => expect.unreachable(message)
  const adoption = new SessionAdoption(host, { now: Date.now, warn })
  adoption.start()
  closing.push(async () => {
    links.close()
    await adoption.stop()
    await host.close()
  })
  return { host, port: links, log, counts }
}

async function ownerOf({ log }: TestNode, sessionId: SessionId) {
  return valueOf(await log.find(sessionId)).owner?.node?.name
}

function textOf(items: readonly WatchItem[]): string {
  return items
    .flatMap((item) =>
      item.kind === "event" && item.recorded.event.type === "text.ended" ? [item.recorded.event.text] : [],
    )
    .join("")
}

async function watched({ port }: TestNode, sessionId: SessionId) {
  const opened = await port.open(sessionId, you)
  if (opened.kind === "refused") throw new Error(opened.refusal.code)
  const items: WatchItem[] = []
  const ended = Promise.withResolvers<void>()
  await opened.handle.watch(0, (item) => {
    items.push(item)
    if (item.kind === "event" && item.recorded.event.type === "turn.ended") ended.resolve()
  })
  return { items, ended: ended.promise }
}

describe("a session that is moved", () => {
  it("continues its turn on the chosen node while all nodes adopt, and its watchers follow", async () => {
    const url = server.createDatabase()
    const [first, second] = [gate(), gate()]
    const one = [{ text: "One, " }, { gate: first }, countCall]
    const script = [one, [{ text: "two, " }, { gate: second }, countCall], [{ text: "three." }]]
    const a = await startNode(url, "a", script)
    const b = await startNode(url, "b", script)
    const c = await startNode(url, "c", script)
    const { id: sessionId } = await newSession(a.host)
    const { items, ended } = await watched(c, sessionId)
    const atA = await sessionAt(a, sessionId)
    await prompt(atA, "count")
    await first.arrived
    const toB = c.port.perform({ type: "move-session", sessionId, node: "b" })
    await openWhenPausing(first, atA)
    expect(await toB).toEqual({ kind: "answer", value: { node: "b", moved: true } })
    expect(await ownerOf(c, sessionId)).toBe("b")
    await second.arrived
    expect(await ownerOf(c, sessionId)).toBe("b")
    const toC = a.port.perform({ type: "move-session", sessionId, node: "c" })
    await openWhenPausing(second, await sessionAt(b, sessionId))
    expect(await toC).toMatchObject({ kind: "answer" })
    await ended
    expect(await ownerOf(a, sessionId)).toBe("c")
    expect(textOf(items)).toBe("One, two, three.")
    const stored = (await history(a.log, sessionId)).map(({ type }) => type)
    expect(items.flatMap((item) => (item.kind === "event" ? [item.recorded.event.type] : []))).toEqual(stored)
    expect([a.counts.moved, b.counts.moved, c.counts.moved]).toEqual([1, 1, 0])
  })

  it("is found by a node that cannot be asked to open it", async () => {
    const url = server.createDatabase()
    const speaking = gate()
    const script = [[{ text: "One, " }, { gate: speaking }, countCall], [{ text: "two." }]]
    const a = await startNode(url, "a", script)
    const b = await startNode(url, "b", script)
    await startNode(url, "c", script)
    ports.delete(b.host.lease.hostId)
    const { id: sessionId } = await newSession(a.host)
    const atA = await sessionAt(a, sessionId)
    await prompt(atA, "count")
    await speaking.arrived
    const moved = a.port.perform({ type: "move-session", sessionId, node: "b" })
    await openWhenPausing(speaking, atA)
    expect(await moved).toMatchObject({ kind: "answer" })
    await expect
      .poll(async () => (await history(b.log, sessionId)).at(-1)?.type, { timeout: 20_000 })
      .toBe("turn.ended")
    expect(await ownerOf(b, sessionId)).toBe("b")
    expect(b.counts.adopted).toBe(1)
  })

  it("takes its agents along", async () => {
    const url = server.createDatabase()
    const [asking, never] = [gate(), gate()]
    const script = [
      [{ text: "Working " }, { gate: asking }, countCall],
      [{ text: "on." }, { gate: never }],
    ]
    const a = await startNode(url, "a", script)
    const b = await startNode(url, "b", script)
    const parent = await newSession(a.host)
    const childId = "01890000-0000-7000-8000-00000000c0de"
    const spawned = await parent.send({ type: "spawn", childId, reason: "help" }, you)
    expect(spawned.kind).toBe("accepted")
    await expect.poll(async () => (await a.host.opened(childId)).kind, { timeout: 20_000 }).toBe("opened")
    const child = await sessionAt(a, childId)
    await prompt(child, "work")
    await asking.arrived
    const moved = a.port.perform({ type: "move-session", sessionId: childId, node: "b" })
    await openWhenPausing(asking, child)
    expect(await moved).toMatchObject({ value: { moved: true } })
    expect([await ownerOf(a, parent.id), await ownerOf(a, childId)]).toEqual(["b", "b"])
    await never.arrived
    never.open()
    expect((await sessionAt(b, parent.id)).state.children.map(({ id }) => id)).toEqual([childId])
    expect(a.host.size).toBe(0)
  })

  it("is opened on the chosen node if no host has it open", async () => {
    const url = server.createDatabase()
    const a = await startNode(url, "a", [])
    const b = await startNode(url, "b", [])
    const { id: sessionId } = await newSession(a.host)
    await a.host.closeSession(sessionId)
    expect(await a.port.perform({ type: "move-session", sessionId, node: "b" })).toMatchObject({
      value: { moved: true },
    })
    expect(await ownerOf(a, sessionId)).toBe("b")
    await expect.poll(async () => (await b.host.opened(sessionId)).kind, { timeout: 20_000 }).toBe("opened")
  })

  it("stays where it is if the node is unknown, cannot run it, or has it already", async () => {
    const url = server.createDatabase()
    const a = await startNode(url, "a", [], "a")
    await startNode(url, "b", [])
    const { id: sessionId } = await newSession(a.host)
    const moveTo = (node: string) => a.port.perform({ type: "move-session", sessionId, node })
    expect(await moveTo("x")).toEqual({
      kind: "refused",
      refusal: { code: "node.unknown", wanted: "x", nodes: ["a", "b"] },
    })
    expect(await moveTo("b")).toEqual({
      kind: "refused",
      refusal: { code: "session.elsewhere", sessionId, place: "a", node: "b" },
    })
    expect(await moveTo("a")).toEqual({ kind: "answer", value: { node: "a", moved: false } })
    expect((await a.host.opened(sessionId)).kind).toBe("opened")
  })

  it("is refused in a home that is not part of a cluster", async () => {
    const { host } = await testHost(scriptedSource([]), [], { adopts: true })
    const { id: sessionId } = await newSession(host)
    expect(await portOf(host).perform({ type: "move-session", sessionId, node: "b" })).toEqual({
      kind: "refused",
      refusal: { code: "node.unknown", wanted: "b", nodes: [] },
    })
  })
})

/** The model goes on speaking until the session is paused: its step is completed where it has begun. */
async function openWhenPausing(speaking: Gate, session: SessionActor): Promise<void> {
  const pausing = vi.spyOn(session, "pause")
  await expect.poll(() => pausing.mock.calls.length, { timeout: 20_000 }).toBe(1)
  speaking.open()
}

async function sessionAt({ host }: TestNode, sessionId: SessionId) {
  const opened = await host.opened(sessionId)
  if (opened.kind === "refused") throw new Error(opened.refusal.code)
  return opened.session
}

describe("the list of nodes", () => {
  it("has each node with its hosts, sessions and turns, and sessions that no node can run", async () => {
    const url = server.createDatabase()
    const speaking = gate()
    const a = await startNode(url, "a", [[{ text: "One" }, { gate: speaking }]], "gone")
    const b = await startNode(url, "b", [])
    const { id: sessionId } = await newSession(a.host)
    await newSession(b.host)
    await prompt(await sessionAt(a, sessionId), "count")
    await speaking.arrived
    const answered = await b.port.query({ type: "nodes" })
    speaking.open()
    const node = (name: string, isThis: boolean, turns: number, hostId: string) => ({
      name,
      isThis,
      state: "live",
      release: "1.0.0",
      labels: [name, "projects"],
      hosts: [{ hostId, role: "serve", pid: 1, state: "live" }],
      takesSessions: true,
      sessions: 1,
      turns,
    })
    expect(answered).toEqual({
      kind: "answer",
      value: {
        isCluster: true,
        nodes: [node("a", false, 1, a.host.lease.hostId), node("b", true, 0, b.host.lease.hostId)],
        waiting: [{ label: "gone", sessions: 1, turns: 1, sessionIds: [sessionId] }],
      },
    })
    expect(await b.port.query({ type: "session", sessionId })).toMatchObject({
      value: { host: { role: "serve", node: "a" }, place: "gone" },
    })
  })

  it("has only this machine where the log is in SQLite", async () => {
    const { host } = await testHost(scriptedSource([]))
    await newSession(host)
    expect(await portOf(host).query({ type: "nodes" })).toMatchObject({
      kind: "answer",
      value: {
        isCluster: false,
        nodes: [{ isThis: true, state: "live", labels: [], sessions: 1, turns: 0, takesSessions: false }],
        waiting: [],
      },
    })
  })
})
