import { afterEach, describe, expect, it, vi } from "vitest"
import type { HostPort } from "../../contract/host-port.ts"
import type { By } from "../../contract/values.ts"
import { newSession, testHost, turn, you } from "../../testing/test-host.ts"
import { gate, scriptedSource } from "../../testing/index.ts"
import { portOf, RawClient, serve } from "../../testing/doors/served-host.ts"
import { StubConnection, stubId, stubPort, StubSession } from "../../testing/doors/stub-port.ts"
import { houseLimits } from "../../protocols/house/limits.ts"
import { HouseConnection, type HouseDoorOptions } from "./connection.ts"

const hello = { type: "hello", version: 1, door: "probe" }
/** A slow machine must not fail the test. */
const patient = { timeout: 30_000 }
const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

async function clientOf(port: HostPort, options: Partial<HouseDoorOptions> = {}): Promise<RawClient> {
  const served = await serve(port, options)
  const client = new RawClient(served.path)
  cleanups.push(
    () => served.close(),
    () => void client.socket.destroy(),
  )
  return client
}

function doorOn(port: HostPort, concurrentRequests: number) {
  const connection = new StubConnection()
  const door = new HouseConnection(connection, {
    port,
    by: you,
    host: "h1",
    role: "test",
    release: "0",
    limits: { concurrentRequests },
  })
  const say = (frame: object) => door.receive({ kind: "line", text: JSON.stringify(frame) })
  return { connection, say }
}

describe("a connection of the house wire", () => {
  it("introduces the host, and answers only clients that have sent hello", async () => {
    const client = await clientOf(stubPort(new StubSession()), { host: "h7", role: "host", release: "1.2.3" })
    const query = { type: "query", id: "1", query: { type: "host" } }
    client.say(query, { ...hello, version: 99 }, hello, hello, query)
    await client.until(() => client.received.length === 5)
    expect(client.received).toMatchObject([
      { type: "refused", id: "1", refusal: { what: "send hello first" } },
      { type: "refused", refusal: { what: expect.stringContaining("not 99") } },
      { type: "hello", version: 1, host: "h7", role: "host", release: "1.2.3", pid: process.pid, principal: "you" },
      { type: "refused", refusal: { what: "hello was already sent" } },
      { type: "refused", id: "1", refusal: { code: "host.leaving" } },
    ])
  })

  it("passes a query on and returns the answer or the refusal", async () => {
    const { host } = await testHost(scriptedSource([]))
    const session = await newSession(host)
    const client = await clientOf(portOf(host))
    client.say(
      hello,
      { type: "query", id: "a", query: { type: "session", sessionId: session.id } },
      { type: "query", id: "b", query: { type: "session", sessionId: stubId } },
      { type: "query", id: "c", query: { type: "weather" } },
    )
    expect(await client.answerTo("a")).toMatchObject({ type: "answer", value: { sessionId: session.id, seq: 1 } })
    expect(await client.answerTo("b")).toMatchObject({ type: "refused", refusal: { code: "session.unknown" } })
    expect(await client.answerTo("c")).toMatchObject({ type: "refused", refusal: { code: "frame.bad" } })
  })

  it("creates a session that can then be opened without missing an event", async () => {
    const { host } = await testHost(scriptedSource([]))
    const client = await clientOf(portOf(host))
    client.say(hello, { type: "create", id: "1", wish: { cwd: "/", origin: "probe" } })
    const created = await client.answerTo("1")
    const value = created["value"]
    expect(value).toEqual({ sessionId: expect.any(String), seq: 0 })
    client.say({ type: "open", id: "2", ...Object(value), cursor: 0 })
    await client.until(() => client.all("event").length === 1)
    expect(client.all("event")).toMatchObject([{ seq: 1, event: { type: "session.created", origin: "probe" } }])
  })

  it("sends a snapshot and then what follows, without gap or repeat, also in the middle of an answer", async () => {
    const middle = gate()
    const script = [[{ text: "One." }], [{ chunks: ["Two ", "and "] }, { gate: middle }, { chunks: ["three."] }]]
    const { host } = await testHost(scriptedSource(script))
    const session = await newSession(host)
    await turn(session, "first")
    const ended = turn(session, "second")
    await middle.arrived
    const client = await clientOf(portOf(host))
    client.say(hello, { type: "open", id: "1", sessionId: session.id, snapshot: { turns: 1 } })
    const { seq } = session.state
    expect(await client.answerTo("1")).toMatchObject({
      value: { sessionId: session.id, seq, snapshot: { seq, earlier: expect.any(Boolean), items: expect.any(Array) } },
    })
    await client.until(() => client.all("streamed").length === 1)
    middle.open()
    await ended
    await client.until(() => client.all("event").some((frame) => frame["seq"] === session.state.seq))
    expect(client.all("streamed")).toMatchObject([{ blocks: [{ text: "Two and " }] }])
    const words = client.all("delta").filter((frame) => JSON.stringify(frame).includes("text.delta"))
    expect(words).toMatchObject([{ delta: { delta: "three." } }])
    const seqs = client.all("event").map((frame) => frame["seq"])
    expect(seqs).toEqual(seqs.map((_, index) => seq + 1 + index))
  })

  it("names a client by the name it gave itself", async () => {
    const { host } = await testHost(scriptedSource([]))
    const session = await newSession(host)
    const client = await clientOf(portOf(host))
    client.say(hello, { type: "open", id: "1", sessionId: session.id, cursor: 1 })
    await client.answerTo("1")
    await expect.poll(() => session.watching, patient).toEqual([{ principal: "you", door: "probe" }])
    client.say({ type: "close", sessionId: session.id })
    await expect.poll(() => session.watching, patient).toEqual([])
  })

  it("uses the door's own name for a client that gives none", async () => {
    const seen: By[] = []
    const session = new StubSession()
    const port = stubPort(session, {
      open: async (_, by) => {
        seen.push(by)
        return { kind: "opened", handle: session }
      },
    })
    const client = await clientOf(port, { by: { principal: "me", door: "house" } })
    client.say({ type: "hello", version: 1 }, { type: "open", id: "1", sessionId: stubId, quiet: true })
    await client.answerTo("1")
    expect(seen).toEqual([{ principal: "me", door: "house" }])
  })

  it("opens a session quietly: sends nothing of it, and an existing watch continues", async () => {
    const session = new StubSession()
    const client = await clientOf(stubPort(session))
    client.say(hello, { type: "open", id: "1", sessionId: stubId })
    await client.answerTo("1")
    client.say({ type: "open", id: "2", sessionId: stubId, quiet: true })
    expect(await client.answerTo("2")).toMatchObject({ value: { sessionId: stubId } })
    expect([session.watchers.size, session.cursors]).toEqual([1, [0]])
  })

  it("reports that a session was closed, and why", async () => {
    const { host } = await testHost(scriptedSource([]))
    const session = await newSession(host)
    const client = await clientOf(portOf(host))
    client.say(hello, { type: "open", id: "1", sessionId: session.id, cursor: 1 })
    await expect.poll(() => session.watching.length, patient).toBe(1)
    await host.closeSession(session.id)
    const [closed] = await client.until(() => client.all("closed").length > 0 && client.all("closed"))
    expect(closed).toEqual({ type: "closed", sessionId: session.id, refusal: { code: "host.gone" } })
  })

  it("keeps the order of commands to a session, also while it is being opened", async () => {
    const session = new StubSession()
    const slow = Promise.withResolvers<void>()
    let opened = 0
    const port = stubPort(session, {
      open: async () => {
        opened += 1
        if (opened === 1) await slow.promise
        return { kind: "opened", handle: session }
      },
    })
    const client = await clientOf(port)
    const send = (id: string, type: string) => ({ type: "send", id, sessionId: stubId, command: { type } })
    client.say(hello, send("1", "interrupt"), send("2", "compact"), { type: "query", id: "3", query: { type: "host" } })
    await client.answerTo("3")
    slow.resolve()
    await client.answerTo("2")
    expect(session.sent).toEqual(["interrupt", "compact"])
  })

  it("reports a fault of the host and stays open", async () => {
    const port = stubPort(new StubSession(), { query: () => Promise.reject(new Error("a bug")) })
    const client = await clientOf(port)
    client.say(hello, { type: "query", id: "1", query: { type: "host" } })
    expect(await client.answerTo("1")).toMatchObject({ refusal: { what: expect.stringContaining("a bug") } })
  })

  it("stops reading from a client with too many requests in progress", async () => {
    const answer = Promise.withResolvers<void>()
    const port = stubPort(new StubSession(), {
      query: async () => {
        await answer.promise
        return { kind: "refused", refusal: { code: "host.leaving" } }
      },
    })
    const { connection, say } = doorOn(port, 2)
    say(hello)
    say({ type: "query", id: "1", query: { type: "host" } })
    expect(connection.isPaused).toBe(false)
    say({ type: "query", id: "2", query: { type: "host" } })
    expect(connection.isPaused).toBe(true)
    answer.resolve()
    await expect.poll(() => connection.isPaused, patient).toBe(false)
    expect(connection.frames).toHaveLength(3)
  })

  it("carries out nothing for a client that was disconnected", async () => {
    vi.useFakeTimers()
    const session = new StubSession()
    const { connection, say } = doorOn(stubPort(session), 2)
    say(hello)
    connection.waiting = houseLimits.outboxBytes + 1
    await vi.advanceTimersByTimeAsync(0)
    say({ type: "nonsense" })
    await vi.advanceTimersByTimeAsync(houseLimits.stalledMs)
    say({ type: "send", id: "1", sessionId: stubId, command: { type: "interrupt" } })
    await vi.advanceTimersByTimeAsync(0)
    vi.useRealTimers()
    expect(session.sent).toEqual([])
    expect(connection.frames.map(({ type }) => type)).toEqual(["hello", "refused", "refused"])
    connection.destroy()
  })

  it("stops watching every session when the client disconnects", async () => {
    const session = new StubSession()
    const client = await clientOf(stubPort(session))
    client.say(hello, { type: "open", id: "1", sessionId: stubId })
    await client.answerTo("1")
    await expect.poll(() => session.watchers.size, patient).toBe(1)
    client.socket.destroy()
    await expect.poll(() => session.watchers.size, patient).toBe(0)
  })

  it("counts a line that is too long instead of keeping it", async () => {
    const client = await clientOf(stubPort(new StubSession()))
    client.say(hello)
    client.socket.write(Buffer.alloc(32 * 1024 * 1024 + 2, "x"))
    client.socket.write("\n")
    await client.until(() => client.received.length === 2)
    expect(client.received[1]).toMatchObject({ refusal: { what: expect.stringContaining("the limit is") } })
  })
})
