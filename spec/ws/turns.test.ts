// Cases T01 to T26: turns, from the acknowledgement to the last frame.
import { describe, expect, it } from "vitest"
import type { Part, Step } from "../../src/models/offline/index.ts"
import { testTool } from "../../src/testing/test-host.ts"
import { scriptedSource } from "../../src/testing/scripted-source.ts"
import { inOrder } from "../../src/testing/service-world.ts"
import { wsWorlds } from "../../src/testing/doors/served-ws.ts"
import { chunksOf, messagesOf, replyOf, runTurn, startTurn, tokensOf } from "./conversation.ts"

const world = wsWorlds()
const say = (text: string): Part => ({ text })
const look = testTool("look", () => ({ outcome: "done", output: "a teapot" }), { class: "read" })
const ends: ReadonlySet<string> = new Set(["eventual_response", "error", "cancelled"])

describe("a turn", () => {
  it("T02: tokens appear in both places of a frame and join to the stored reply, with emoji intact", async () => {
    const pieces = ["Grüße ", "👩‍👩‍👧", "👧 ", "日本", "語\n", '"quoted" \\ ']
    const { served } = await world([[{ chunks: pieces }]])
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    const reply = replyOf(await client.end("r1"))
    const words = client.of("r1").filter((frame) => frame.type === "stream_token")
    for (const { data, token } of words) expect(data).toEqual({ requestId: "r1", token })
    expect(tokensOf(client)).toBe(pieces.join(""))
    expect(reply).toBe(pieces.join(""))
    expect((await messagesOf(client, sessionId)).rows[0]?.text).toBe(reply)
  })

  it("T03: the response has exactly the six fields that clients know", async () => {
    const { served } = await world([[say("one"), { usage: { input: 3, output: 2 } }]])
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    const end = await client.end("r1")
    const id = (await messagesOf(client, sessionId)).rows[0]?.id
    const response = {
      responseParts: ["one"],
      customerHappinessScore: 0.5,
      needsSatisfactionScore: 0.5,
      requestSummary: "",
      resolutionStatus: "in_progress",
      suggestedNextActions: [],
    }
    const usage = { costUsd: 0, promptTokens: 3, completionTokens: 2 }
    const data = { messageId: id, response, needsEscalation: false, usage }
    expect(end).toEqual({
      type: "eventual_response",
      requestId: "r1",
      status: 200,
      data: { requestId: "r1", status: 200, data },
      timestamp: end.timestamp,
    })
  })

  it("T07: of two messages sent together the second is refused under its own id", async () => {
    const { served } = await world([[say("one")]])
    const client = await served.connect()
    const [first, second] = [await client.create(), await client.create()]
    const message = (requestId: string, { sessionId }: { readonly sessionId: string }) => ({
      action: "send_message",
      requestId,
      sessionId,
      message: requestId,
    })
    client.say(message("r1", first), message("r2", first), message("r3", second))
    expect(replyOf(await client.end("r1"))).toBe("one")
    for (const requestId of ["r2", "r3"])
      expect(client.of(requestId)).toMatchObject([{ error: { code: "TURN_IN_PROGRESS" }, data: { requestId } }])
    expect((await messagesOf(client, first.sessionId)).rows.map(({ text }) => text)).toEqual(["one", "r1"])
    expect((await messagesOf(client, second.sessionId)).rows).toEqual([])
  })

  it("T09: a failed model call gives one error without the provider's text, and no stored reply", async () => {
    const { served } = await world([[{ error: { message: "account 4711 at https://llm.internal", status: 401 } }]])
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    expect(await client.end("r1")).toMatchObject({ type: "error", error: { code: "AGENT_ERROR" } })
    await client.settled()
    expect(client.types("r1").filter((type) => ends.has(type))).toHaveLength(1)
    expect(JSON.stringify(client.frames)).not.toMatch(/4711|internal/)
    expect((await messagesOf(client, sessionId)).rows).toMatchObject([{ direction: "inbound" }])
  })

  it("T10: a model that fails in mid-stream gives one last frame, and no incomplete reply is stored as complete", async () => {
    const drop: Part = { error: { message: "bad gateway", status: 400 } }
    const { served } = await world([[{ chunks: ["half "] }, drop]])
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    expect(await client.end("r1")).toMatchObject({ type: "error", error: { code: "AGENT_ERROR" } })
    await client.settled()
    expect(client.types("r1").filter((type) => ends.has(type))).toHaveLength(1)
    expect((await messagesOf(client, sessionId)).rows).toMatchObject([{ direction: "inbound" }])
    expect(await client.ask({ action: "send_message", requestId: "r2", sessionId, message: "x" })).toMatchObject({
      status: 202,
    })
  })

  it("T10: a reply whose stream breaks is continued as one reply", async () => {
    const { served } = await world([[{ chunks: ["half"] }, { cut: true }, { chunks: [" and half"] }]])
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    expect(await client.end("r1")).toMatchObject({ type: "eventual_response" })
    await client.settled()
    expect(client.types("r1").filter((type) => ends.has(type))).toHaveLength(1)
    const { rows } = await messagesOf(client, sessionId)
    expect(rows.map((row) => row["direction"]).toSorted()).toEqual(["inbound", "outbound"])
    expect(JSON.stringify(rows)).toContain("half and half")
  })

  it("T11: a tool call is two chunks under its name: arguments as an object, result as a string", async () => {
    const { served } = await world([[{ call: { tool: "look", input: { n: 1 } } }], [say("A teapot.")]], [look])
    const client = await served.connect()
    await startTurn(client)
    await client.end("r1")
    const frames = client.of("r1").filter(({ type }) => type === "stream_chunk")
    const states = [
      { rawResponse: { toolCall: { name: "look", arguments: { n: 1 } } } },
      { rawResponse: { toolResult: { name: "look", isError: false, result: "a teapot" } } },
    ]
    expect(frames).toEqual(
      states.map((state, index) => ({
        type: "stream_chunk",
        requestId: "r1",
        node: "look",
        data: { requestId: "r1", node: "look", state },
        timestamp: frames[index]?.timestamp,
      })),
    )
  })

  it("T12: a tool that throws is an error result for the model, and the turn ends normally", async () => {
    const bad = testTool("bad", () => Promise.reject(new Error("out of paper")), { class: "read" })
    const { served } = await world([[{ call: { tool: "bad", input: {} } }], [say("Sorry.")]], [bad])
    const client = await served.connect()
    await startTurn(client)
    expect(replyOf(await client.end("r1"))).toBe("Sorry.")
    expect(chunksOf(client)).toMatchObject([
      { toolCall: { name: "bad" } },
      { toolResult: { name: "bad", isError: true } },
    ])
  })

  it("T13: an unknown tool is an error result for the model", async () => {
    const { served } = await world([[{ call: { tool: "unheard_of", input: {} } }], [say("Sorry.")]])
    const client = await served.connect()
    await startTurn(client)
    expect(replyOf(await client.end("r1"))).toBe("Sorry.")
    expect(chunksOf(client)).toMatchObject([
      { toolCall: { name: "unheard_of" } },
      { toolResult: { name: "unheard_of", isError: true } },
    ])
  })

  it("T15: results of two calls in one message come in call order", async () => {
    const echo = testTool("echo", (input) => ({ outcome: "done", output: JSON.stringify(input) }), { class: "read" })
    const calls: Step = [{ call: { tool: "echo", input: { n: 1 } } }, { call: { tool: "echo", input: { n: 2 } } }]
    const { served } = await world([calls, [say("Both.")]], [echo])
    const client = await served.connect()
    await startTurn(client)
    expect(replyOf(await client.end("r1"))).toBe("Both.")
    const chunks = chunksOf(client)
    expect(chunks.flatMap((raw) => ("toolCall" in raw ? [raw.toolCall.arguments] : []))).toEqual([{ n: 1 }, { n: 2 }])
    expect(chunks.flatMap((raw) => ("toolResult" in raw ? [raw.toolResult.result] : []))).toEqual([
      '{"n":1}',
      '{"n":2}',
    ])
  })

  it("T16: arguments that are not JSON are an error result for the model; clients still get an object", async () => {
    const ran: unknown[] = []
    const tool = testTool("look", (input) => (ran.push(input), { outcome: "done", output: "" }), { class: "read" })
    const { served } = await world([[{ call: { tool: "look", inputText: '{"n": ' } }], [say("Sorry.")]], [tool])
    const client = await served.connect()
    await startTurn(client)
    expect(replyOf(await client.end("r1"))).toBe("Sorry.")
    expect(chunksOf(client)).toMatchObject([
      { toolCall: { name: "look", arguments: { _raw: '{"n": ' } } },
      { toolResult: { name: "look", isError: true } },
    ])
    expect(ran).toEqual([])
  })

  it("T17: usage is the sum over the model calls of this turn only", async () => {
    const { models } = inOrder([
      [{ call: { tool: "look", input: {} } }, { usage: { input: 100, output: 20 } }],
      [say("one"), { usage: { input: 7, output: 3 } }],
      [say("two"), { usage: { input: 1, output: 1 } }],
    ])
    const priced = { resolve: async (name: string) => ({ ...(await models.resolve(name)), costUsd: () => 0.25 }) }
    const { served } = await world([], [look], {}, {}, { models: priced })
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    expect(await client.end("r1")).toMatchObject({
      data: { data: { usage: { costUsd: 0.5, promptTokens: 107, completionTokens: 23 } } },
    })
    expect(await runTurn(client, sessionId, "again")).toMatchObject({
      data: { data: { usage: { costUsd: 0.25, promptTokens: 1, completionTokens: 1 } } },
    })
  })

  it("T18: reasoning has its own event, and is neither in the reply nor in the history", async () => {
    const { models, requests } = inOrder([[{ reasoning: "Let me think." }, say("Yes.")], [say("Still yes.")]])
    const { served } = await world([], [], {}, {}, { models })
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    expect(replyOf(await client.end("r1"))).toBe("Yes.")
    const thoughts = client.of("r1").flatMap((frame) => (frame.type === "stream_reasoning" ? frame.token : []))
    expect([thoughts.join(""), tokensOf(client)]).toEqual(["Let me think.", "Yes."])
    await runTurn(client, sessionId, "sure?")
    expect(JSON.stringify(requests[1]?.prompt)).not.toContain("Let me think.")
    expect(JSON.stringify((await messagesOf(client, sessionId)).rows)).not.toContain("Let me think.")
  })

  it("T20: a message can choose the model of its turn; the next turn uses the default again", async () => {
    const { models } = inOrder([[say("one")], [say("two")]])
    const names: string[] = []
    const noting = { resolve: (name: string) => (names.push(name), models.resolve(name)) }
    const { served } = await world([], [], {}, {}, { models: noting })
    const client = await served.connect()
    const { sessionId } = await client.create()
    client.say({ action: "send_message", requestId: "r1", sessionId, message: "hi", model: "other/model" })
    await client.end("r1")
    const during = new Set(names.splice(0))
    await runTurn(client, sessionId, "again")
    expect([during, new Set(names)]).toEqual([new Set(["other/model"]), new Set(["m"])])
  })

  it.each([
    [100_000, 8192],
    [512, 512],
  ])("T23: for a model with a limit of %i tokens, %i are requested", async (maxOutput, expected) => {
    const models = scriptedSource([[say("one")]], { maxOutput })
    const { served } = await world([], [], {}, {}, { models })
    const client = await served.connect()
    await startTurn(client)
    await client.end("r1")
    expect(models.model.calls[0]?.maxOutputTokens).toBe(expected)
  })

  it("T24: an endless loop stops after 20 model calls, with the last text as reply", async () => {
    const endless = Array.from({ length: 30 }, (_, n): readonly Part[] => [
      say(`Step ${n + 1}.`),
      { call: { tool: "look", input: {} } },
    ])
    const { models, requests } = inOrder(endless)
    const { served } = await world([], [look], {}, {}, { models })
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    expect(replyOf(await client.end("r1"))).toBe("Step 20.")
    expect(requests).toHaveLength(20)
    expect((await messagesOf(client, sessionId)).rows.map(({ text }) => text)).toEqual(["Step 20.", "hi"])
  })

  it("T26: the model gets the newest 50 messages, and a page has at most 100 rows", async () => {
    const { models, requests } = inOrder(Array.from({ length: 52 }, (_, n) => [say(`answer ${n}.`)]))
    const { served } = await world([], [], {}, {}, { models })
    const client = await served.connect()
    const { sessionId } = await client.create()
    for (let n = 0; n < 52; n++) await runTurn(client, sessionId, `question ${n}.`)
    const prompt = JSON.stringify(requests.at(-1)?.prompt)
    expect([prompt.includes("answer 50."), prompt.includes("question 51."), prompt.includes("question 27.")]).toEqual([
      true,
      true,
      true,
    ])
    expect(prompt).not.toContain("question 20.")
    expect(requests.at(-1)?.prompt.filter(({ role }) => role !== "system").length).toBeLessThanOrEqual(51)
    const page = await messagesOf(client, sessionId, { limit: 1000 })
    expect([page.rows.length, page.hasMore, page.rows[0]?.text]).toEqual([100, true, "answer 51."])
  })
})
