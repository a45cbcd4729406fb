// Further case 15: workflow steps, as visitors see them.
import { describe, expect, it } from "vitest"
import type { Part } from "../../src/models/offline/index.ts"
import { gate } from "../../src/testing/gate.ts"
import { inOrder, systemOf } from "../../src/testing/service-world.ts"
import { wsWorlds } from "../../src/testing/doors/served-ws.ts"
import { dataOf, messagesOf, replyOf, runTurn, startTurn } from "./conversation.ts"

const world = wsWorlds()
const say = (text: string): Part => ({ text })
const failing: Part = { error: { message: "no", status: 400 } }
const step = (id: string, more: object = {}) => ({ id, intent: `Do ${id}.`, criteria: `${id} is known.`, ...more })
const workflow = { goal: "A shoe is sold.", steps: [step("size", { quickReplies: ["S", "L"] }), step("colour")] }

async function shop(answers: readonly (readonly Part[])[], service: object = {}) {
  const { models, requests } = inOrder(answers)
  const { served } = await world([], [], {}, {}, { models, service: { workflow, ...service } })
  /** The step of each answer, without the judge's calls. */
  const steps = () =>
    requests.flatMap((request) => /What is to be done now: Do (\w+)/.exec(systemOf(request))?.[1] ?? [])
  return { served, requests, steps }
}

describe("a workflow", () => {
  it("case 15: a failing judge keeps the step, and the third held turn advances", async () => {
    const turns = [[failing], [say("maybe")], [say("no")], [say("yes")]]
    const { served, steps } = await shop(turns.flatMap((verdict) => [[say("Well?")], verdict]))
    const client = await served.connect()
    const { sessionId } = await client.create()
    for (const words of ["one", "two", "three", "four"])
      expect(replyOf(await runTurn(client, sessionId, words))).toBe("Well?")
    expect(steps()).toEqual(["size", "size", "size", "colour"])
  })

  it("case 15: greets in the first turn only", async () => {
    const { served, requests } = await shop([[say("Ahoy.")], [say("no")], [say("Yes?")], [say("no")]], {
      greeting: "Ahoy!",
    })
    const client = await served.connect()
    const { sessionId } = await client.create()
    for (const words of ["one", "two"]) await runTurn(client, sessionId, words)
    expect(requests.map((request) => systemOf(request).includes("Ahoy!"))).toEqual([true, false, false, false])
  })

  it("case 15: keeps its step for a returning visitor", async () => {
    const { served, steps } = await shop([[say("42.")], [say("yes")], [say("Red?")], [say("no")]])
    const first = await served.connect()
    const { sessionId, conversationId } = await first.create()
    await runTurn(first, sessionId, "42")
    await first.close()
    const second = await served.connect()
    const visit = await second.create({ conversationId })
    await runTurn(second, visit.sessionId, "and?")
    expect(steps()).toEqual(["size", "colour"])
  })

  it("is judged before the last frame, which includes its cost", async () => {
    const held = gate()
    const usage: Part = { usage: { input: 10, output: 2 } }
    const { served } = await shop([
      [say("Which size?"), usage],
      [{ gate: held }, say("no"), usage],
    ])
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    await held.arrived
    await client.settled()
    expect(client.types("r1")).not.toContain("eventual_response")
    expect((await messagesOf(client, sessionId)).rows).toHaveLength(1)
    held.open()
    expect(await client.end("r1")).toMatchObject({
      data: {
        data: {
          response: { responseParts: ["Which size?"], suggestedNextActions: ["S", "L"] },
          usage: { promptTokens: 20, completionTokens: 4 },
        },
      },
    })
  })

  it("can be cancelled while the judge runs", async () => {
    const held = gate()
    const { served } = await shop([[say("Which size?")], [{ gate: held }]])
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    await held.arrived
    client.say({ action: "cancel", requestId: "r1" })
    expect(await client.end("r1")).toMatchObject({ type: "cancelled" })
    expect(dataOf(await client.ask({ action: "get_session", requestId: "g", sessionId }))).toMatchObject({ sessionId })
    expect((await messagesOf(client, sessionId)).rows.map(({ text }) => text)).toEqual(["hi"])
  })
})
