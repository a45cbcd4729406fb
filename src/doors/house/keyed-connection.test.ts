import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { StubConnection, StubSession, stubId, stubPort } from "../../testing/doors/stub-port.ts"
import { HouseConnection, type Pass } from "./connection.ts"
import { houseLimits } from "../../protocols/house/limits.ts"

const hello = { type: "hello", version: 1, key: "good" }
const ask = { type: "query", id: "1", query: { type: "host" } }

describe("a connection that needs a key", () => {
  let connection: StubConnection
  let isValid: boolean
  const closed = stubPort(new StubSession(), { query: async () => Promise.reject(new Error("not for everybody")) })
  const opened = stubPort(new StubSession())
  const pass: Pass = { principal: "lnk_1", port: opened, isValid: () => isValid }
  const admit = async (key: string | undefined) => (key === "good" ? pass : undefined)

  function door(): (frame: object) => void {
    const by = { principal: "nobody", door: "house" }
    const made = new HouseConnection(connection, { port: closed, by, host: "h", role: "serve", release: "1", admit })
    return (frame) => made.receive({ kind: "line", text: JSON.stringify(frame) })
  }

  beforeEach(() => {
    vi.useFakeTimers()
    connection = new StubConnection()
    isValid = true
  })
  afterEach(() => {
    connection.destroy()
    vi.useRealTimers()
  })

  it("answers nothing before the key, and afterwards only from the port that the key opens", async () => {
    const say = door()
    say(ask)
    expect(connection.frames).toMatchObject([{ type: "refused", id: "1", refusal: { what: "send hello first" } }])
    say(hello)
    say(ask)
    expect(connection.frames).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(0)
    say(ask)
    await vi.advanceTimersByTimeAsync(0)
    expect(connection.frames.slice(2)).toMatchObject([
      { type: "hello" },
      { type: "refused", refusal: { code: "host.leaving" } },
    ])
  })

  it("is closed for good after a wrong key", async () => {
    const say = door()
    say({ ...hello, key: "bad" })
    await vi.advanceTimersByTimeAsync(0)
    say(hello)
    await vi.advanceTimersByTimeAsync(0)
    expect(connection.frames).toEqual([{ type: "refused", refusal: { code: "key.bad" } }])
    expect(connection.isEnded).toBe(true)
  })

  it("refuses a second hello while the first is being checked", async () => {
    const say = door()
    say({ ...hello, key: "bad" })
    say(hello)
    expect(connection.frames).toMatchObject([{ refusal: { what: "hello was already sent" } }])
  })

  it("is closed when no hello comes in time", async () => {
    door()
    await vi.advanceTimersByTimeAsync(houseLimits.helloMs)
    expect(connection.frames).toMatchObject([
      { refusal: { code: "frame.bad", what: expect.stringContaining("hello") } },
    ])
    expect(connection.isEnded).toBe(true)
  })

  it("is closed as soon as the key is not valid any more, with the next frame or without one", async () => {
    for (const comes of [true, false]) {
      connection = new StubConnection()
      isValid = true
      const say = door()
      say(hello)
      await vi.advanceTimersByTimeAsync(0)
      isValid = false
      if (comes) say({ type: "send", id: "2", sessionId: stubId, command: { type: "interrupt" } })
      else await vi.advanceTimersByTimeAsync(houseLimits.keyCheckMs)
      expect(connection.frames.slice(1)).toEqual([{ type: "refused", refusal: { code: "key.bad" } }])
      expect(connection.isEnded).toBe(true)
      connection.destroy()
    }
  })
})
