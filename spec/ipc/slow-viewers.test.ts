// Conformance cases 11, 26, 27 and 29: viewers that send nothing, do not read, read late, or disconnect at once.
import { describe, expect, it } from "vitest"
import { setTimeout as sleep } from "node:timers/promises"
import { memoryOf } from "../rpc/process-figures.ts"
import { newAgent, permissivePlace, sendPrompt, startAgent, turn, turnFrom } from "./agents.ts"
import { openAndClose } from "./raw-socket.ts"
import { newSession, of, textOf } from "./raw-viewer.ts"

const noLimit = { maxOutput: 100_000_000, contextWindow: 1_000_000_000 }
/** Some 20 MB, in chunks that are longer than any model's: more than a line can hold. */
const piece = "x".repeat(10_000)
/** More than may wait for a viewer. */
const pieces = Array.from({ length: 1200 }, (_, index) => `${index} ${piece} `)
/** Small enough that a conversation with it fits a line. */
const fewer = pieces.slice(0, 250)
/** Some of these waits are long. */
const patience = { timeout: 120_000 }

describe.concurrent("a slow viewer", () => {
  it("11: is closed when it sends nothing, and other viewers are unaffected", async (test) => {
    const agent = await newAgent(test, [[{ text: "Hello." }]])
    const silent = await agent.connect(test)
    const viewer = await agent.viewer(test)
    await silent.closed
    expect(silent.received).toBe(0)
    expect(await viewer.settle()).toEqual([])
  })

  it(
    "26: does not read while much is streamed: others get everything, its queue is capped, and it is disconnected",
    patience,
    async (test) => {
      const agent = await newAgent(test, [[{ chunks: pieces }], [{ chunks: pieces }]], noLimit)
      const reader = await agent.viewer(test)
      await turn(reader, "one that all read")
      const stalled = await agent.viewer(test)
      stalled.socket.stopReading()
      const before = memoryOf(agent.pid)
      const frames = await turn(reader, "one that is not read")
      expect(of(frames, "stream_end")).toEqual([{ type: "stream_end", finish_reason: "stop" }])
      expect(textOf(frames) === pieces.join("")).toBe(true)
      expect(memoryOf(agent.pid) - before).toBeLessThan(300 * 1024)
      while (!stalled.socket.isOver) {
        await stalled.send("\n") // a blank line is ignored, but shows that it cannot be written any more
        await sleep(200)
      }
      expect(stalled.received).toBeLessThan(40 * 1024 * 1024)
      expect((await reader.sync()).is_busy).toBe(false)
    },
  )

  it("27: reads again after a while: it gets a new conversation_sync, and no text twice", patience, async (test) => {
    const place = permissivePlace(test)
    const steps = [[{ chunks: pieces }, { untilFile: place.path("go") }, { text: "The end." }]]
    const agent = await startAgent(place, ["--model", place.script(steps, noLimit)])
    const [reader, stalled] = [await agent.viewer(test), await agent.viewer(test)]
    stalled.socket.stopReading()
    await sendPrompt(reader, "go")
    let left = pieces.join("").length
    await reader.until("the text", (frame) => frame.type === "stream_chunk" && (left -= frame.text.length) <= 0)
    stalled.socket.resumeReading()
    await stalled.next("conversation_sync", 3)
    place.write("go", "")
    const frames = await turnFrom(stalled, 3)
    expect(of(frames, "conversation_sync").length).toBeGreaterThan(0)
    expect(textOf(frames) === `${pieces.join("")}The end.`).toBe(true)
    expect(of(frames, "stream_end")).toHaveLength(1)
  })

  it(
    "29: sends exit and disconnects at once: the session ends, with a conversation of 5 MB",
    patience,
    async (test) => {
      const agent = await newAgent(test, [[{ chunks: fewer }], [{ chunks: fewer }]], noLimit)
      const first = await agent.viewer(test)
      await turn(first, "one")
      await turn(first, "two")
      first.socket.destroy()
      await openAndClose(agent.socket)
      const hasty = await agent.connect(test)
      await hasty.send(newSession, { type: "exit" })
      hasty.socket.destroy()
      expect((await agent.running.ended).code).toBe(0)
    },
  )
})
