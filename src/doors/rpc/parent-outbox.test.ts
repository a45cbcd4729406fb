import { setImmediate } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { ParentOutbox } from "./parent-outbox.ts"

/** A pipe that takes everything until it is shut. */
class TestPipe {
  readonly writes: string[] = []
  isOpen = true

  write(text: string): boolean {
    this.writes.push(text)
    return this.isOpen
  }

  get frames(): readonly unknown[] {
    return this.writes
      .join("")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): unknown => JSON.parse(line))
  }
}

const text = (delta: string) => ({ type: "text_delta", delta }) as const
const update = (delta: string) => ({ type: "message_update", event: text(delta) })
const error = (message: string) => ({ type: "error", message }) as const

function stalled(): { pipe: TestPipe; outbox: ParentOutbox } {
  const pipe = new TestPipe()
  const outbox = new ParentOutbox(pipe)
  pipe.isOpen = false
  outbox.frame(error("first"))
  outbox.flush()
  return { pipe, outbox }
}

describe("the outbox of a parent", () => {
  it("writes what comes up in one round of the event loop at once, each delta in its own frame", async () => {
    const pipe = new TestPipe()
    const outbox = new ParentOutbox(pipe)
    outbox.delta(text("a"))
    outbox.delta(text("b"))
    outbox.reply(error("c"))
    expect(pipe.writes).toEqual([])
    await setImmediate()
    expect(pipe.writes).toHaveLength(1)
    expect(pipe.frames).toEqual([update("a"), update("b"), error("c")])
  })

  it("writes a long round in parts", async () => {
    const pipe = new TestPipe()
    const outbox = new ParentOutbox(pipe)
    for (let n = 0; n < 100; n++) outbox.delta(text("x".repeat(1000)))
    expect(pipe.writes.length).toBeGreaterThan(1)
  })

  it("joins the deltas of one block while the parent does not read, and only those", async () => {
    const { pipe, outbox } = stalled()
    outbox.delta(text("a"))
    outbox.delta(text("b"))
    outbox.delta({ type: "thinking_delta", delta: "c" })
    outbox.delta({ type: "toolcall_input_delta", tool_id: "1", delta: "d" })
    outbox.delta({ type: "toolcall_input_delta", tool_id: "2", delta: "e" })
    outbox.delta({ type: "toolcall_input_delta", tool_id: "2", delta: "f" })
    outbox.reply(error("between"))
    outbox.delta(text("g"))
    expect(pipe.writes).toHaveLength(1)
    pipe.isOpen = true
    outbox.drained()
    await setImmediate()
    await setImmediate()
    expect(pipe.frames.slice(1)).toEqual([
      update("ab"),
      { type: "message_update", event: { type: "thinking_delta", delta: "c" } },
      { type: "message_update", event: { type: "toolcall_input_delta", tool_id: "1", delta: "d" } },
      { type: "message_update", event: { type: "toolcall_input_delta", tool_id: "2", delta: "ef" } },
      error("between"),
      update("g"),
    ])
  })

  it("is full at 256 unread frames or 1 MiB, and has room again when they are read", async () => {
    const frames = stalled().outbox
    for (let n = 0; n < 255; n++) frames.frame(error(String(n)))
    expect(frames.isFull()).toBe(false)
    frames.frame(error("last"))
    expect(frames.isFull()).toBe(true)
    const { pipe, outbox } = stalled()
    for (let n = 0; n < 40; n++) outbox.delta(text("x".repeat(30_000)))
    expect(outbox.isFull()).toBe(true)
    pipe.isOpen = true
    outbox.drained()
    await setImmediate()
    await setImmediate()
    expect(outbox.isFull()).toBe(false)
  })

  it("counts replies apart: a stalled turn does not keep the parent's commands from being read", async () => {
    const { outbox } = stalled()
    for (let n = 0; n < 300; n++) outbox.frame(error("update"))
    expect(outbox.hasUnreadReplies).toBe(false)
    for (let n = 0; n < 256; n++) outbox.reply(error("answer"))
    expect(outbox.hasUnreadReplies).toBe(true)
  })

  it("keeps joined deltas below the size of a frame", async () => {
    const { pipe, outbox } = stalled()
    for (let n = 0; n < 100; n++) outbox.delta(text("€".repeat(1000)))
    pipe.isOpen = true
    outbox.drained()
    await setImmediate()
    await setImmediate()
    const lines = pipe.writes.join("").split("\n")
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(256 * 1024)
    expect(lines.length).toBeLessThan(10)
  })
})
