// Conformance cases 59 to 61: new sessions, compaction, and children that continue the session of another.
import { describe, expect, it } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"
import { names, of, readyChild, sharedChild, startChild, textOf, type Child } from "./children.ts"

describe("sessions", () => {
  const child = sharedChild()

  it("59: new_session gives a new id and an empty session, on the same model and without a second `ready`", async () => {
    await child.useScript([[{ text: "One." }]])
    await child.turn("first")
    const before = await child.state()
    const { session_id: sessionId } = await child.ask("new_session")
    expect(sessionId).not.toBe(before["session_id"])
    expect(await child.state()).toMatchObject({ session_id: sessionId, model: before["model"], message_count: 0 })
    expect(await child.ask("get_session_stats")).toMatchObject({
      input_tokens: 0,
      output_tokens: 0,
      cost: 0,
      message_count: 0,
    })
    expect(await child.messages()).toEqual([])
    expect(of(child.wire.frames, "ready")).toHaveLength(1)
  })

  it("59: compact answers once, with the summary, in the same session", async () => {
    await child.useScript([[{ text: "One." }], [{ text: "Two." }]], { summary: "They counted." })
    await child.turn("first")
    const before = await child.state()
    const after = child.wire.frames.length
    const response = await child.ask("compact")
    expect(response).toMatchObject({ command: "compact", ok: true, summary: expect.stringContaining("They counted.") })
    expect(names(child.wire.frames.slice(after))).toEqual(["response"])
    expect(await child.state()).toMatchObject({ session_id: before["session_id"], message_count: 1 })
    expect(await child.messages()).toMatchObject([{ role: "user", content: expect.stringContaining("They counted.") }])
    expect(textOf(await child.turn("second"))).not.toBe("")
  })

  it("59: compact of an empty session returns an empty summary", async () => {
    await child.useScript([[{ text: "One." }]])
    expect(await child.ask("compact")).toMatchObject({ ok: true, summary: "" })
  })

  it("59: a compaction that fails is an error with its id, and the history stays", async () => {
    await child.useScript([[{ text: "One." }]])
    await child.turn("first")
    await child.ask("set_model", { model: "offline/script:/nonexistent.json" })
    const frames = await child.wire.sendAndSettle({ type: "compact", id: "c" })
    const error = await child.wire.until("the error", (frame) => frame.type === "error" && frame.id === "c")
    expect([...frames, error]).toContainEqual({ type: "error", id: "c", message: expect.stringMatching(/./) })
    expect(await child.messages()).toHaveLength(2)
  })
})

async function end(child: Child): Promise<void> {
  expect((await child.wire.shutdown()).code).toBe(0)
}

describe.concurrent("a child that continues", () => {
  it("60: has the session's id, model, messages and counters; --model overrides it", async (test) => {
    const place = newPlace(test)
    const saved = place.script([[{ text: "One." }], [{ text: "Two." }]])
    const first = await readyChild(test, [], place)
    await first.ask("set_model", { model: saved })
    await first.turn("remember me")
    const { session_id: sessionId } = await first.wire.ready()
    const stats = await first.ask("get_session_stats")
    await end(first)

    const second = await readyChild(test, ["--continue", sessionId], place)
    expect(await second.wire.ready()).toMatchObject({ session_id: sessionId, model: saved })
    expect(await second.ask("get_session_stats")).toEqual({ ...stats, id: expect.any(String) })
    expect(JSON.stringify(await second.messages())).toContain("remember me")
    expect(textOf(await second.turn("go on"))).toBe("Two.")
    await end(second)

    const third = await readyChild(test, ["--continue", sessionId, "--model", "x"], place)
    expect(await third.wire.ready()).toMatchObject({ session_id: sessionId, model: "x" })
    expect(await third.state()).toMatchObject({ model: "x", message_count: 4 })
    await end(third)
  })

  it("60: takes its flags in the order in which real parents pass them", async (test) => {
    const place = newPlace(test)
    const first = await readyChild(test, [], place)
    await end(first)
    const { session_id: sessionId } = await first.wire.ready()
    const flags = ["--continue", sessionId, "--system", "Be brief.", "--model", "m2"]
    const second = await readyChild(test, flags, place)
    expect(await second.wire.ready()).toMatchObject({ session_id: sessionId, model: "m2" })
  })

  it("61: after kill -9 right behind `ready`", async (test) => {
    const place = newPlace(test)
    const first = startChild(test, place)
    const { session_id: sessionId } = await first.ready()
    first.signal("SIGKILL")
    expect((await first.ended).code).toBe(137)
    const second = await readyChild(test, ["--continue", sessionId], place)
    expect(await second.wire.ready()).toMatchObject({ session_id: sessionId })
    expect(await second.state()).toMatchObject({ streaming: false, message_count: 0 })
  })

  it("61: after kill -9 in the middle of a turn, which is not continued", async (test) => {
    const place = newPlace(test)
    const model = place.script([[{ text: "I begin" }, { hang: true }]])
    const again = [{ text: "Again." }]
    const first = await readyChild(test, ["--model", model], place)
    await (await first.prompt("go")).receivesText("I begin")
    first.wire.signal("SIGKILL")
    await first.wire.ended
    const { session_id: sessionId } = await first.wire.ready()
    const other = place.script([again, again], {}, "again.json")
    const second = await readyChild(test, ["--continue", sessionId, "--model", other], place)
    expect(await second.state()).toMatchObject({ streaming: false })
    expect(JSON.stringify(await second.messages())).toContain('"go"')
    expect(textOf(await second.turn("and now?"))).toBe("Again.")
    expect(names(second.wire.frames)[0]).toBe("ready")
  })
})
