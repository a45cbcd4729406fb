import { describe, expect, it } from "vitest"
import type { Match } from "../../../protocols/extension/frames.ts"
import { sampleCalls } from "./sample-events.ts"

const beforeTool = { kind: "before_tool_call", tool: undefined, match: undefined } as const

function inputFor(match: Match, tool?: string) {
  const [call] = sampleCalls([{ ...beforeTool, tool, match }])
  return { input: call?.event.tool_input, fits: call?.fits }
}

describe("sample events", () => {
  it("come in the order of a session", () => {
    const kinds = ["on_session_end", "after_tool_call", "before_tool_call", "on_session_start"] as const
    const calls = sampleCalls(kinds.map((kind) => ({ ...beforeTool, kind })))
    expect(calls.map(({ event }) => event.kind)).toEqual(kinds.toReversed())
  })

  it("match the conditions of the manifest", () => {
    expect(inputFor({ input_contains: "rm -rf" })).toEqual({ input: { command: "rm -rf" }, fits: true })
    expect(inputFor({ input_contains: '"a":1,"b":2' })).toEqual({ input: { a: 1, b: 2 }, fits: true })
    expect(inputFor({ input_equals: [1] })).toEqual({ input: [1], fits: true })
    expect(inputFor({ input_contains: "x" }, "read")).toEqual({ input: { path: "x" }, fits: true })
  })

  it("are marked if they cannot match the condition", () => {
    expect(inputFor({ input_contains: "a\nb" })).toEqual({ input: { command: "echo hello" }, fits: false })
  })

  it("contain both names of an extension's tool", () => {
    const [call] = sampleCalls([{ ...beforeTool, tool: "notes:add" }])
    expect(call).toMatchObject({ fits: true, event: { tool_name: "notes_add", tool_runtime_name: "notes:add" } })
  })
})
