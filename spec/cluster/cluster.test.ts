// Three nodes of a cluster as processes on real servers: a session is the same on each of them, and goes on when its node, NATS
// or PostgreSQL fails.
import { randomUUID } from "node:crypto"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Step } from "../../src/models/offline/part.ts"
import { eventually } from "../e2e/eventually.ts"
import { Cluster, SessionView, type ClusterNode } from "./cluster.ts"

const shared = join(tmpdir(), `turnhouse-cluster-${randomUUID()}`)
const words = Array.from({ length: 40 }, (_, index) => `word${index} `)
const speaking: Step = words.flatMap((word) => [{ chunks: [word] }, { delayMs: 100 }])

/** Notes each run and waits until it may end. */
const pay = {
  description: "Pays.",
  class: "unsafe",
  input: {},
  run: ["sh", "-c", `echo paid >> ${shared}.runs; until [ -e ${shared}.go ]; do sleep 0.05; done; echo paid`],
}

function modelOf(name: string, steps: readonly Step[]): string {
  const path = `${shared}-${name}.json`
  writeFileSync(path, JSON.stringify({ delayMs: 0, steps }))
  return `offline/script:${path}`
}

const runs = () => (existsSync(`${shared}.runs`) ? readFileSync(`${shared}.runs`, "utf8").split("\n").length - 1 : 0)

describe("a cluster of three nodes", () => {
  let cluster: Cluster
  let a: ClusterNode
  let b: ClusterNode
  let c: ClusterNode

  beforeAll(async () => {
    const agents = {
      speaker: { model: modelOf("speaker", [speaking, speaking, speaking]) },
      payer: { model: modelOf("payer", [[{ call: { tool: "pay", input: {} } }], [{ text: "It is paid." }]]) },
    }
    cluster = await Cluster.start({ agents, tools: { define: { pay }, confirm: ["pay"] } })
    a = await cluster.node("a")
    ;[b, c] = await Promise.all([cluster.node("b"), cluster.node("c")])
  })
  afterAll(async () => {
    await cluster.close()
    for (const name of [".runs", ".go", "-speaker.json", "-payer.json"]) rmSync(shared + name, { force: true })
  })

  /** A visitor's message to an agent, up to the first frame of this type. */
  async function chatAt(node: ClusterNode, agentId: string, until: "stream_token" | "write_confirmation_required") {
    const visitor = await node.visitor()
    const visit = await visitor.create({ agentId })
    visitor.say({ action: "send_message", requestId: "r1", sessionId: visit.sessionId, message: "go" })
    await visitor.next(until, "r1")
    return { visitor, visitId: visit.sessionId, sessionId: visit.conversationId }
  }

  function expectWhole(view: SessionView): void {
    expect(view.events.map(({ seq }) => seq)).toEqual(view.events.map((_, index) => index + 1))
    expect(view.count("turn.ended")).toBe(1)
  }

  it("streams a turn to watchers at another node, and finishes it at a third when its node is killed", async () => {
    const { visitId, sessionId } = await chatAt(a, "speaker", "stream_token")
    const view = await SessionView.at(b, sessionId)
    await view.until("live text at the other node", ({ text }) => text.includes("word5 "))
    await a.kill()
    const resumed = await c.visitor()
    const visit = await resumed.create({ agentId: "speaker", conversationId: sessionId })
    expect(visit.conversationId).toBe(sessionId)
    expect(visitId).not.toBe("")
    await view.until("the end of the turn", (at) => at.count("turn.ended") === 1)
    expectWhole(view)
    expect(view.count("turn.adopted")).toBe(1)
    const late = await SessionView.at(c, sessionId)
    await late.until("the same history at the third node", (at) => at.events.length === view.events.length)
    await a.start()
  })

  it("has one approval, which can be answered at any node, and runs the call once", async () => {
    const { visitor, sessionId } = await chatAt(a, "payer", "write_confirmation_required")
    const other = await b.visitor()
    const { sessionId: otherVisit } = await other.create({ agentId: "payer", conversationId: sessionId })
    await other.next("write_confirmation_required")
    other.say({ action: "confirm_tool_action", requestId: "r2", sessionId: otherVisit, approved: true })
    await eventually("the call runs", () => runs() === 1 || undefined)
    writeFileSync(`${shared}.go`, "")
    expect(await visitor.end("r1")).toMatchObject({ type: "eventual_response" })
    expect(runs()).toBe(1)
    rmSync(`${shared}.go`)
    rmSync(`${shared}.runs`)
  })

  it("does not repeat an unsafe call of a killed node, and asks a person", async () => {
    const { visitor, visitId, sessionId } = await chatAt(a, "payer", "write_confirmation_required")
    const view = await SessionView.at(b, sessionId)
    visitor.say({ action: "confirm_tool_action", requestId: "r2", sessionId: visitId, approved: true })
    await eventually("the call runs", () => runs() === 1 || undefined)
    await a.kill()
    await view.until("the call is reported as unsettled", (at) => at.count("tool.unsettled") === 1)
    expect(runs()).toBe(1)
    await view.until("the end of the turn", (at) => at.count("turn.ended") === 1)
    expectWhole(view)
    rmSync(`${shared}.runs`)
    await a.start()
  })

  it("hands the turns of a draining node to another one", async () => {
    const { sessionId } = await chatAt(a, "speaker", "stream_token")
    const view = await SessionView.at(b, sessionId)
    a.running.signal("SIGTERM")
    await view.until("the end of the turn", (at) => at.count("turn.ended") === 1)
    expectWhole(view)
    expect((await a.running.ended).code).toBe(0)
    await a.start()
  })

  it("fences a node that is cut off from PostgreSQL; another finishes its turns; it rejoins", async () => {
    const { visitor, sessionId } = await chatAt(a, "speaker", "stream_token")
    const view = await SessionView.at(b, sessionId)
    a.store.set({ kind: "partitioned" })
    expect(await visitor.closed).toMatchObject({ code: 1013 })
    expect(await a.readiness()).toMatchObject({ status: 503, text: expect.stringContaining("fenced") })
    await expect(a.visitor()).rejects.toThrow("503")
    await view.until("the end of the turn", (at) => at.count("turn.ended") === 1)
    expectWhole(view)
    a.store.set({ kind: "up" })
    await a.ready()
    const again = await SessionView.at(a, sessionId)
    await again.until("the whole history", (at) => at.events.length === view.events.length)
  })

  it("goes on without NATS: watchers at other nodes get what is stored, and live text when it is back", async () => {
    const { visitor, sessionId } = await chatAt(a, "speaker", "stream_token")
    const view = await SessionView.at(b, sessionId)
    await view.until("live text", ({ text }) => text.includes("word3 "))
    await cluster.nats.process.stop("SIGKILL")
    expect(await visitor.end("r1")).toMatchObject({ type: "eventual_response" })
    await view.until("the end of the turn, from the log", (at) => at.count("turn.ended") === 1)
    await cluster.nats.start()
    const { sessionId: next } = await chatAt(a, "speaker", "stream_token")
    const live = await SessionView.at(c, next)
    await live.until("live text again", ({ text }) => text.includes("word8 "))
  })

  it("survives the end of PostgreSQL in the middle of an answer", async () => {
    const { sessionId } = await chatAt(a, "speaker", "stream_token")
    await cluster.postgres.process.stop("SIGKILL")
    await cluster.postgres.start()
    await Promise.all([a, b, c].map((node) => node.ready()))
    const whole = await SessionView.at(c, sessionId)
    await whole.until("the end of the turn", (at) => at.count("turn.ended") === 1)
    expectWhole(whole)
    expect(whole.count("turn.started")).toBe(1)
  })
})
