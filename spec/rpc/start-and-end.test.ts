// Conformance cases 1 to 14: how a child starts and ends.
import { describe, expect, it } from "vitest"
import type { Step } from "../../src/models/offline/part.ts"
import { expectIdle, expectValid } from "../e2e/history.ts"
import { eventually } from "../e2e/eventually.ts"
import { object } from "../e2e/printed.ts"
import { newPlace, openInput, program } from "../e2e/turnhouse.ts"
import { names, of, readyChild, startChild, textOf } from "./children.ts"

const twoDeltas = [[{ chunks: ["Hel", "lo"] }]]
const hanging: readonly Step[] = [[{ text: "I begin" }, { hang: true }], [{ text: "Again." }]]
const prompt = { type: "prompt", id: "p", message: "go" }

describe.concurrent("start", () => {
  it("1: the first byte is that of the frame `ready`, version 1", async (test) => {
    const wire = startChild(test, newPlace(test))
    const ready = await wire.ready()
    expect(await wire.firstByte.promise).toBe("{")
    expect(wire.frames).toEqual([ready])
    expect(ready).toMatchObject({
      protocol_version: 1,
      session_id: expect.stringMatching(/./),
      model: expect.stringMatching(/./),
    })
  })

  it("2: --model names the model of `ready` and of get_state, as given", async (test) => {
    const { wire, ...child } = await readyChild(test, ["--model", "m1"]).then((ready) => ({ wire: ready.wire, ready }))
    expect(await wire.ready()).toMatchObject({ model: "m1" })
    expect(await child.ready.state()).toMatchObject({ model: "m1", streaming: false })
  })

  it("11: a bad flag ends it with code 2, a usage on stderr and nothing on stdout", async (test) => {
    const { code, frames, stderr } = await startChild(test, newPlace(test), ["--nonsense"]).ended
    expect({ code, frames }).toEqual({ code: 2, frames: [] })
    expect(stderr).toContain("--nonsense")
  })

  it("a configuration that cannot be read ends it with code 1 and nothing on stdout", async (test) => {
    const place = newPlace(test)
    place.config({ nonsense: true })
    const { code, frames, stderr } = await startChild(test, place).ended
    expect({ code, frames }).toEqual({ code: 1, frames: [] })
    expect(stderr).toContain("nonsense")
  })

  it("12: --continue with an unknown id starts a new session, and stderr says so", async (test) => {
    const { wire } = await readyChild(test, ["--continue", "nope"])
    expect((await wire.ready()).session_id).not.toContain("nope")
    const { code, stderr } = await wire.shutdown()
    expect(code).toBe(0)
    expect(stderr).toContain("nope")
  })

  it("13: what is written before `ready` is read is answered after it, in order", async (test) => {
    const wire = startChild(test, newPlace(test))
    await wire.send({ type: "get_state", id: "a" }, { type: "get_messages", id: "b" })
    await wire.response("b")
    expect(wire.frames).toMatchObject([{ type: "ready" }, { id: "a" }, { id: "b" }])
  })

  it("14: nothing but frames is on stdout, whatever a tool or a library prints", async (test) => {
    const place = newPlace(test)
    const noise =
      "process.on('SIGUSR2', () => { console.log('noise'); console.info('noise'); process.emitWarning('noise') })"
    const command = "echo loud; echo louder >&2; printf '\\033[31mred\\n'"
    const model = place.script([[{ call: { tool: "bash", input: { command } } }], [{ text: "Quiet." }]])
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(noise)}` }
    const wire = startChild(test, place, ["--model", model], { env })
    await wire.ready()
    wire.signal("SIGUSR2")
    await wire.send(prompt)
    expect(await wire.response("p")).toMatchObject({ ok: true })
    expect(textOf(wire.frames)).toBe("Quiet.")
    expect((await wire.shutdown()).stderr).toContain("noise")
  })
})

describe.concurrent("end", () => {
  it("3, 4: shutdown ends it with code 0 and no frame, with whatever fields", async (test) => {
    const [plain, more] = await Promise.all([readyChild(test), readyChild(test)])
    await plain.wire.send({ type: "shutdown" })
    await more.wire.send({ type: "shutdown", id: "x", z: 1 })
    for (const end of await Promise.all([plain.wire.ended, more.wire.ended])) {
      expect(end.code).toBe(0)
      expect(names(end.frames)).toEqual(["ready"])
    }
  })

  it("5: the end of its input ends it with code 0 and no frame", async (test) => {
    const { wire } = await readyChild(test)
    wire.endInput()
    const { code, frames } = await wire.ended
    expect({ code, frames: names(frames) }).toEqual({ code: 0, frames: ["ready"] })
  })

  it("5: a turn that is silent for long runs to its end after the end of its input", async (test) => {
    const place = newPlace(test)
    const model = place.script([[{ text: "I begin" }, { delayMs: 3000 }, { text: " and end." }]])
    const line = `printf '%s\\n' '${JSON.stringify(prompt)}' | ${program} rpc --model ${model} | cat`
    const { stdout } = await place.startOther("/bin/sh", ["-c", line]).ended
    const frames = stdout.trim().split("\n").map(object)
    expect(JSON.stringify(frames)).toContain(" end.")
    expect(frames.at(-1)).toEqual({ type: "response", id: "p", command: "prompt", ok: true })
  })

  it("5: SIGTERM after the end of its input cancels the turn that still runs", async (test) => {
    const place = newPlace(test)
    const child = await readyChild(test, ["--model", place.script(hanging)], place)
    const turn = await child.prompt("go")
    await turn.receivesText("I begin")
    child.wire.endInput()
    child.wire.signal("SIGTERM")
    expect((await child.wire.ended).code).toBe(143)
    expect((await turn.closed()).at(-1)).toMatchObject({ ok: true, cancelled: true })
  })

  it.for([
    ["the end of its input", ""],
    ["shutdown", '{"type":"shutdown"}\n'],
  ] as const)("without a reader it does not wait for the turn after %s", async ([, last], test) => {
    const place = newPlace(test)
    const model = place.script(hanging)
    const input = `${JSON.stringify(prompt)}\n${last}`
    const line = `{ ${program} rpc --patience 1h --model ${model}; echo $? >code; } | head -1`
    const running = place.startOther("/bin/sh", ["-c", line], { input: last === "" ? input : openInput })
    if (last !== "") running.write(input)
    await running.prints('"ready"')
    await eventually("it has ended", () => place.isWritten("code") || undefined)
    expect(place.read("code")).toBe("0\n")
    const log = await place.log(await place.newest())
    expectValid(log)
    expectIdle(log)
  })

  it("6: a last command without a line end is answered", async (test) => {
    const { wire } = await readyChild(test)
    await wire.send('{"type":"get_state","id":"last"}')
    wire.endInput()
    const { code, frames } = await wire.ended
    expect(code).toBe(0)
    expect(of(frames, "response")).toMatchObject([{ id: "last", command: "get_state" }])
  })

  it("7: a turn runs to its end after the parent closed its input", async (test) => {
    const place = newPlace(test)
    const { wire } = await readyChild(test, ["--model", place.script(twoDeltas)], place)
    await wire.send(prompt)
    wire.endInput()
    const { code, frames } = await wire.ended
    expect({ code, frames: names(frames) }).toEqual({
      code: 0,
      frames: ["ready", "text_delta", "text_delta", "agent_end", "response"],
    })
  })

  it("8: a prompt and shutdown in one write make a whole turn", async (test) => {
    const place = newPlace(test)
    const { wire } = await readyChild(test, ["--model", place.script(twoDeltas)], place)
    await wire.send(prompt, { type: "shutdown" })
    const { code, frames } = await wire.ended
    expect({ code, text: textOf(frames) }).toEqual({ code: 0, text: "Hello" })
    expect(frames.at(-1)).toMatchObject({ type: "response", id: "p", ok: true })
  })

  it("9: shutdown during a turn that does not end closes it as cancelled, and the session can be continued later", async (test) => {
    const place = newPlace(test)
    const child = await readyChild(test, ["--model", place.script(hanging)], place)
    const turn = await child.prompt("go")
    await turn.receivesText("I begin")
    await child.wire.send({ type: "shutdown" }, { type: "prompt", id: "late", message: "more" })
    const { code, frames } = await child.wire.ended
    expect(code).toBe(0)
    expect(
      names(frames)
        .filter((name) => name !== "error")
        .slice(-2),
    ).toEqual(["agent_end", "response"])
    expect(of(frames, "response").at(-1)).toMatchObject({ id: turn.id, ok: true, cancelled: true })
    expect(of(frames, "response").some(({ id }) => id === "late")).toBe(false)
    const log = await place.log((await child.wire.ready()).session_id)
    expectValid(log)
    expectIdle(log)
  })

  it.for([
    ["SIGTERM", 143],
    ["SIGINT", 130],
    ["SIGHUP", 129],
  ] as const)(
    "10: %s right after `ready` ends it with %i, and the session can be read",
    async ([name, exitCode], test) => {
      const { wire, place } = await readyChild(test)
      wire.signal(name)
      const { code, frames } = await wire.ended
      expect({ code, frames: names(frames) }).toEqual({ code: exitCode, frames: ["ready"] })
      expectValid(await place.log((await wire.ready()).session_id))
    },
  )

  it("10: SIGTERM during a turn cancels it", async (test) => {
    const place = newPlace(test)
    const child = await readyChild(test, ["--model", place.script(hanging)], place)
    await (await child.prompt("go")).receivesText("I begin")
    child.wire.signal("SIGTERM")
    expect((await child.wire.ended).code).toBe(143)
    const log = await place.log((await child.wire.ready()).session_id)
    expectValid(log)
    expectIdle(log)
  })
})
