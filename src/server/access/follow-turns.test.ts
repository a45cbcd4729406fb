// Visitors of one organisation on a real host, whose turns are limited.
import { expect, it } from "vitest"
import { Allowances } from "../../identity/allowances/allowances.ts"
import type { Step } from "../../models/offline/index.ts"
import type { ModelSource } from "../../models/model-source.ts"
import { gate } from "../../testing/gate.ts"
import { testTool } from "../../testing/test-host.ts"
import { type WsClient, wsWorlds } from "../../testing/doors/served-ws.ts"
import { scriptedSource } from "../../testing/scripted-source.ts"
import type { Tool } from "../../tools/tool.ts"
import { followTurns } from "./follow-turns.ts"

const startWorld = wsWorlds()
const refused = { error: { code: "RATE_LIMITED", message: expect.stringContaining("Too many messages") } }

interface More {
  readonly tools?: readonly Tool[]
  /** Scripts of models that a message may name. */
  readonly models?: Readonly<Record<string, readonly Step[]>>
}

async function world(turns: number, steps: readonly Step[], { tools = [], models = {} }: More = {}) {
  const usual = scriptedSource(steps)
  const named = new Map(Object.entries(models).map(([name, script]) => [name, scriptedSource(script)]))
  const source: ModelSource = { resolve: (name) => (named.get(name) ?? usual).resolve(name) }
  const limits = { connections: Infinity, framesPerSecond: Infinity, sessionsPerHour: Infinity }
  const allowances = new Allowances({ ...limits, org: { turns, sessionsPerHour: Infinity } }, Date.now)
  const started = await startWorld(steps, tools, { confirm: ["pay"] }, { allowances }, { models: source })
  if (allowances.turns !== undefined) followTurns(started.host, allowances.turns)
  return { ...started, allowances }
}

function say(client: WsClient, sessionId: string, requestId: string, model?: string): void {
  client.say({ action: "send_message", requestId, sessionId, message: `message ${requestId}`, model })
}

it("a message that would start one turn too many is refused until a turn has ended", async () => {
  const working = gate()
  const { served, allowances } = await world(1, [[{ gate: working }, { text: "one" }], [{ text: "two" }]])
  const [one, other] = [await served.connect(), await served.connect()]
  say(one, (await one.create()).sessionId, "r1")
  await working.arrived
  const { sessionId } = await other.create()
  say(other, sessionId, "r2")
  expect(await other.end("r2")).toMatchObject(refused)
  working.open()
  await one.end("r1")
  say(other, sessionId, "r3")
  expect(await other.end("r3")).toMatchObject({ type: "eventual_response" })
  await expect.poll(() => allowances.size).toBe(0)
})

it("messages that arrive at the same time start as many turns as are allowed", async () => {
  const working = gate()
  const steps = Array.from({ length: 3 }, (): Step => [{ gate: working }, { text: "done" }])
  const { served } = await world(3, steps)
  const clients = await Promise.all(Array.from({ length: 8 }, () => served.connect()))
  const visits = await Promise.all(clients.map((client) => client.create()))
  clients.forEach((client, at) => say(client, visits[at]?.sessionId ?? "", "r1"))
  const answers = await Promise.all(clients.map((client) => client.until(() => client.of("r1")[0])))
  expect(answers.filter(({ type }) => type === "error")).toHaveLength(5)
  working.open()
  const ends = await Promise.all(clients.map((client) => client.end("r1")))
  expect(ends.filter(({ type }) => type === "eventual_response")).toHaveLength(3)
})

it("a message to a conversation with a turn waits for it, and its turn keeps the place", async () => {
  const [first, second] = [gate(), gate()]
  const { served } = await world(1, [
    [{ gate: first }, { text: "one" }],
    [{ gate: second }, { text: "two" }],
  ])
  const [one, other, third] = [await served.connect(), await served.connect(), await served.connect()]
  const { sessionId, conversationId } = await one.create()
  const same = await other.create({ conversationId })
  say(one, sessionId, "r1")
  await first.arrived
  say(other, same.sessionId, "r2")
  expect(await other.until(() => other.of("r2")[0])).toMatchObject({ status: 202 })
  first.open()
  await one.end("r1")
  await second.arrived
  say(third, (await third.create()).sessionId, "r3")
  expect(await third.end("r3")).toMatchObject(refused)
  second.open()
  expect(await other.end("r2")).toMatchObject({ type: "eventual_response" })
})

it("a message that is sent again when its organisation has no turn left gets the answer of its turn", async () => {
  const working = gate()
  const { served } = await world(1, [[{ text: "one" }], [{ text: "two" }]], {
    models: { slow: [[{ gate: working }, { text: "slow" }]] },
  })
  const [one, again, other] = [await served.connect(), await served.connect(), await served.connect()]
  const { sessionId, conversationId } = await one.create()
  say(one, sessionId, "r1")
  await one.end("r1")
  await one.close()
  say(other, (await other.create()).sessionId, "r2", "slow")
  await working.arrived
  const resumed = await again.create({ conversationId })
  say(again, resumed.sessionId, "r1")
  expect(await again.end("r1")).toMatchObject({ type: "eventual_response" })
  say(again, resumed.sessionId, "r3")
  expect(await again.end("r3")).toMatchObject(refused)
  working.open()
})

it("a turn that waits for a confirmation does not count, and continues beyond the limit", async () => {
  const working = gate()
  const pay = testTool("pay", () => ({ outcome: "done", output: "paid" }))
  const { served } = await world(1, [[{ call: { tool: "pay", input: {} } }], [{ text: "paid" }], [{ text: "more" }]], {
    tools: [pay],
    models: { slow: [[{ gate: working }, { text: "slow" }]] },
  })
  const [one, other] = [await served.connect(), await served.connect()]
  const { sessionId } = await one.create()
  say(one, sessionId, "r1")
  await one.next("write_confirmation_required", "r1")
  say(other, (await other.create()).sessionId, "r2", "slow")
  await working.arrived
  one.say({ action: "confirm_tool_action", requestId: "c", sessionId, approved: true })
  expect(await one.end("r1")).toMatchObject({ type: "eventual_response" })
  say(one, sessionId, "r3")
  expect(await one.end("r3")).toMatchObject(refused)
  working.open()
  expect(await other.end("r2")).toMatchObject({ type: "eventual_response" })
})

it("a turn of a session that is closed does not count any more", async () => {
  const working = gate()
  const { served, host } = await world(1, [[{ text: "one" }]], { models: { slow: [[{ gate: working }]] } })
  const [one, other] = [await served.connect(), await served.connect()]
  const { sessionId, conversationId } = await one.create()
  say(one, sessionId, "r1", "slow")
  await working.arrived
  await host.closeSession(conversationId)
  say(other, (await other.create()).sessionId, "r2")
  expect(await other.end("r2")).toMatchObject({ type: "eventual_response" })
})
