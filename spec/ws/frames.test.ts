// Cases E01 to E09: frames before any action. Every frame is checked against its schema.
import { describe, expect, it } from "vitest"
import { wsWorlds } from "../../src/testing/doors/served-ws.ts"

const world = wsWorlds()

describe("frames", () => {
  it.each(["null", "7", '"ping"', "true", '[{"action":"ping"}]', ""])(
    "E02: JSON that is not an object gets VALIDATION_ERROR without an id, and the socket stays open: %s",
    async (text) => {
      const { served } = await world([])
      const client = await served.connect()
      client.say(text)
      await client.settled()
      const [error] = client.frames
      expect(error).toMatchObject({ type: "error", error: { code: "VALIDATION_ERROR" } })
      expect(error).not.toHaveProperty("requestId")
      expect(error).toHaveProperty("data.error.code", "VALIDATION_ERROR")
    },
  )

  it.each([7, null, {}, [["a"]], true])(
    "E04: a request id that is not a string counts as absent: %j",
    async (requestId) => {
      const { served } = await world([])
      const client = await served.connect()
      client.say({ action: "ping", requestId }, { action: "dance", requestId })
      await client.settled()
      const types = client.types(undefined).toSorted() // responses may overtake each other
      expect(types).toEqual(["error", "pong"])
    },
  )

  it.each(["PING", "Ping", " ping", "get_messages", "constructor", "__proto__", ""])(
    "E05: unknown actions are refused; names are case-sensitive: %j",
    async (action) => {
      const { served } = await world([])
      const client = await served.connect()
      expect(await client.ask({ action, requestId: "a" })).toMatchObject({ error: { code: "UNSUPPORTED_ACTION" } })
    },
  )

  it("E08: a ping without an id gets a pong without one, with the timestamp twice", async () => {
    const { served } = await world([])
    const client = await served.connect()
    client.say({ action: "ping" })
    const pong = await client.next("pong")
    expect(pong).toEqual({ type: "pong", data: { timestamp: pong.timestamp }, timestamp: pong.timestamp })
  })

  it("E09: every frame has an integer timestamp", async () => {
    const { served } = await world([[{ text: "one" }]], [], {}, { now: () => 1_763_000_000_000 })
    const client = await served.connect()
    const { sessionId } = await client.create()
    client.say("nonsense", { action: "send_message", requestId: "r1", sessionId, message: "hi" })
    await client.end("r1")
    await client.settled()
    expect(new Set(client.frames.map(({ timestamp }) => timestamp))).toEqual(new Set([1_763_000_000_000]))
    expect(client.frames.length).toBeGreaterThan(4)
  })
})
