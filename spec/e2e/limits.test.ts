// Turns that cannot continue: the model fails, the budget is spent, or the context is full.
import { describe, expect, it } from "vitest"
import { expectNoStack } from "./complaints.ts"
import { expectIdle, expectValid, assistantTexts } from "./history.ts"
import { eventsOf } from "./printed.ts"
import { newPlace } from "./turnhouse.ts"

const failed = 1
const look = { call: { tool: "ls", input: {} } }

describe.concurrent("a model that", () => {
  it("fails ends the turn with its reason; the session can be continued", async (test) => {
    const place = newPlace(test)
    const broken = place.script([[{ error: { status: 400, message: "no such thing" } }]], {}, "broken.json")
    const { code, stderr } = await place.run("run", "go", "--model", broken)
    expect(code).toBe(failed)
    expect(stderr).toContain("turn failed: ")
    expect(stderr).toContain("no such thing")
    const mended = place.script([[{ text: "Now." }]])
    expect(await place.run("run", "again", "--continue", "--model", mended)).toMatchObject({
      code: 0,
      stdout: "Now.\n",
    })
    const log = await place.log(await place.newest())
    expectValid(log)
    expect(eventsOf(log, "model.selected")).toHaveLength(1)
  })

  it("is busy at first is asked again", async (test) => {
    const place = newPlace(test)
    const busy = { error: { status: 429, message: "slow down", retryAfter: 1 } }
    const model = place.script([{ attempts: [[busy], [{ text: "Here I am." }]] }])
    const { code, stdout, stderr } = await place.run("run", "go", "--model", model)
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Here I am.\n" })
    expect(stderr).toContain("retrying the model call")
  })

  it("breaks off in the middle continues its answer", async (test) => {
    const place = newPlace(test)
    const model = place.script([[{ text: "The first half" }, { cut: true }, { text: " and the second." }]])
    const ended = await place.run("run", "go", "--model", model)
    expectNoStack(ended)
    expect(ended).toMatchObject({ code: 0, stdout: "The first half and the second.\n" })
    const log = await place.log(await place.newest())
    expectIdle(log)
    expect(assistantTexts(log)).toEqual(["The first half and the second."])
  })

  it("calls tools wrongly gets an error, and the turn continues", async (test) => {
    const place = newPlace(test)
    const calls = [
      { call: { tool: "teleport", input: {} } },
      { call: { tool: "read", input: { paht: "x" } } },
      { call: { tool: "read", inputText: '{"path": "x' } },
    ]
    const model = place.script([calls, [{ expect: { toolResult: "no tool named teleport" } }, { text: "Sorry." }]])
    expect(await place.run("run", "go", "--model", model)).toMatchObject({ code: 0, stdout: "Sorry.\n" })
    const log = await place.log(await place.newest())
    expectValid(log)
    expect(eventsOf(log, "tool.refused")).toHaveLength(3)
  })

  it("repeats a refused call ends the turn with the reason; run -c continues", async (test) => {
    const place = newPlace(test)
    const loop = place.script([...Array.from({ length: 12 }, () => [look]), [{ text: "Better." }]])
    const ended = await place.run("run", "go", "--model", loop)
    expectNoStack(ended)
    expect(ended.code).toBe(failed)
    expect(ended.stderr).toContain("turn failed: The model is stuck")
    expect(ended.stderr).toContain('To continue: turnhouse run -c "go on"')
    const log = await place.log(await place.newest())
    expectIdle(log)
    expect(eventsOf(log, "tool.called")).toHaveLength(12)
    expect(await place.run("run", "-c", "go on")).toMatchObject({ code: 0, stdout: "Better.\n" })
  })

  it("never stops calling tools is stopped at the limit of steps", async (test) => {
    const place = newPlace(test)
    place.config({ limits: { stepsPerTurn: 3 } })
    const { code, stderr } = await place.run("run", "go", "--model", place.script([[look], [look], [look], [look]]))
    expect(code).toBe(failed)
    expect(stderr).toContain("step limit reached")
    const log = await place.log(await place.newest())
    expectIdle(log)
    expect(eventsOf(log, "step.started")).toHaveLength(3)
  })
})

describe.concurrent("a budget", () => {
  it("that is used up parks the turn; the program reports it and exits", async (test) => {
    const place = newPlace(test)
    place.config({ budget: { tokensPerTree: 100 } })
    const ended = await place.run("run", "go", "--model", place.script([[{ text: "Never said." }]]))
    expectNoStack(ended)
    expect(ended.stderr).toContain("The budget of 100 tokens has no room")
    expect([1, 3]).toContain(ended.code)
    expect(eventsOf(await place.log(await place.newest()), "turn.parked")).toHaveLength(1)
    expect((await place.run("ls")).stdout).toContain("parked")
    const again = await place.run("run", "--continue")
    expectNoStack(again)
    expect([1, 3]).toContain(again.code)
  })
})

describe.concurrent("a context that is full", () => {
  it("is summarised, and the turn continues", async (test) => {
    const place = newPlace(test)
    place.write("long.txt", "A long line of text that fills the context.\n".repeat(300))
    const read = { call: { tool: "read", input: { path: "long.txt" } } }
    const settings = { contextWindow: 6000, maxOutput: 500, summary: "We read a file." }
    const model = place.script([[read], [{ text: "One." }], [{ text: "Two." }]], settings)
    const first = await place.run("run", "go", "--model", model)
    expect({ code: first.code, stdout: first.stdout }).toEqual({ code: 0, stdout: "One.\n" })
    expect(first.stderr).toContain("compacting the context")
    const log = await place.log(await place.newest())
    expectValid(log)
    expectIdle(log)
    expect(eventsOf(log, "context.compacted")[0]?.summary).toContain("We read a file.")
    expect(await place.run("run", "again", "--continue")).toMatchObject({ code: 0, stdout: "Two.\n" })
  })
})
