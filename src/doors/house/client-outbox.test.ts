import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { houseLimits } from "../../protocols/house/limits.ts"
import { StubConnection } from "../../testing/doors/stub-port.ts"
import { ClientOutbox } from "./client-outbox.ts"

const hello = { type: "answer", id: "1", value: "hello" } as const

describe("the outbox of a client of the house wire", () => {
  let connection: StubConnection
  let outbox: ClientOutbox
  beforeEach(() => {
    vi.useFakeTimers()
    connection = new StubConnection()
    outbox = new ClientOutbox(connection, houseLimits)
  })
  afterEach(() => void vi.useRealTimers())

  it("is full past the limit of unread bytes, and not before", () => {
    connection.waiting = houseLimits.outboxBytes
    expect(outbox.isFull()).toBe(false)
    connection.waiting += 1
    expect(outbox.isFull()).toBe(true)
  })

  it("disconnects a client that does not read its replies, and sends the reason as the last frame", () => {
    connection.waiting = houseLimits.outboxBytes + 1
    const value = "x".repeat(houseLimits.repliesBytes / 2)
    for (const id of ["1", "2", "3"]) outbox.reply({ type: "answer", id, value })
    outbox.update(Buffer.from("{}\n"))
    expect(connection.frames).toMatchObject([
      { type: "answer", id: "1" },
      { type: "answer", id: "2" },
      { type: "refused", refusal: { code: "frame.bad", what: expect.stringContaining("answers were not read") } },
    ])
    expect(connection.isEnded).toBe(true)
  })

  it("keeps replies in order for a client that reads late", async () => {
    connection.waiting = houseLimits.outboxBytes + 1
    for (const id of ["1", "2"]) outbox.reply({ ...hello, id })
    expect(connection.frames).toEqual([])
    connection.drain()
    await outbox.emptied()
    outbox.reply({ ...hello, id: "3" })
    expect(connection.frames.map(({ id }) => id)).toEqual(["1", "2", "3"])
  })

  it("destroys the connection when the reason is not read in time", () => {
    outbox.disconnect({ code: "key.bad" })
    expect(connection.isDestroyed).toBe(false)
    vi.advanceTimersByTime(houseLimits.closeMs)
    expect(connection.isDestroyed).toBe(true)
  })

  it("disconnects a client that leaves it full for too long", () => {
    connection.waiting = houseLimits.outboxBytes + 1
    outbox.reply(hello)
    vi.advanceTimersByTime(houseLimits.stalledMs - 1)
    expect(connection.isEnded).toBe(false)
    vi.advanceTimersByTime(1)
    expect(connection.isEnded).toBe(true)
    expect(connection.frames.at(-1)).toMatchObject({ refusal: { what: expect.stringContaining("nothing was read") } })
  })

  it("keeps a client that reads in time", async () => {
    connection.waiting = houseLimits.outboxBytes + 1
    const emptied = outbox.emptied()
    vi.advanceTimersByTime(houseLimits.stalledMs - 1)
    connection.drain()
    await emptied
    vi.advanceTimersByTime(houseLimits.stalledMs)
    expect(connection.isEnded).toBe(false)
  })

  it("refuses an answer that is longer than a line may be", () => {
    outbox.reply({ type: "answer", id: "1", value: "x".repeat(houseLimits.lineBytes) })
    expect(connection.frames).toMatchObject([{ type: "refused", id: "1", refusal: { code: "frame.bad" } }])
  })
})
