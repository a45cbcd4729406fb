// Conformance cases 28 and 31 to 34: turns as viewers see them, alone and together.
import { describe, expect, it } from "vitest"
import { eventually } from "../e2e/eventually.ts"
import { uniqueSleepSeconds, runningWith } from "../e2e/processes.ts"
import { bash, receivesText, sendPrompt, SharedAgent, turn, turnFrom, waitFor } from "./agents.ts"
import { names, of, textOf, type Frame } from "./raw-viewer.ts"

describe("a turn", () => {
  const shared = new SharedAgent()

  it("31: a text turn has the exact order, one stream_end, and chunks that are the message's content", async (test) => {
    const viewer = await shared.scripted(test, [[{ chunks: ["Hel", "lo ", "wörld 😀"] }]])
    const frames = await turn(viewer, "hi")
    const model = (await viewer.sync()).model
    expect(frames).toMatchObject([
      { type: "ack", command: "user_input" },
      { type: "message_added", message: { role: "user", content: "hi" } },
      { type: "status_update", status: "Streaming response..." },
      ...of(frames, "stream_chunk"),
      { type: "stream_end", finish_reason: "stop" },
      { type: "message_added", message: { role: "assistant", content: "Hello wörld 😀" } },
      { type: "status_update", status: `Ready - Model: ${model}` },
    ])
    expect(textOf(frames)).toBe("Hello wörld 😀")
  })

  it("31: times are in milliseconds, and the sync has the same messages as were added", async (test) => {
    const before = Date.now()
    const viewer = await shared.scripted(test, [[{ text: "Yes." }]])
    const added = of(await turn(viewer, "hi"), "message_added").map(({ message }) => message)
    for (const { created_at } of added) expect(created_at).toBeGreaterThanOrEqual(before)
    expect((await viewer.sync()).messages).toEqual(added)
  })

  it("31: a turn that fails sends one error, one stream_end and the status, and the next one runs", async (test) => {
    const viewer = await shared.scripted(test, [[{ error: { message: "out of luck", status: 400 } }]])
    const frames = await turn(viewer, "hi")
    const types = names(frames).filter((name) => name !== "status_update" && name !== "message_added")
    expect(types).toEqual(["ack", "error", "stream_end"])
    expect(of(frames, "error")[0]?.message).toContain("out of luck")
    expect(of(frames, "stream_end")).toEqual([{ type: "stream_end", finish_reason: "error" }])
    expect(of(frames, "status_update").at(-1)?.status).toContain("Error: ")
    await viewer.slash("model", "offline/demo:0")
    expect(of(await turn(viewer, "help"), "stream_end")).toEqual([{ type: "stream_end", finish_reason: "stop" }])
  })

  it("32: start and result of a tool share the id, and have exactly one of output and error, in order", async (test) => {
    shared.place.write("note.txt", "the note")
    const viewer = await shared.scripted(test, [
      [{ text: "Let me see." }, call("read", { path: "note.txt" }), call("read", { path: "nowhere.txt" })],
      [{ text: "Done." }],
    ])
    const frames = await turn(viewer, "read")
    const [starts, results] = [of(frames, "tool_call_start"), of(frames, "tool_result")]
    expect(starts).toMatchObject([
      { name: "read", server: "cli-local", input: { path: "note.txt" } },
      { name: "read", server: "cli-local", input: { path: "nowhere.txt" } },
    ])
    expect(new Set(results.map(({ id }) => id))).toEqual(new Set(starts.map(({ id }) => id)))
    for (const { output, error } of results) expect([output, error].filter((one) => one === null)).toHaveLength(1)
    const [read, missing] = starts.map((start) => results.find(({ id }) => id === start.id))
    expect(read?.output).toContain("the note")
    expect(missing?.error).toContain("nowhere.txt")
    const statuses = of(frames, "status_update").map(({ status }) => status)
    expect(statuses).toContain("⚙️ Executing: read...")
    expect(statuses).toContain("Processing tool result...")
    expect(of(frames, "message_added").at(-1)?.message.content).toBe(textOf(frames))
    expect(textOf(frames)).toContain("Done.")
  })

  it("32: a long output of multi-byte characters is cut at 10,000 characters and is valid UTF-8", async (test) => {
    shared.place.write("long.txt", "😀".repeat(12_000))
    const viewer = await shared.scripted(test, [[bash("cat long.txt")], [{ text: "Long." }]])
    const [result] = of(await turn(viewer, "go"), "tool_result")
    expect(result?.output?.startsWith("😀".repeat(10_000) + "\n\n[Output truncated: 10000 of ")).toBe(true)
  })

  it("33: user_input while busy is queued, answered after the first, and the history is not interleaved", async (test) => {
    const viewer = await shared.scripted(test, [
      [{ text: "One." }, bash(waitFor("go-33"))],
      [{ text: " Over." }],
      [{ text: "Two." }],
    ])
    await sendPrompt(viewer, "first")
    await viewer.next("tool_call_start")
    const after = viewer.frames.length
    await sendPrompt(viewer, "second")
    await viewer.ack("queue_message", after)
    shared.place.write("go-33", "")
    await turnFrom(viewer, await placeAfter(viewer.next("stream_end", after), viewer.frames))
    const { messages } = await viewer.sync()
    expect(messages.map(({ content }) => content.replaceAll(/\s+/g, " "))).toEqual([
      "first",
      "One. Over.",
      "second",
      "Two.",
    ])
  })

  it("38: B sees a prompt of A before the first chunk; A gets its own echo too", async (test) => {
    const a = await shared.scripted(test, [[{ chunks: ["a", "b"] }]])
    const b = await shared.viewer(test)
    const [fromA, fromB] = [a.frames.length, b.frames.length]
    await sendPrompt(a, "hello")
    const [seenByA, seenByB] = [await turnFrom(a, fromA), await turnFrom(b, fromB)]
    expect(seenByB).toEqual(seenByA)
    expect(names(seenByB).slice(0, 4)).toEqual(["ack", "message_added", "status_update", "stream_chunk"])
  })

  it("28: a viewer that joins in mid-stream has text that equals the final message", async (test) => {
    const pieces = Array.from({ length: 300 }, (_, index) => `${index}é `)
    const first = await shared.scripted(test, [[{ chunks: pieces }]], { delayMs: 3 })
    await sendPrompt(first, "go")
    const late = await Promise.all(
      ["20é", "100é", "200é"].map(async (word) => {
        await receivesText(first, word)
        return shared.viewer(test)
      }),
    )
    for (const viewer of late) {
      expect(of(viewer.frames, "conversation_sync")[0]).toMatchObject({ is_busy: true })
      const frames = await turnFrom(viewer, 0)
      expect(of(frames, "stream_end")).toHaveLength(1)
      expect(textOf(frames)).toBe(pieces.join(""))
      expect(of(frames, "message_added").at(-1)?.message.content).toBe(pieces.join(""))
    }
  })
})

describe("34: cancel", () => {
  const shared = new SharedAgent()

  it("in mid-stream: one ack, one stream_end, no text after it, and the text so far is kept", async (test) => {
    const viewer = await shared.scripted(test, [[{ text: "I begin" }, { hang: true }]])
    await sendPrompt(viewer, "go")
    await receivesText(viewer, "I begin")
    const frames = await viewer.settle({ type: "cancel" })
    expect(of(frames, "ack")).toEqual([{ type: "ack", command: "cancel" }])
    expect(of(frames, "stream_end")).toEqual([{ type: "stream_end", finish_reason: "cancelled" }])
    expect(of(frames, "status_update").at(-1)).toEqual({ type: "status_update", status: "Cancelled" })
    expect(textOf(frames.slice(names(frames).indexOf("stream_end")))).toBe("")
    const { messages, is_busy } = await viewer.sync()
    expect(is_busy).toBe(false)
    expect(messages.map(({ content }) => content)).toContain("I begin")
  })

  it("in mid-tool: the result is an error, and the process tree is gone", async (test) => {
    const nap = uniqueSleepSeconds()
    const viewer = await shared.scripted(test, [
      [bash(`sleep ${nap} & setsid sleep ${nap} & wait`)],
      [{ text: "Never." }],
    ])
    await sendPrompt(viewer, "go")
    await eventually("the tool is at work", () => runningWith(nap).length >= 3 || undefined)
    const frames = await viewer.settle({ type: "cancel" }, { type: "cancel" })
    expect(of(frames, "tool_result")).toMatchObject([{ name: "bash", output: null, error: "Cancelled" }])
    expect(of(frames, "ack")).toHaveLength(2)
    expect(of(frames, "stream_end")).toHaveLength(1)
    await eventually("the tree is gone", () => runningWith(nap).length === 0 || undefined)
  })

  it("when idle, also twice: just an ack each", async (test) => {
    const viewer = await shared.viewer(test)
    const ack: Frame = { type: "ack", command: "cancel" }
    expect(await viewer.settle({ type: "cancel" }, { type: "cancel" })).toEqual([ack, ack])
  })
})

function call(tool: string, input: { readonly path: string }) {
  return { call: { tool, input } } as const
}

async function placeAfter(frame: Promise<Frame>, frames: readonly Frame[]): Promise<number> {
  return frames.indexOf(await frame) + 1
}
