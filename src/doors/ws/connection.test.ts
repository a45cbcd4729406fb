import { describe, expect, it, vi } from "vitest"
import { refused } from "../../log/event-log.ts"
import { gate } from "../../testing/gate.ts"
import { type WsClient, wsWorlds } from "../../testing/doors/served-ws.ts"

const world = wsWorlds()

async function startTurn(client: WsClient, message = "hi", requestId = "r1") {
  const visit = await client.create()
  client.say({ action: "send_message", requestId, sessionId: visit.sessionId, message })
  return visit
}

describe("a socket that closes", () => {
  it("leaves its turn running; a client that returns gets the turn from its beginning under its original id", async () => {
    const door = gate()
    const { served } = await world([[{ chunks: ["one ", "two "] }, { gate: door }, { chunks: ["three"] }]])
    const first = await served.connect()
    const { conversationId } = await startTurn(first)
    await first.until(() => first.types("r1").filter((type) => type === "stream_token").length === 2)
    await first.close()
    const second = await served.connect()
    const again = await second.create({ conversationId })
    expect(again.conversationId).toBe(conversationId)
    await second.next("stream_token", "r1")
    expect(
      await second.ask({ action: "send_message", requestId: "s1", sessionId: again.sessionId, message: "x" }),
    ).toMatchObject({ error: { code: "TURN_IN_PROGRESS" } })
    door.open()
    expect(await second.end("r1")).toMatchObject({
      data: { data: { response: { responseParts: ["one two three"] } } },
    })
    const said = second.of("r1").flatMap((frame) => (frame.type === "stream_token" ? frame.token : []))
    expect(said.join("")).toBe("one two three")
    expect(second.frames[0]).toMatchObject({ type: "immediate_response", message: "Session created" })
  })

  it("loses nothing of a message that is being accepted", async () => {
    const { served, host } = await world([[{ text: "one" }]])
    const client = await served.connect()
    const { conversationId } = await startTurn(client)
    client.socket.terminate()
    await client.closed
    const other = await served.connect()
    const { sessionId } = await other.create({ conversationId })
    const opened = await host.open(conversationId)
    if (opened.kind === "refused") throw new Error(opened.refusal.code)
    const { session } = opened
    await new Promise<void>((resolve) => {
      const look = () => session.state.turn === undefined && session.state.restingPlaces.length > 0 && resolve()
      session.watch(look)
      look()
    })
    const page = await other.ask({ action: "get_conversation_messages", requestId: "m", sessionId })
    expect(JSON.stringify(page)).toContain('"text":"one"')
  })

  it("stops watching its conversations", async () => {
    const { served } = await world([[{ text: "one" }]])
    const client = await served.connect()
    await startTurn(client)
    await client.end("r1")
    expect(served.door.watched).toBe(1)
    await client.close()
    await served.upgrades.closeAll(1001, "")
    expect(served.door.watched).toBe(0)
  })
})

describe("a misbehaving client", () => {
  it("loses its own socket, and no other, by a frame that is too large", async () => {
    const { served } = await world([], [], {}, { limits: { frameBytes: 2000 } })
    const [bad, good] = [await served.connect(), await served.connect()]
    bad.say({ action: "ping", requestId: "x".repeat(3000) })
    expect(await bad.closed).toMatchObject({ code: 1009 })
    await good.settled()
    expect(good.types(undefined)).toEqual([])
  })

  it("is disconnected when it does not read its responses, and delays no other client", async () => {
    const limits = { behindBytes: 10_000, outboxBytes: 100_000 }
    const long = Array.from({ length: 100 }, () => "x".repeat(100))
    const { served } = await world([[{ chunks: long }]], [], {}, { limits })
    const [stalled, reader] = [await served.connect(), await served.connect()]
    const { sessionId } = await startTurn(stalled)
    await stalled.end("r1")
    stalled.socket.pause()
    for (let n = 0; n < 1500; n++) {
      if (n % 5 === 0) await reader.settled() // is still served
      stalled.say({ action: "get_conversation_messages", requestId: "m", sessionId })
    }
    await expect.poll(() => served.upgrades.size, { timeout: 20_000 }).toBe(1)
    await reader.settled()
  })
})

describe("a conversation that cannot be watched", () => {
  it("closes its sockets, whose clients can return to it", async () => {
    const door = gate()
    const { served, host } = await world([[{ chunks: ["one "] }, { gate: door }, { text: "two" }]])
    const client = await served.connect()
    const { conversationId } = await startTurn(client)
    await client.next("stream_token", "r1")
    await host.closeSession(conversationId)
    expect(await client.closed).toMatchObject({ code: 1012 })
    door.open()
    const again = await served.connect()
    await again.create({ conversationId })
    expect(await again.end("r1")).toMatchObject({ data: { data: { response: { responseParts: ["one two"] } } } })
  })

  it("returns STORAGE_ERROR to a message, and accepts the next message once the log can be read", async () => {
    const { served, log } = await world([[{ text: "one" }]])
    const client = await served.connect()
    const { sessionId } = await client.create()
    const unreadable = refused({ code: "log.unavailable", what: "the disk is gone" })
    const read = vi.spyOn(log, "read").mockResolvedValue(unreadable)
    const message = { action: "send_message", sessionId, message: "hi" }
    expect(await client.ask({ ...message, requestId: "r1" })).toMatchObject({ error: { code: "STORAGE_ERROR" } })
    read.mockRestore()
    client.say({ ...message, requestId: "r2" })
    expect(await client.end("r2")).toMatchObject({ data: { data: { response: { responseParts: ["one"] } } } })
  })
})

describe("an idle socket", () => {
  it("stops watching its conversation until the next message", async () => {
    let now = 1000
    const { served } = await world(
      [[{ text: "one" }], [{ text: "two" }]],
      [],
      {},
      { now: () => now, limits: { restMs: 10 } },
    )
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    await client.end("r1")
    now += 1000
    await expect.poll(() => served.door.watched).toBe(0)
    client.say({ action: "send_message", requestId: "r2", sessionId, message: "still there?" })
    expect(await client.end("r2")).toMatchObject({ data: { data: { response: { responseParts: ["two"] } } } })
  })
})
