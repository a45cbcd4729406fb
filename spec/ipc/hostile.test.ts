// Conformance cases 10, 12 and 13: callers that want nothing, or say too much.
import { describe, expect, it } from "vitest"
import { eventually } from "../e2e/eventually.ts"
import { memoryOf, openFilesOf } from "../rpc/process-figures.ts"
import { hears, say, SharedAgent, turnFrom } from "./agents.ts"
import { knock } from "./raw-socket.ts"
import { textOf } from "./raw-viewer.ts"

const mebibyte = 1024 * 1024
const piece = Buffer.alloc(mebibyte, 0x61)

describe("callers without manners", () => {
  const shared = new SharedAgent()

  it("10: 1000 connections that close at once leave no descriptor behind, and the agent answers", async (test) => {
    const before = openFilesOf(shared.agent.pid)
    for (let round = 0; round < 20; round++)
      await Promise.all(Array.from({ length: 50 }, () => knock(shared.agent.socket)))
    await eventually("all are let go", () => openFilesOf(shared.agent.pid) <= before + 2 || undefined)
    expect((await shared.viewer(test)).frames).toHaveLength(3)
  })

  it("12: 100 MB without a newline before the handshake are closed early and not kept", async (test) => {
    await shared.viewer(test)
    const before = memoryOf(shared.agent.pid)
    const caller = await shared.agent.caller(test)
    for (let n = 0; n < 100 && !caller.socket.isOver; n++) await caller.send(piece)
    await caller.closed
    expect(caller.received).toBe(0)
    expect(memoryOf(shared.agent.pid) - before).toBeLessThan(24 * 1024)
  })

  it("13: a line of 100 MB after the handshake is refused by its size, and others go on streaming", async (test) => {
    const pieces = Array.from({ length: 200 }, (_, index) => `${index} `)
    const onlooker = await shared.says(test, [[{ chunks: pieces }]], { delayMs: 5 })
    const viewer = await shared.viewer(test)
    const from = onlooker.frames.length
    await say(onlooker, "go")
    await hears(onlooker, "1 ", from)
    const before = memoryOf(shared.agent.pid)
    for (let n = 0; n < 100 && !viewer.socket.isOver; n++) await viewer.send(piece)
    const last = (await viewer.toTheEnd()).findLast(({ type }) => type === "error")
    expect(last).toEqual({ type: "error", message: "Message exceeds maximum size of 16777216 bytes", fatal: false })
    expect(memoryOf(shared.agent.pid) - before).toBeLessThan(64 * 1024)
    expect(textOf(await turnFrom(onlooker, from))).toBe(pieces.join(""))
  })
})
