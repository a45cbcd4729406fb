// Conformance cases 50 to 58: commands during a turn, aborts, and frames that meet.
import { describe, expect, it } from "vitest"
import type { Step } from "../../src/models/offline/part.ts"
import { eventually } from "../e2e/eventually.ts"
import { uniqueSleepSeconds, runningWith } from "../e2e/processes.ts"
import { names, of, sharedChild, textOf, type StartedTurn, type Child } from "./children.ts"
import type { Frame } from "./wire.ts"

/** As many as fit into a test run. */
const runs = Number(process.env["TURNHOUSE_RPC_RUNS"] ?? 150)

/** A turn that waits in a tool until the file exists. */
async function midTurn(child: Child): Promise<{ readonly turn: StartedTurn; readonly release: () => void }> {
  const file = `go-${child.nextId()}`
  const command = `while [ ! -e ${file} ]; do sleep 0.02; done`
  await child.useScript([[{ text: "Wait. " }, { call: { tool: "bash", input: { command } } }], [{ text: "Done." }]])
  const turn = await child.prompt("go")
  await turn.until("the tool call", (frame) => names([frame])[0] === "toolcall_input")
  return { turn, release: () => void child.place.write(file, "") }
}

describe("during a turn", () => {
  const child = sharedChild()

  it("50: prompt, follow_up, new_session and compact are refused, and the turn is not affected", async () => {
    const { turn, release } = await midTurn(child)
    const refused = await child.wire.sendAndSettle(
      { type: "prompt", id: "b1", message: "me too" },
      { type: "follow_up", id: "b2", message: "me too" },
      { type: "new_session", id: "b3" },
      { type: "compact", id: "b4" },
    )
    expect(refused).toEqual(
      ["b1", "b2", "b3", "b4"].map((id) => ({ type: "error", id, message: expect.stringContaining("abort first") })),
    )
    release()
    const frames = await turn.closed()
    expect(textOf(frames)).toBe("Wait. Done.")
    expect(frames.at(-1)).toMatchObject({ ok: true })
    expect(JSON.stringify(await child.messages())).not.toContain("me too")
  })

  it("51: everything else is answered at once, and a new model is for the next turn", async () => {
    const { turn, release } = await midTurn(child)
    const next = child.place.script([[{ text: "unused" }]], {}, "next.json")
    expect(await child.state()).toMatchObject({ streaming: true })
    expect(await child.ask("get_session_stats")).toMatchObject({ command: "get_session_stats" })
    expect(JSON.stringify(await child.messages())).toContain('"go"')
    expect(await child.ask("set_model", { model: next })).toMatchObject({ model: next })
    expect(await child.ask("tools_list")).toMatchObject({ ok: true })
    expect(await child.ask("get_available_models")).toMatchObject({ command: "get_available_models" })
    release()
    expect(textOf(await turn.closed())).toBe("Wait. Done.")
    expect(await child.state()).toMatchObject({ streaming: false, model: next })
  })

  it("58: a prompt with the id of the running one is refused, and the running one closes", async () => {
    const { turn, release } = await midTurn(child)
    expect(await child.wire.sendAndSettle({ type: "prompt", id: turn.id, message: "again" })).toMatchObject([
      { type: "error", id: turn.id, message: expect.stringContaining("abort first") },
    ])
    release()
    expect((await turn.closed()).at(-1)).toMatchObject({ type: "response", id: turn.id, ok: true })
  })
})

describe("abort", () => {
  const child = sharedChild()
  const hanging: readonly Step[] = [[{ text: "I begin" }, { hang: true }], [{ text: "Again." }]]

  it("52: in the middle of a text: agent_end, the prompt's response, the abort's, and no error", async () => {
    await child.useScript(hanging)
    const turn = await child.prompt("go")
    await turn.receivesText("I begin")
    const after = child.wire.frames.length
    await child.wire.send({ type: "abort", id: "stop" }, { type: "prompt", id: "next", message: "and now?" })
    await child.wire.response("next", after)
    const frames = child.wire.frames.slice(after)
    expect(names(frames).slice(0, 3)).toEqual(["agent_end", "response", "response"])
    expect(of(frames, "response")).toMatchObject([
      { id: turn.id, ok: true, cancelled: true },
      { id: "stop", command: "abort", ok: true },
      { id: "next", ok: true },
    ])
    expect(textOf(frames)).toBe("Again.")
    expect(JSON.stringify(await child.messages())).toContain("I begin")
  })

  it("53: in the middle of a tool: its processes have exited, and its call has a result", async () => {
    const nap = uniqueSleepSeconds()
    const command = `trap '' TERM; sleep ${nap} & setsid sleep ${nap} & wait; sleep ${nap}`
    await child.useScript([[{ call: { tool: "bash", input: { command } } }], [{ text: "Again." }]])
    const turn = await child.prompt("go")
    await eventually("the tool is at work", () => runningWith(nap).length >= 3 || undefined)
    expect(await child.ask("abort")).toMatchObject({ ok: true })
    const frames = await turn.closed()
    expect(names(frames).slice(-3)).toEqual(["toolcall_result", "agent_end", "response"])
    expect(frames.at(-1)).toMatchObject({ cancelled: true })
    const history = JSON.stringify(await child.messages())
    expect(history.match(/"tool_use"/g)).toHaveLength(1)
    expect(history.match(/"tool_result"/g)).toHaveLength(1)
    await eventually("the tool is gone", () => runningWith(nap).length === 0 || undefined)
  })

  it("54: of an idle session is ok", async () => {
    expect(await child.ask("abort")).toEqual({ type: "response", id: expect.any(String), command: "abort", ok: true })
  })

  it("55: twice: the turn closes once, both are ok", async () => {
    await child.useScript(hanging)
    const turn = await child.prompt("go")
    await turn.receivesText("I begin")
    const after = child.wire.frames.length
    await child.wire.send({ type: "abort", id: "s1" }, { type: "abort", id: "s2" })
    await child.wire.response("s2", after)
    const frames = child.wire.frames.slice(after)
    expect(names(frames)).toEqual(["agent_end", "response", "response", "response"])
    expect(of(frames, "response").map(({ id }) => id)).toEqual([turn.id, "s1", "s2"])
  })

  it(`56: and the natural end at the same time: one agent_end and one response each (${runs} runs)`, async () => {
    for (let run = 0; run < runs; run++) {
      if (run % 25 === 0) await child.useScript(manySteps([{ chunks: ["a", "b"] }]))
      const turn = await child.prompt("go")
      if (run % 3 === 1) await turn.until("the first word", (frame) => frame.type === "message_update")
      if (run % 3 === 2) await turn.until("its end", (frame) => frame.type === "agent_end")
      const abort = await child.ask("abort")
      const frames = await turn.closed()
      expect(of(frames, "agent_end")).toHaveLength(1)
      expect(of(frames, "error")).toEqual([])
      expect(child.wire.frames.indexOf(abort)).toBeGreaterThan(child.wire.frames.indexOf(last(frames)))
      expect(frames.at(-1)).toMatchObject({ ok: true })
    }
    const ids = of(child.wire.frames, "response").map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it(`57: a prompt at the instant of agent_end or of the response is accepted (${runs} runs)`, async () => {
    const after = child.wire.frames.length
    for (let run = 0; run < runs; run++) {
      if (run % 25 === 0) await child.useScript(manySteps([{ chunks: ["a"] }]))
      const turn = await child.prompt("go")
      if (run % 2 === 0) await turn.until("its end", (frame) => frame.type === "agent_end")
      else await turn.closed()
    }
    await child.wire.sendAndSettle()
    await eventually("it is idle", async () => ((await child.state())["streaming"] === false ? true : undefined))
    const frames = child.wire.frames.slice(after)
    expect(of(frames, "error")).toEqual([])
    expect(of(frames, "agent_end")).toHaveLength(runs)
    expect(of(frames, "response").filter(({ command }) => command === "prompt")).toHaveLength(runs)
  })
})

function manySteps<Part>(parts: readonly Part[]): readonly (readonly Part[])[] {
  return Array.from({ length: 60 }, () => parts)
}

function last(frames: readonly Frame[]): Frame {
  const frame = frames.at(-1)
  if (frame === undefined) throw new Error("there are no frames")
  return frame
}
