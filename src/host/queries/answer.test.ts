import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../contract/values.ts"
import { systemClock, timing } from "../../hooks/process/clock.ts"
import { missingGuard } from "../../hooks/hosted-extension.ts"
import { SessionHooks } from "../../hooks/session-hooks.ts"
import { ConnectFault } from "../../mcp/connection/faults.ts"
import { misbehavingServer } from "../../mcp/fixtures/servers.ts"
import { RunningServer } from "../../mcp/running-server.ts"
import { SessionServers } from "../../mcp/session-servers.ts"
import { scriptedSource } from "../../testing/index.ts"
import { newSession, next, prompt, testHost, testTool, turn, you } from "../../testing/test-host.ts"
import { portOf } from "../../testing/doors/served-host.ts"

const unknown = "01890000-0000-7000-8000-000000000009"
const plainScrubber = {
  json: (value: JsonValue) => value,
  stream: () => ({ push: (piece: string) => piece, end: () => "" }),
}
const look = testTool("look", () => ({ outcome: "done", output: "" }), { class: "read" })

async function hostWithTurns(turns: number) {
  const script = Array.from({ length: turns }, (_, index) => [{ text: `answer ${index + 1}` }])
  const { host } = await testHost(scriptedSource(script), [look])
  const session = await newSession(host, { name: "work" })
  for (let index = 1; index <= turns; index++) await turn(session, `question ${index}`)
  return { host, session, port: portOf(host) }
}

describe("a query", () => {
  it("for a session returns its status, host and watchers", async () => {
    const { host, session, port } = await hostWithTurns(1)
    const { hostId } = host.lease
    expect(await port.query({ type: "session", sessionId: session.id })).toMatchObject({
      kind: "answer",
      value: {
        activity: "idle",
        seq: session.state.seq,
        host: { hostId },
        status: { name: "work", turns: 1 },
        watching: [],
      },
    })
    expect(await port.query({ type: "sessions" })).toMatchObject({ value: [{ sessionId: session.id }] })
  })

  it("for the images of a result returns them by the seq that the transcript names", async () => {
    const images = [{ name: "a.png", mediaType: "image/png", data: "iVBORw0KGgo=" }]
    const show = testTool("show", () => ({ outcome: "done", output: "a.png", images }), { class: "read" })
    const { host } = await testHost(scriptedSource([[{ call: { tool: "show", input: {} } }], [{ text: "Ok." }]]), [
      show,
    ])
    const session = await newSession(host)
    await turn(session, "look")
    const port = portOf(host)
    const page = await port.query({ type: "transcript", sessionId: session.id })
    const call = page.kind === "answer" ? page.value.items.find((item) => item.kind === "call") : undefined
    const seq = call?.kind === "call" ? (call.images?.seq ?? 0) : 0
    expect(await port.query({ type: "result-images", sessionId: session.id, seq })).toMatchObject({ value: { images } })
    const other = await port.query({ type: "result-images", sessionId: session.id, seq: seq + 1000 })
    expect(other).toMatchObject({ value: { images: [] } })
  })

  it("for the transcript returns the newest turns, whether there are earlier ones, and where they start", async () => {
    const { session, port } = await hostWithTurns(3)
    const newest = await port.query({ type: "transcript", sessionId: session.id, turns: 1 })
    expect(newest).toMatchObject({
      value: {
        seq: session.state.seq,
        earlier: true,
        items: [
          { kind: "user", text: "question 3" },
          { kind: "assistant", text: "answer 3" },
        ],
      },
    })
    const all = await port.query({ type: "transcript", sessionId: session.id })
    expect(all).toMatchObject({ value: { earlier: false, items: { length: 6 } } })
  })

  it("for the scene returns a consistent snapshot for a client that joins", async () => {
    const { session, port } = await hostWithTurns(2)
    await session.send({ type: "add-task", text: "look around" }, you)
    await session.send({ type: "mark", name: "here" }, you)
    expect(await port.query({ type: "scene", sessionId: session.id, turns: 1 })).toMatchObject({
      value: {
        seq: session.state.seq,
        earlier: true,
        items: [{ text: "question 2" }, { text: "answer 2" }],
        status: { turns: 2, inTurn: false },
        toolMode: "Smart",
        tasks: [{ task: 1, text: "look around", status: "pending" }],
        marks: [{ name: "here" }],
        children: [],
      },
    })
  })

  it("is answered from the log when the session is open nowhere", async () => {
    const { host, session, port } = await hostWithTurns(2)
    const open = [
      await port.query({ type: "transcript", sessionId: session.id }),
      await port.query({ type: "context", sessionId: session.id }),
    ]
    await host.closeSession(session.id)
    expect(host.size).toBe(0)
    expect([
      await port.query({ type: "transcript", sessionId: session.id }),
      await port.query({ type: "context", sessionId: session.id }),
    ]).toEqual(open)
    expect(host.size).toBe(0)
  })

  it("for the tools of a session lists those that the model would get", async () => {
    const { session, port } = await hostWithTurns(0)
    const query = { type: "tools", sessionId: session.id } as const
    expect(await port.query(query)).toMatchObject({ value: [{ name: "look", class: "read" }] })
    await session.send({ type: "select-tools", mode: "None" }, { principal: "you", door: "test" })
    expect(await port.query(query)).toMatchObject({ value: [] })
  })

  it("for approvals lists pending requests with their arguments and what they would change", async () => {
    const changes = [{ path: "a", added: 1, removed: 0, lines: [{ sign: "+", at: 1, text: "x" }] }] as const
    const pay = testTool("pay", () => ({ outcome: "done", output: "" }), {
      changes: async () => ({ kind: "changes", changes: [...changes] }),
    })
    const { host } = await testHost(scriptedSource([[{ call: { tool: "pay", input: { euros: 3 } } }]]), [pay])
    const session = await newSession(host, { preset: "careful" })
    const request = next(session, "approval.requested")
    await prompt(session, "pay")
    const { approvalId, digest, changes: shown } = await request
    expect(shown).toEqual(changes)
    expect(await portOf(host).query({ type: "approvals" })).toMatchObject({
      value: [{ sessionId: session.id, approvalId, digest, tool: "pay", input: { euros: 3 }, changes }],
    })
  })

  it("for extensions returns the status of those of open sessions, without secrets", async () => {
    const own = [missingGuard("policy", "its manifest holds hush")]
    const hooks = new SessionHooks({ own, shared: [], clock: systemClock, timing, debug: () => {} })
    const scrubber = { ...plainScrubber, text: (text: string) => text.replace("hush", "***") }
    const source = { enter: () => hooks, leave: () => Promise.resolve() }
    const { host } = await testHost(scriptedSource([[{ text: "hi" }]]), [], { hooks: source, scrubber })
    const port = portOf(host)
    expect(await port.query({ type: "extensions" })).toEqual({ kind: "answer", value: [] })
    const session = await newSession(host)
    await turn(session, "hello")
    const status = { id: "policy", health: "failed", isGuard: true, pid: null, folder: null, restarts: 0 }
    expect(await port.query({ type: "extensions" })).toMatchObject({
      value: [{ sessionId: session.id, ...status, lastFault: "its manifest holds ***", times: { calls: 0 } }],
    })
  })

  it("for MCP servers returns the status of those of open sessions, without secrets", async () => {
    const server = misbehavingServer("well", { source: "/etc/config.json" })
    const spawn = () => Promise.reject(new ConnectFault("its key hush is wrong"))
    const running = new RunningServer(server, { release: "0", spawn, debug: () => {}, warn: () => {} })
    const servers = new SessionServers(() => Promise.resolve([running]))
    const scrubber = { ...plainScrubber, text: (text: string) => text.replace("hush", "***") }
    const source = { enter: () => servers, leave: () => Promise.resolve() }
    const { host } = await testHost(scriptedSource([[{ text: "hi" }]]), [], { servers: source, scrubber })
    const port = portOf(host)
    const session = await newSession(host)
    expect(await port.query({ type: "mcp-servers" })).toEqual({ kind: "answer", value: [] })
    await turn(session, "hello")
    const status = { state: "failed", tools: 0, pid: null, connectMs: null, lastError: "its key *** is wrong" }
    expect(await port.query({ type: "mcp-servers" })).toEqual({
      kind: "answer",
      value: [{ sessionId: session.id, name: "odd", source: "/etc/config.json", ...status }],
    })
  })

  it("for the host counts its open sessions", async () => {
    const { port } = await hostWithTurns(1)
    expect(await port.query({ type: "host" })).toMatchObject({ value: { role: "test", sessions: 1, watching: 0 } })
  })

  it.each(["session", "transcript", "scene", "context", "tools", "commands"] as const)(
    "for the %s of no session is refused",
    async (type) => {
      const { port } = await hostWithTurns(0)
      expect(await port.query({ type, sessionId: unknown })).toEqual({
        kind: "refused",
        refusal: { code: "session.unknown", wanted: unknown },
      })
    },
  )
})
