import { describe, expect, it } from "vitest"
import { cutOutput, ToolCalls } from "./tool-frames.ts"

describe("the output of a tool", () => {
  it("is sent whole up to 10,000 characters, however many UTF-16 units they have", () => {
    const text = "😀".repeat(10_000)
    expect(cutOutput(text)).toBe(text)
  })

  it("is cut between two characters beyond that, with a note of its length", () => {
    const cut = cutOutput(`x${"😀".repeat(10_001)}`)
    expect(cut.isWellFormed()).toBe(true)
    expect(cut).toBe(`x${"😀".repeat(9_999)}\n\n[Output truncated: 10000 of 10002 characters]`)
  })
})

describe("a tool call", () => {
  const called = { type: "tool.called", stepId: "stp_1", callId: "cal_1", tool: "bash", input: 1 } as const

  it("has an error also when it failed without output", () => {
    const calls = new ToolCalls()
    calls.called(called)
    const result = calls.settled({ type: "tool.ended", callId: "cal_1", outcome: "failed", output: "" })
    expect(result).toMatchObject({ output: null, error: "It failed without output." })
  })

  it("has exactly one result", () => {
    const calls = new ToolCalls()
    calls.called(called)
    expect(calls.cancelAll()).toMatchObject([{ type: "tool_result", id: "cal_1", error: "Cancelled" }])
    expect(calls.settled({ type: "tool.ended", callId: "cal_1", outcome: "done", output: "x" })).toBeUndefined()
  })
})
