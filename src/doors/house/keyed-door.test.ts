import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { StubConnection, StubSession, stubId, stubPort } from "../../testing/doors/stub-port.ts"
import { HouseDoor, type Pass } from "./house-door.ts"
import { doorLimits } from "./limits.ts"

const hello = { type: "hello", version: 1, key: "good" }
const ask = { type: "query", id: "1", query: { type: "host" } }

describe("a door that needs a key", () => {
  let connection: StubConnection
  let isGood: boolean
  const closed = stubPort(new StubSession(), { query: async () => Promise.reject(new Error("not for everybody")) })
  const opened = stubPort(new StubSession())
  const pass: Pass = { principal: "lnk_1", port: opened, isGood: () => isGood }
  const admit = async (key: string | undefined) => (key === "good" ? pass : undefined)

  function door(): (frame: object) => void {
    const by = { principal: "nobody", door: "house" }
    const made = new HouseDoor(connection, { port: closed, by, host: "h", role: "serve", release: "1", admit })
    return (frame) => made.receive({ kind: "line", text: JSON.stringify(frame) })
  }

  beforeEach(() => {
    vi.useFakeTimers()
    connection = new StubConnection()
    isGood = true
  })
  afterEach(() => {
    connection.destroy()
    vi.useRealTimers()
  })

  it("says nothing before it has seen one, and then speaks of what that opens", async () => {
    const say = door()
    say(ask)
    expect(connection.frames).toMatchObject([{ type: "refused", id: "1", refusal: { what: "say hello first" } }])
    say(hello)
    say(ask)
    expect(connection.frames).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(0)
    say(ask)
    await vi.advanceTimersByTimeAsync(0)
    expect(connection.frames.slice(2)).toMatchObject([{ type: "hello" }, { type: "answer", value: { asked: "host" } }])
  })

  it("is shut for good to who comes with a wrong one", async () => {
    const say = door()
    say({ ...hello, key: "bad" })
    await vi.advanceTimersByTimeAsync(0)
    say(hello)
    await vi.advanceTimersByTimeAsync(0)
    expect(connection.frames).toEqual([{ type: "refused", refusal: { code: "key.bad" } }])
    expect(connection.isEnded).toBe(true)
  })

  it("takes one at a time", async () => {
    const say = door()
    say({ ...hello, key: "bad" })
    say(hello)
    expect(connection.frames).toMatchObject([{ refusal: { what: "hello was said already" } }])
  })

  it("does not wait for ever for it", async () => {
    door()
    await vi.advanceTimersByTimeAsync(doorLimits.helloMs)
    expect(connection.frames).toMatchObject([
      { refusal: { code: "frame.bad", what: expect.stringContaining("hello") } },
    ])
    expect(connection.isEnded).toBe(true)
  })

  it("is shut at once when it is not good any more, with a frame or without", async () => {
    for (const comes of [true, false]) {
      connection = new StubConnection()
      isGood = true
      const say = door()
      say(hello)
      await vi.advanceTimersByTimeAsync(0)
      isGood = false
      if (comes) say({ type: "send", id: "2", sessionId: stubId, command: { type: "interrupt" } })
      else await vi.advanceTimersByTimeAsync(doorLimits.keyLookMs)
      expect(connection.frames.slice(1)).toEqual([{ type: "refused", refusal: { code: "key.bad" } }])
      expect(connection.isEnded).toBe(true)
      connection.destroy()
    }
  })
})
