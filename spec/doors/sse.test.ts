// A fifth door, built from the door core alone. Nothing in src/ knows of it.
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { describe, expect, it, onTestFinished } from "vitest"
import type { HostServices } from "../../src/host/session-host.ts"
import { defineDoor } from "../../src/doors/core/door.ts"
import { doors } from "../../src/doors/table.ts"
import type { Step } from "../../src/models/offline/index.ts"
import type { SessionActor } from "../../src/runner/session-actor.ts"
import type { Tool } from "../../src/tools/tool.ts"
import { gate, scriptedSource } from "../../src/testing/index.ts"
import { portOf } from "../../src/testing/doors/served-host.ts"
import { newSession, next, testHost, testTool } from "../../src/testing/test-host.ts"
import { SseClient } from "./sse/client.ts"

const table = { ...doors, sse: defineDoor({ title: "server-sent events", load: () => import("./sse/door.ts") }) }

interface Served {
  readonly session: SessionActor
  readonly address: string
  readonly watch: (lastEventId?: string) => Promise<SseClient>
  readonly post: (path: string, body: object) => Promise<{ readonly status: number; readonly body: unknown }>
}

async function served(
  steps: readonly Step[],
  tools: readonly Tool[] = [],
  services: Partial<HostServices> = {},
): Promise<Served> {
  const { host } = await testHost(
    scriptedSource(steps, { maxOutput: 10_000_000, contextWindow: 100_000_000 }),
    tools,
    services,
  )
  const session = await newSession(host)
  const { open } = await table.sse.load()
  const server = createServer(open(portOf(host), { principal: "you", door: "sse" })).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await host.close()
  })
  const bound = server.address()
  if (bound === null || typeof bound === "string") throw new Error("the server has no port")
  const address = `http://127.0.0.1:${bound.port}/sessions/${session.id}`
  return {
    session,
    address,
    watch: (lastEventId) => SseClient.open(`${address}/events`, lastEventId),
    post: async (path, body) => {
      const response = await fetch(`${address}/${path}`, { method: "POST", body: JSON.stringify(body) })
      return { status: response.status, body: await response.json() }
    },
  }
}

const ended = (client: SseClient) => () => client.named("turn-ended").length > 0

describe("a door for server-sent events", () => {
  it("has fewer than 220 lines and imports of the product only its contract, folds and door core", () => {
    const folder = new URL("sse/", import.meta.url)
    const files = readdirSync(folder).filter((name) => name !== "client.ts")
    const sources = files.map((name) => readFileSync(new URL(name, folder), "utf8"))
    expect(sources.join("").split("\n").length - 1).toBeLessThan(220)
    const imported = sources.flatMap((source) => [...source.matchAll(/from "\.\.\/\.\.\/\.\.\/src\/([^"]+)"/g)])
    expect(imported.length).toBeGreaterThan(10)
    for (const [, path = ""] of imported) expect(path).toMatch(/^(contract|projection|doors\/core)\//)
  })

  it("accepts a prompt and streams the answer, each character once", async () => {
    const { watch, post } = await served([[{ chunks: ["Hel", "lo \ud83d", "\ude00!"] }]])
    const client = await watch()
    expect(await post("prompt/prm_1", { text: "hi" })).toMatchObject({ status: 202, body: { seq: expect.any(Number) } })
    await client.until(ended(client))
    expect(client.text).toBe("Hello \u{1f600}!")
    expect(client.named("text").length).toBeGreaterThan(1)
    expect(client.named("turn-ended")).toMatchObject([{ data: { reason: "done" } }])
  })

  it("gives a client that joins in mid-turn the text so far, then the rest", async () => {
    const middle = gate()
    const { watch, post } = await served([[{ chunks: ["One ", "two "] }, { gate: middle }, { chunks: ["three."] }]])
    const first = await watch()
    await post("prompt/prm_1", { text: "count" })
    await middle.arrived
    await first.until(() => first.text === "One two ")
    const second = await watch(first.lastEventId)
    await second.until(() => second.text === "One two ")
    middle.open()
    await Promise.all([first.until(ended(first)), second.until(ended(second))])
    expect([first.text, second.text]).toEqual(["One two three.", "One two three."])
  })

  it("continues after the last event that a client has seen", async () => {
    const { session, watch, post } = await served([[{ text: "One." }], [{ text: "Two." }]])
    const first = await watch()
    await post("prompt/prm_1", { text: "first" })
    await first.until(ended(first))
    await first.until(() => Number(first.lastEventId) === session.state.seq)
    first.close()
    const over = next(session, "turn.ended")
    await post("prompt/prm_2", { text: "second" })
    await over
    const second = await watch(first.lastEventId)
    await second.until(ended(second))
    expect([second.text, second.named("turn-ended").length]).toEqual(["Two.", 1])
  })

  const risky = testTool("risky", () => ({ outcome: "done", output: "did it" }))
  const asking: Partial<HostServices> = {
    gates: [async () => ({ kind: "ask", reason: "it is listed", audience: "driver", causes: ["preset"] }) as const],
  }
  const calling: readonly Step[] = [[{ call: { tool: "risky", input: { a: 1 } } }], [{ text: "Done." }]]

  it("shows an approval request with its arguments, also to a client that joins later, and accepts the answer", async () => {
    const { watch, post } = await served(calling, [risky], asking)
    const first = await watch()
    await post("prompt/prm_1", { text: "go" })
    const shown = await first.until(() => first.named("approvals").find(({ data }) => JSON.stringify(data) !== "[]"))
    expect(shown.data).toEqual([{ approvalId: expect.stringMatching(/^apr_/), tool: "risky", input: { a: 1 } }])
    const later = await watch(first.lastEventId)
    await later.until(() => later.named("approvals").length > 0)
    expect(later.named("approvals")[0]?.data).toEqual(shown.data)
    const approvalId = /apr_[^"]+/.exec(JSON.stringify(shown.data))?.[0] ?? ""
    expect(await post(`approve/${approvalId}`, { approved: true })).toMatchObject({ status: 202 })
    await first.until(ended(first))
    expect([first.text, first.named("approvals").at(-1)?.data]).toEqual(["Done.", []])
    expect(await post(`approve/${approvalId}`, { approved: false })).toMatchObject({
      status: 409,
      body: { code: "approval.settled", message: expect.stringContaining("already settled: approved") },
    })
  })

  it("answers refusals with the status of its error table and the common text", async () => {
    const { address, post } = await served([])
    expect(await post("approve/apr_none", { approved: true })).toMatchObject({
      status: 404,
      body: { code: "approval.unknown", message: "No approval has the id apr_none." },
    })
    for (const body of [{ words: "hi" }, { text: "x".repeat(100_000) }])
      expect(await post("prompt/prm_1", body)).toMatchObject({ status: 400, body: { code: "frame.bad" } })
    const nowhere = await fetch(address.replace(/[0-9a-f]{12}$/, "000000000000") + "/events")
    expect([nowhere.status, await nowhere.json()]).toMatchObject([404, { code: "session.unknown" }])
  })

  it("does not delay the turn for a client that stops reading, and sends it the rest later", async () => {
    const chunks = Array.from({ length: 400 }, () => "x".repeat(50_000))
    const { session, watch, post } = await served([[{ chunks }]])
    const client = await watch()
    client.pause()
    const over = next(session, "turn.ended")
    await post("prompt/prm_1", { text: "write a lot" })
    expect((await over).reason).toBe("done")
    client.resume()
    await client.until(ended(client))
    expect(client.text.length).toBe(400 * 50_000)
  })
})
