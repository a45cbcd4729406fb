// Conformance cases 10, 12 and 13: clients that send nothing, or too much.
import { describe, expect, it } from "vitest"
import { eventually } from "../e2e/eventually.ts"
import { memoryOf, openFilesOf } from "../rpc/process-figures.ts"
import { receivesText, sendPrompt, SharedAgent, turnFrom } from "./agents.ts"
import { openAndClose } from "./raw-socket.ts"
import { textOf } from "./raw-viewer.ts"

const mebibyte = 1024 * 1024
const piece = Buffer.alloc(mebibyte, 0x61)

describe("hostile clients", () => {
  const shared = new SharedAgent()

  it("10: 1000 connections that close at once leave no descriptor behind, and the agent answers", async (test) => {
    const before = openFilesOf(shared.agent.pid)
    for (let round = 0; round < 20; round++)
      await Promise.all(Array.from({ length: 50 }, () => openAndClose(shared.agent.socket)))
    await eventually("all are let go", () => openFilesOf(shared.agent.pid) <= before + 2 || undefined)
    expect((await shared.viewer(test)).frames).toHaveLength(3)
  })

  it("12: 100 MB without a newline before the handshake are cut off early and not kept", async (test) => {
    await shared.viewer(test)
    const before = memoryOf(shared.agent.pid)
    const caller = await shared.agent.connect(test)
    for (let n = 0; n < 100 && !caller.socket.isOver; n++) await caller.send(piece)
    await caller.closed
    expect(caller.received).toBe(0)
    expect(memoryOf(shared.agent.pid) - before).toBeLessThan(24 * 1024)
  })

  it("13: a line of 100 MB after the handshake is refused by its size, and other viewers keep streaming", async (test) => {
    const pieces = Array.from({ length: 200 }, (_, index) => `${index} `)
    const onlooker = await shared.scripted(test, [[{ chunks: pieces }]], { delayMs: 5 })
    const viewer = await shared.viewer(test)
    const from = onlooker.frames.length
    await sendPrompt(onlooker, "go")
    await receivesText(onlooker, "1 ", from)
    const before = memoryOf(shared.agent.pid)
    for (let n = 0; n < 100 && !viewer.socket.isOver; n++) await viewer.send(piece)
    const last = (await viewer.untilClosed()).findLast(({ type }) => type === "error")
    expect(last).toEqual({ type: "error", message: "Message exceeds maximum size of 16777216 bytes", fatal: false })
    expect(memoryOf(shared.agent.pid) - before).toBeLessThan(64 * 1024)
    expect(textOf(await turnFrom(onlooker, from))).toBe(pieces.join(""))
  })
})
