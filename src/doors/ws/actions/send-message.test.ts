import { describe, expect, it } from "vitest"
import { gate } from "../../../testing/gate.ts"
import { history, testTool } from "../../../testing/test-host.ts"
import { type WsClient, wsWorlds } from "../../../testing/doors/served-ws.ts"

const world = wsWorlds()

async function startTurn(client: WsClient, message = "hi", requestId = "r1") {
  const visit = await client.create()
  client.say({ action: "send_message", requestId, sessionId: visit.sessionId, message })
  return visit
}

describe("a turn", () => {
  it("is acknowledged, streamed and ended once", async () => {
    const { served } = await world([[{ chunks: ["Hel", "lo ", "😀"] }]])
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    await client.end("r1")
    await client.settled()
    expect(client.types("r1")).toEqual([
      "immediate_response",
      "stream_token",
      "stream_token",
      "stream_token",
      "eventual_response",
    ])
    expect(client.of("r1")[0]).toMatchObject({ status: 202, message: "Processing your request...", data: {} })
    const said = client.of("r1").flatMap((frame) => (frame.type === "stream_token" ? frame.token : []))
    expect(said.join("")).toBe("Hello 😀")
    const page = await client.ask({ action: "get_conversation_messages", requestId: "m", sessionId })
    expect(page).toMatchObject({
      status: 200,
      data: {
        messages: [
          { direction: "outbound", content: { text: "Hello 😀" } },
          { direction: "inbound", content: { text: "hi" } },
        ],
        nextCursor: null,
        hasMore: false,
      },
    })
    expect(client.of("r1").at(-1)).toMatchObject({
      data: { data: { messageId: Reflect.get(Object(page), "data").messages[0].id } },
    })
  })

  it("sends tool calls between tokens; the last text is the reply", async () => {
    const look = testTool("look", () => ({ outcome: "done", output: "a teapot" }), { class: "read" })
    const { served } = await world(
      [[{ text: "Let me see." }, { call: { tool: "look", input: { n: 1 } } }], [{ text: "A teapot." }]],
      [look],
    )
    const client = await served.connect()
    await startTurn(client)
    expect(await client.end("r1")).toMatchObject({ data: { data: { response: { responseParts: ["A teapot."] } } } })
    const chunks = client.of("r1").flatMap((frame) => (frame.type === "stream_chunk" ? frame.data.state : []))
    expect(chunks).toEqual([
      { rawResponse: { toolCall: { name: "look", arguments: { n: 1 } } } },
      { rawResponse: { toolResult: { name: "look", isError: false, result: "a teapot" } } },
    ])
  })

  it("frees the socket for the next turn, which has the first in its context", async () => {
    const { served, source } = await world([[{ text: "one" }], [{ text: "two" }]])
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    await client.end("r1")
    client.say({ action: "send_message", requestId: "r2", sessionId, message: "again" })
    expect(await client.end("r2")).toMatchObject({ type: "eventual_response" })
    expect(JSON.stringify(source.model.calls.at(-1)?.prompt)).toContain("one")
  })

  it("passes images to the model, and files only to tools", async () => {
    const { served, source } = await world([[{ text: "A cat." }]])
    const client = await served.connect()
    const { sessionId } = await client.create()
    const images = [
      { url: "data:image/png;base64,QUJD" },
      { url: "https://pictures.example/cat.png" },
      { url: 7 },
      "no",
    ]
    const files = [{ name: "secret.txt", url: "data:text/plain,hello" }, { name: "x".repeat(256), url: "data:,a" }, {}]
    client.say({ action: "send_message", requestId: "r1", sessionId, message: "What is it?", images, files })
    expect(await client.end("r1")).toMatchObject({ type: "eventual_response" })
    const asked = source.model.calls[0]?.prompt.findLast(({ role }) => role === "user")
    expect(asked?.content).toMatchObject([
      { type: "text", text: "What is it?" },
      { type: "file", mediaType: "image/png" },
      { type: "file", mediaType: "image/*" },
    ])
    expect(JSON.stringify(asked)).not.toContain("secret.txt")
  })

  it("a failed turn sends a safe text and frees the socket", async () => {
    const { served } = await world([[{ error: { message: "key sk-1 refused", status: 401 } }]])
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    const end = await client.end("r1")
    expect(end).toMatchObject({ type: "error", error: { code: "AGENT_ERROR" } })
    expect(JSON.stringify(end)).not.toContain("sk-1")
    expect(await client.ask({ action: "send_message", requestId: "r2", sessionId, message: "x" })).toMatchObject({
      status: 202,
    })
  })

  it("a second message on the socket is refused and not stored", async () => {
    const door = gate()
    const { served, log } = await world([[{ gate: door }, { text: "done" }]])
    const client = await served.connect()
    const { sessionId, conversationId } = await startTurn(client)
    await door.arrived
    const other = await client.create()
    expect(
      await client.ask({ action: "send_message", requestId: "r2", sessionId: other.sessionId, message: "x" }),
    ).toMatchObject({ error: { code: "TURN_IN_PROGRESS" } })
    expect(await client.ask({ action: "send_message", requestId: "r3", sessionId, message: "x" })).toMatchObject({
      error: { code: "TURN_IN_PROGRESS" },
    })
    door.open()
    expect(await client.end("r1")).toMatchObject({ type: "eventual_response" })
    const admitted = (await history(log, conversationId)).filter(({ type }) => type === "prompt.admitted")
    expect(admitted).toHaveLength(1)
  })

  it("a message from another socket waits for the running turn", async () => {
    const door = gate()
    const { served } = await world([[{ gate: door }, { text: "one" }], [{ text: "two" }]])
    const [first, second] = [await served.connect(), await served.connect()]
    const { sessionId } = await startTurn(first)
    await door.arrived
    expect(await second.ask({ action: "send_message", requestId: "s1", sessionId, message: "me too" })).toMatchObject({
      status: 202,
    })
    door.open()
    expect(await second.end("s1")).toMatchObject({ data: { data: { response: { responseParts: ["two"] } } } })
    expect(await first.end("r1")).toMatchObject({ data: { data: { response: { responseParts: ["one"] } } } })
    await Promise.all([first.settled(), second.settled()])
    expect([first.of("s1"), second.of("r1")]).toEqual([[], []])
  })
})

describe("cancel", () => {
  it("ends the turn of this socket at once, and keeps only the visitor's message", async () => {
    const door = gate()
    const { served } = await world([[{ chunks: ["one "] }, { gate: door }, { text: "two" }], [{ text: "next" }]])
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    await client.next("stream_token", "r1")
    client.say({ action: "cancel", requestId: "whatever", sessionId }, { action: "cancel", requestId: "r1", sessionId })
    expect(await client.end("r1")).toMatchObject({ type: "cancelled", requestId: "r1", data: { status: 499 } })
    client.say({ action: "send_message", requestId: "r2", sessionId, message: "and now" })
    expect(await client.end("r2")).toMatchObject({ type: "eventual_response" })
    expect(client.types("r1").filter((type) => type === "cancelled")).toHaveLength(1)
    expect(client.of("whatever")).toEqual([])
    const page = await client.ask({ action: "get_conversation_messages", requestId: "m", sessionId })
    expect(JSON.stringify(page)).not.toContain("one ")
  })

  it("withdraws a message that waits for its turn", async () => {
    const door = gate()
    const { served, log } = await world([[{ gate: door }, { text: "one" }]])
    const [first, second] = [await served.connect(), await served.connect()]
    const { sessionId, conversationId } = await startTurn(first)
    await door.arrived
    await second.ask({ action: "send_message", requestId: "s1", sessionId, message: "me too" })
    second.say({ action: "cancel", requestId: "s1", sessionId })
    expect(await second.end("s1")).toMatchObject({ type: "cancelled" })
    door.open()
    expect(await first.end("r1")).toMatchObject({ type: "eventual_response" })
    const types = (await history(log, conversationId)).map(({ type }) => type)
    expect(types.filter((type) => type === "turn.started")).toHaveLength(1)
  })

  it("on another socket does nothing and sends nothing", async () => {
    const door = gate()
    const { served } = await world([[{ gate: door }, { text: "one" }]])
    const [first, second] = [await served.connect(), await served.connect()]
    const { sessionId } = await startTurn(first)
    await door.arrived
    second.say({ action: "cancel", requestId: "r1", sessionId })
    await second.settled()
    expect(second.frames).toHaveLength(1)
    door.open()
    expect(await first.end("r1")).toMatchObject({ type: "eventual_response" })
  })
})
