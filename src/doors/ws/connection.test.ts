import { describe, expect, it, vi } from "vitest"
import { refused } from "../../log/outcome.ts"
import { gate } from "../../testing/gate.ts"
import type { WsClient } from "../../testing/doors/served-ws.ts"
import { wsWorlds } from "../../testing/doors/ws-worlds.ts"

const world = wsWorlds()

async function talking(client: WsClient, message = "hi", requestId = "r1") {
  const visit = await client.create()
  client.say({ action: "send_message", requestId, sessionId: visit.sessionId, message })
  return visit
}

describe("a socket that closes", () => {
  it("leaves its turn running, and whoever comes back is told it from its beginning under its own id", async () => {
    const door = gate()
    const { served } = await world([[{ chunks: ["one ", "two "] }, { gate: door }, { chunks: ["three"] }]])
    const first = await served.connect()
    const { conversationId } = await talking(first)
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

  it("while its message is being taken loses nothing of it", async () => {
    const { served, host } = await world([[{ text: "one" }]])
    const client = await served.connect()
    const { conversationId } = await talking(client)
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

  it("is not remembered, and its conversations are not followed any more", async () => {
    const { served } = await world([[{ text: "one" }]])
    const client = await served.connect()
    await talking(client)
    await client.end("r1")
    expect(served.door.watched).toBe(1)
    await client.close()
    await served.upgrades.closeAll(1001, "")
    expect(served.door.watched).toBe(0)
  })
})

describe("clients that behave badly", () => {
  it("lose their own socket by a frame that is too large, and nobody else's", async () => {
    const { served } = await world([], [], {}, { limits: { frameBytes: 2000 } })
    const [bad, good] = [await served.connect(), await served.connect()]
    bad.say({ action: "ping", requestId: "x".repeat(3000) })
    expect(await bad.closed).toMatchObject({ code: 1009 })
    await good.settled()
    expect(good.types(undefined)).toEqual([])
  })

  it("are let go when they do not read what they ask for, and stall nobody", async () => {
    const limits = { behindBytes: 10_000, outboxBytes: 100_000 }
    const long = Array.from({ length: 100 }, () => "x".repeat(100))
    const { served } = await world([[{ chunks: long }]], [], {}, { limits })
    const [stalled, reader] = [await served.connect(), await served.connect()]
    const { sessionId } = await talking(stalled)
    await stalled.end("r1")
    stalled.socket.pause()
    for (let n = 0; n < 1500; n++) {
      if (n % 5 === 0) await reader.settled() // served all the while
      stalled.say({ action: "get_conversation_messages", requestId: "m", sessionId })
    }
    await expect.poll(() => served.upgrades.size, { timeout: 20_000 }).toBe(1)
    await reader.settled()
  })
})

describe("a conversation that is out of reach", () => {
  it("closes its sockets, which can come back to it", async () => {
    const door = gate()
    const { served, host } = await world([[{ chunks: ["one "] }, { gate: door }, { text: "two" }]])
    const client = await served.connect()
    const { conversationId } = await talking(client)
    await client.next("stream_token", "r1")
    await host.closeSession(conversationId)
    expect(await client.closed).toMatchObject({ code: 1012 })
    door.open()
    const again = await served.connect()
    await again.create({ conversationId })
    expect(await again.end("r1")).toMatchObject({ data: { data: { response: { responseParts: ["one two"] } } } })
  })

  it("from the beginning is an error for whoever wants to speak in it, and keeps nobody else waiting", async () => {
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

describe("a socket on which nothing happens", () => {
  it("does not follow its conversation any more, until the next word", async () => {
    let now = 1000
    const { served } = await world(
      [[{ text: "one" }], [{ text: "two" }]],
      [],
      {},
      { now: () => now, limits: { restMs: 10 } },
    )
    const client = await served.connect()
    const { sessionId } = await talking(client)
    await client.end("r1")
    now += 1000
    await expect.poll(() => served.door.watched).toBe(0)
    client.say({ action: "send_message", requestId: "r2", sessionId, message: "still there?" })
    expect(await client.end("r2")).toMatchObject({ data: { data: { response: { responseParts: ["two"] } } } })
  })
})
