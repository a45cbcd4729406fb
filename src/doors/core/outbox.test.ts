import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { Outbox, type Amount, type ClientStream, type OutboxOptions } from "./outbox.ts"

/** A client that reads as long as `isBehind` is false; it is behind again once it holds `room` unread frames. */
class TestStream implements ClientStream<string> {
  readonly frames: string[] = []
  isBehind = false
  room = Infinity
  readonly #closed = Promise.withResolvers<void>()
  readonly closed = this.#closed.promise
  #drained = Promise.withResolvers<void>()
  #unread = 0

  write(frame: string): void {
    this.frames.push(frame)
    this.#unread += 1
    if (this.#unread >= this.room) this.isBehind = true
  }

  drained(): Promise<void> {
    return this.#drained.promise
  }

  async drain(): Promise<void> {
    this.#unread = 0
    this.isBehind = false
    this.#drained.resolve()
    this.#drained = Promise.withResolvers()
    await settled()
  }

  async close(): Promise<void> {
    this.#closed.resolve()
    this.#drained.resolve()
    await settled()
  }
}

async function settled(): Promise<void> {
  for (let n = 0; n < 10; n++) await Promise.resolve()
}

const unlimited: Amount = { frames: Infinity, bytes: Infinity }

describe("the outbox of a client", () => {
  let stream: TestStream
  beforeEach(() => (stream = new TestStream()))
  afterEach(() => void vi.useRealTimers())

  function outbox(change: Partial<OutboxOptions<string>> = {}): Outbox<string> {
    const limits = { reply: unlimited, update: unlimited }
    return new Outbox(stream, { limits, sizeOf: (frame) => frame.length, ...change })
  }

  it("writes frames at once while the client reads", () => {
    const box = outbox()
    box.offer("a")
    box.offer("b", "reply")
    expect(stream.frames).toEqual(["a", "b"])
  })

  it("keeps frames of a client that is behind, in order, and writes them when it reads again", async () => {
    const box = outbox()
    stream.isBehind = true
    for (const frame of ["a", "b", "c"]) box.offer(frame)
    expect(stream.frames).toEqual([])
    await stream.drain()
    box.offer("d")
    expect(stream.frames).toEqual(["a", "b", "c", "d"])
  })

  it("writes only as much as the client takes, and the rest when it takes more", async () => {
    const onEmptied = vi.fn<() => void>()
    const box = outbox({ onEmptied })
    stream.isBehind = true
    for (const frame of ["a", "b", "c"]) box.offer(frame)
    stream.room = 2
    await stream.drain()
    expect(stream.frames).toEqual(["a", "b"])
    expect(box.kept()).toEqual({ frames: 1, bytes: 1 })
    expect(onEmptied).not.toHaveBeenCalled()
    await stream.drain()
    await stream.drain()
    expect(stream.frames).toEqual(["a", "b", "c"])
    expect(onEmptied).toHaveBeenCalledOnce()
  })

  it("joins frames that are kept, and counts a joined frame once", async () => {
    const join = (previous: string, next: string) =>
      next === "|" || previous.endsWith("|") ? undefined : previous + next
    const box = outbox({ join })
    stream.isBehind = true
    for (const frame of ["a", "b", "|", "c", "d"]) box.offer(frame)
    expect(box.kept()).toEqual({ frames: 3, bytes: 5 })
    await stream.drain()
    expect(stream.frames).toEqual(["ab", "|", "cd"])
    expect(box.kept()).toEqual({ frames: 0, bytes: 0 })
  })

  it("does not join a reply with an update", async () => {
    const box = outbox({ join: (previous, next) => previous + next })
    stream.isBehind = true
    box.offer("a")
    box.offer("b", "reply")
    box.offer("c")
    await stream.drain()
    expect(stream.frames).toEqual(["a", "b", "c"])
  })

  it("is full at its limit of frames or bytes, per kind, and never while the client keeps up", async () => {
    const box = outbox({ limits: { reply: { frames: 2, bytes: 100 }, update: { frames: 100, bytes: 3 } } })
    expect(box.isFull()).toBe(false)
    stream.isBehind = true
    box.offer("ab")
    box.offer("a", "reply")
    expect([box.isFull("update"), box.isFull("reply")]).toEqual([false, false])
    box.offer("c")
    expect([box.isFull("update"), box.isFull("reply")]).toEqual([true, false])
    box.offer("b", "reply")
    expect(box.isFull("reply")).toBe(true)
    await stream.drain()
    expect([box.isFull("update"), box.isFull("reply")]).toEqual([false, false])
  })

  it("with a limit of nothing is full as soon as the client is behind", () => {
    const box = outbox({ limits: { reply: unlimited, update: { frames: 0, bytes: 0 } } })
    expect(box.isFull()).toBe(false)
    stream.isBehind = true
    expect(box.isFull()).toBe(true)
  })

  it("reports an overflow, which may make room by dropping frames", async () => {
    const box: Outbox<string> = outbox({
      limits: { reply: unlimited, update: { frames: 3, bytes: 100 } },
      onOverflow: () => box.drop((frame) => frame.startsWith("delta")),
    })
    stream.isBehind = true
    for (const frame of ["delta 1", "event", "delta 2", "last"]) box.offer(frame)
    expect(box.keptFrames).toEqual(["event", "last"])
    expect(box.kept()).toEqual({ frames: 2, bytes: 9 })
    await stream.drain()
    expect(stream.frames).toEqual(["event", "last"])
  })

  it("writes everything that is kept when it is flushed", () => {
    const box = outbox()
    stream.isBehind = true
    box.offer("a")
    box.flush()
    expect(stream.frames).toEqual(["a"])
    expect(box.kept()).toEqual({ frames: 0, bytes: 0 })
  })

  it("keeps nothing for a client that is gone", async () => {
    const onEmptied = vi.fn<() => void>()
    const box = outbox({ onEmptied })
    stream.isBehind = true
    box.offer("a")
    await stream.close()
    box.offer("b")
    await box.emptied()
    expect([stream.frames, box.keptFrames]).toEqual([[], []])
    expect(onEmptied).not.toHaveBeenCalled()
  })

  it("leaves the event loop free while a stream stays behind although it has drained", async () => {
    const box = outbox()
    stream.isBehind = true
    stream.drained = () => Promise.resolve()
    box.offer("a")
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(stream.frames).toEqual([])
    stream.isBehind = false
    await box.emptied()
    expect(stream.frames).toEqual(["a"])
  })

  it("reports a client that reads nothing for too long, and not one that reads a little", async () => {
    vi.useFakeTimers()
    const onStalled = vi.fn<() => void>()
    const box = outbox({ stalled: { afterMs: 100, onStalled } })
    stream.isBehind = true
    stream.room = 1
    box.offer("a")
    box.offer("b")
    vi.advanceTimersByTime(99)
    await stream.drain()
    vi.advanceTimersByTime(99)
    expect(onStalled).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(onStalled).toHaveBeenCalledOnce()
  })
})
