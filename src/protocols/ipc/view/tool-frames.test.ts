import { describe, expect, it } from "vitest"
import { cutOutput, ToldCalls } from "./tool-frames.ts"

describe("an output", () => {
  it("of up to ten thousand characters is told whole, however many units they have", () => {
    const text = "😀".repeat(10_000)
    expect(cutOutput(text)).toBe(text)
  })

  it("that is longer is cut between two characters, and says how long it was", () => {
    const cut = cutOutput(`x${"😀".repeat(10_001)}`)
    expect(cut.isWellFormed()).toBe(true)
    expect(cut).toBe(`x${"😀".repeat(9_999)}\n\n[Output truncated: 10000 of 10002 characters]`)
  })
})

describe("a call", () => {
  const called = { type: "tool.called", stepId: "stp_1", callId: "cal_1", tool: "bash", input: 1 } as const

  it("that failed without a word has an error all the same", () => {
    const calls = new ToldCalls()
    calls.called(called)
    const result = calls.settled({ type: "tool.ended", callId: "cal_1", outcome: "failed", output: "" })
    expect(result).toMatchObject({ output: null, error: "It failed without a word." })
  })

  it("has one result, and one that nobody started has none", () => {
    const calls = new ToldCalls()
    calls.called(called)
    expect(calls.allCancelled()).toMatchObject([{ type: "tool_result", id: "cal_1", error: "Cancelled" }])
    expect(calls.settled({ type: "tool.ended", callId: "cal_1", outcome: "done", output: "x" })).toBeUndefined()
  })
})
