// Conformance cases 67 to 73: many frames, parents that do not read, parents that exit, large answers, long-running children.
import { describe, expect, it } from "vitest"
import { eventually } from "../e2e/eventually.ts"
import { expectIdle, expectValid } from "../e2e/history.ts"
import { uniqueSleepSeconds, runningWith } from "../e2e/processes.ts"
import { newPlace } from "../e2e/turnhouse.ts"
import { names, of, readyChild, sharedChild, textOf } from "./children.ts"
import { memoryOf, openFilesOf } from "./process-figures.ts"
import { decodedByChunk } from "./decoded-by-chunk.ts"

const chunk = "a piece of text that is as long as pieces of text are in real life. "
const many = 20_000
const noLimit = { maxOutput: 10_000_000, contextWindow: 1_000_000_000 }

describe("many frames", () => {
  const child = sharedChild()

  it("67: 10,000 commands in one write are answered in order", async () => {
    const after = child.wire.frames.length
    const ids = Array.from({ length: 10_000 }, (_, index) => `m${index}`)
    await child.wire.send(ids.map((id) => `${JSON.stringify({ type: "get_state", id })}\n`).join(""))
    await child.wire.response("m9999", after)
    expect(of(child.wire.frames.slice(after), "response").map(({ id }) => id)).toEqual(ids)
  })

  it("71: a history of 8 MiB is one line, also in the middle of a turn", async () => {
    const words = "many words ".repeat(90_000)
    const file = `go-${child.nextId()}`
    const command = `while [ ! -e ${file} ]; do sleep 0.02; done`
    const replies = Array.from({ length: 9 }, () => [{ text: "Yes." }])
    await child.useScript(
      [...replies, [{ text: "Wait. " }, { call: { tool: "bash", input: { command } } }], [{ text: "Done." }]],
      noLimit,
    )
    for (let n = 0; n < 9; n++) await child.turn(words)
    const turn = await child.prompt("go")
    await turn.until("the call", (frame) => names([frame])[0] === "toolcall_input")
    const messages = await child.messages()
    expect(JSON.stringify(messages).length).toBeGreaterThan(8 * 1024 * 1024)
    expect(messages).toHaveLength(20)
    child.place.write(file, "")
    expect(textOf(await turn.closed())).toBe("Wait. Done.")
  })
})

describe("a long-running child", () => {
  const child = sharedChild()

  it("73: 350 turns leave no open files and no warning behind, and no memory that grows with them", async () => {
    const turns = async (count: number) => {
      for (let n = 0; n < count; n++) await child.turn("go")
    }
    await child.useScript(Array.from({ length: 350 }, () => [{ chunks: ["a", "b"] }]))
    await turns(100) // the heap of a new process grows before its first large collections, then stays
    const before = { files: openFilesOf(child.wire.pid), memory: memoryOf(child.wire.pid) }
    await turns(250)
    expect(openFilesOf(child.wire.pid)).toBeLessThanOrEqual(before.files + 2)
    expect(memoryOf(child.wire.pid) / before.memory).toBeLessThan(1.2) // 1.1 once the heap has its size: long-life.long.test.ts
    expect(child.wire.stderr).toBe("")
  })
})

describe("a parent that does not read", () => {
  const child = sharedChild()
  const pieces = Array.from({ length: many }, (_, index) => `${index} ${chunk}`)

  it("68: 20,000 deltas do not grow the child, and nothing is missing afterwards", async () => {
    await child.useScript([[{ chunks: pieces }]], noLimit)
    child.wire.stopReading()
    const before = memoryOf(child.wire.pid)
    const turn = await child.prompt("go")
    await turnEnded()
    expect(memoryOf(child.wire.pid) - before).toBeLessThan(100 * 1024)
    child.wire.readOn()
    const frames = await turn.closed()
    expect(textOf(frames)).toBe(pieces.join(""))
    expect(names(frames).slice(-2)).toEqual(["agent_end", "response"])
  })

  it("69: and aborts meanwhile: the turn closes as cancelled, the abort is ok", async () => {
    await child.useScript([[{ chunks: pieces }, { hang: true }]], noLimit)
    const turn = await child.prompt("go")
    await turn.receivesText("0 a piece")
    child.wire.stopReading()
    await child.wire.send({ type: "abort", id: "stop" })
    await turnEnded()
    child.wire.readOn()
    const frames = await turn.closed()
    const said = textOf(frames)
    expect(pieces.join("").startsWith(said)).toBe(true)
    expect(frames.at(-1)).toMatchObject({ ok: true, cancelled: true })
    expect(await child.wire.response("stop")).toMatchObject({ ok: true })
  })

  /** As another process sees it: the child is not being read. */
  async function turnEnded(): Promise<void> {
    const made = of(child.wire.frames, "response").findLast(({ command }) => command === "new_session")
    const log = () => child.place.log(String(made?.["session_id"]))
    await eventually("the turn is over", async () => (await log()).includes('"turn.ended"') || undefined, 200)
  }
})

describe.concurrent("parents of other kinds", () => {
  it("70: one that exits in mid-turn: the child and its tools exit, and the session is complete", async (test) => {
    const nap = uniqueSleepSeconds()
    const place = newPlace(test)
    const model = place.script([[{ call: { tool: "bash", input: { command: `sleep ${nap}` } } }], [{ text: "Again." }]])
    const child = await readyChild(test, ["--model", model], place)
    await child.prompt("go")
    await eventually("the tool is at work", () => runningWith(nap).length > 0 || undefined)
    const { session_id: sessionId } = await child.wire.ready()
    child.wire.goAway()
    expect((await child.wire.ended).code).toBe(0)
    await eventually("the tool is gone", () => runningWith(nap).length === 0 || undefined)
    const log = await place.log(sessionId)
    expectValid(log)
    expectIdle(log)
  })

  it("one that kills the child: no tool process is left", async (test) => {
    const nap = uniqueSleepSeconds()
    const place = newPlace(test)
    const command = `sleep ${nap} & setsid sleep ${nap} & wait`
    const child = await readyChild(
      test,
      ["--model", place.script([[{ call: { tool: "bash", input: { command } } }]])],
      place,
    )
    await child.prompt("go")
    await eventually("the tool is at work", () => runningWith(nap).length >= 3 || undefined)
    child.wire.signal("SIGKILL")
    expect((await child.wire.ended).code).toBe(137)
    await eventually("the tool is gone", () => runningWith(nap).length === 0 || undefined)
  })

  it("72: one that decodes chunk by chunk gets every character of a long text", async (test) => {
    const place = newPlace(test)
    const text = "€😀語".repeat(20_000)
    const model = place.script([[{ chunks: [text] }]], noLimit)
    const { frames, whole } = await decodedByChunk(test, place, ["--model", model], "go")
    expect(whole).not.toContain("\ufffd")
    expect(textOf(frames)).toBe(text)
  })
})
