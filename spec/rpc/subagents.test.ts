// Conformance case 47: sub-agents, from their start to their end, inside the turn that started them.
import { describe, expect, it } from "vitest"
import { names, of, sharedChild } from "./children.ts"

describe("a sub-agent", () => {
  const child = sharedChild()

  it("47: is sent from its start to its end, with a number, within the turn", async () => {
    const model = child.place.script([[{ text: "It is seven." }]], {}, "agent.json")
    const input = { task: "count the days of a week", agent: "counter", model }
    await child.useScript([[{ call: { tool: "subagent", input } }], [{ text: "Seven." }]])
    const frames = await child.turn("how many days?")
    const shown = frames.filter((frame) => frame.type.startsWith("subagent_"))
    expect(names(shown).filter((name) => name !== "subagent_update")).toEqual(["subagent_start", "subagent_done"])
    expect(shown[0]).toMatchObject({
      subagent_id: expect.any(Number),
      task_preview: expect.stringContaining("count the days"),
    })
    expect(of(shown, "subagent_done")).toMatchObject([{ result_preview: expect.stringContaining("It is seven.") }])
    expect(new Set(shown.map((frame) => ("subagent_id" in frame ? frame.subagent_id : undefined))).size).toBe(1)
    expect(names(frames).slice(-2)).toEqual(["agent_end", "response"])
  })

  it("47: that fails is done too, with ERROR", async () => {
    const model = child.place.script([[{ error: { status: 400, message: "no luck" } }]], {}, "failing-agent.json")
    await child.useScript([[{ call: { tool: "subagent", input: { task: "try", model } } }], [{ text: "It failed." }]])
    const frames = await child.turn("try it")
    expect(of(frames, "subagent_done")).toMatchObject([{ result_preview: expect.stringMatching(/^ERROR: /) }])
    expect(frames.at(-1)).toMatchObject({ type: "response", ok: true })
  })

  it("47: that an abort stops is done before the turn ends", async () => {
    const model = child.place.script([[{ text: "I begin" }, { hang: true }]], {}, "hanging-agent.json")
    await child.useScript([[{ call: { tool: "subagent", input: { task: "wait", model } } }], [{ text: "Never." }]])
    const turn = await child.prompt("wait for it")
    await turn.until("the sub-agent", (frame) => frame.type === "subagent_start")
    await child.ask("abort")
    const frames = await turn.closed()
    expect(of(frames, "subagent_done")).toMatchObject([{ result_preview: expect.stringMatching(/^ERROR: /) }])
    expect(names(frames).indexOf("subagent_done")).toBeLessThan(names(frames).indexOf("agent_end"))
  })
})
