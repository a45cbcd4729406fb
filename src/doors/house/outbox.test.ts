import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { StubConnection } from "../../testing/doors/stub-port.ts"
import { doorLimits } from "./limits.ts"
import { Outbox } from "./outbox.ts"

const hello = { type: "answer", id: "1", value: "hello" } as const

describe("an outbox", () => {
  let connection: StubConnection
  let outbox: Outbox
  beforeEach(() => {
    vi.useFakeTimers()
    connection = new StubConnection()
    outbox = new Outbox(connection, doorLimits)
  })
  afterEach(() => void vi.useRealTimers())

  it("is full past a bound, and not before", () => {
    connection.waiting = doorLimits.outboxBytes
    expect(outbox.isFull).toBe(false)
    connection.waiting += 1
    expect(outbox.isFull).toBe(true)
  })

  it("cuts off who does not read its answers, and says why first", () => {
    connection.waiting = doorLimits.answersBytes + 1
    outbox.say(hello)
    outbox.say(hello)
    outbox.tell(Buffer.from("{}\n"))
    expect(connection.frames).toEqual([
      { type: "refused", refusal: { code: "frame.bad", what: expect.stringContaining("answers were not read") } },
    ])
    expect(connection.isEnded).toBe(true)
  })

  it("does not wait for ever until the last words are read", () => {
    outbox.cutOff({ code: "key.bad" })
    expect(connection.isDestroyed).toBe(false)
    vi.advanceTimersByTime(doorLimits.lastWordsMs)
    expect(connection.isDestroyed).toBe(true)
  })

  it("cuts off who leaves it full for too long", () => {
    connection.waiting = doorLimits.outboxBytes + 1
    outbox.say(hello)
    vi.advanceTimersByTime(doorLimits.stalledMs - 1)
    expect(connection.isEnded).toBe(false)
    vi.advanceTimersByTime(1)
    expect(connection.isEnded).toBe(true)
    expect(connection.frames.at(-1)).toMatchObject({ refusal: { what: expect.stringContaining("nothing was read") } })
  })

  it("leaves in peace who reads in time", async () => {
    connection.waiting = doorLimits.outboxBytes + 1
    const emptied = outbox.emptied()
    vi.advanceTimersByTime(doorLimits.stalledMs - 1)
    connection.drain()
    await emptied
    vi.advanceTimersByTime(doorLimits.stalledMs)
    expect(connection.isEnded).toBe(false)
  })

  it("does not send a line that the other side would not take", () => {
    outbox.say({ type: "answer", id: "1", value: "x".repeat(33 * 1024 * 1024) })
    expect(connection.frames).toMatchObject([{ type: "refused", id: "1", refusal: { code: "frame.bad" } }])
  })
})
