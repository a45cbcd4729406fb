import { describe, expect, it } from "vitest"
import { story } from "./fixtures/story.ts"
import { verdicts } from "./fixtures/verdicts.ts"
import { checks as bodyChecks } from "./generated/bodies.js"
import { checkRpcEvent } from "./generated/events.js"

const told = verdicts("events")

describe("frames of a child", () => {
  it("are those that the protocol's own types were checked with", () => {
    expect(story().map((line) => line.trimEnd())).toEqual(told.map(({ frame }) => frame))
  })

  it.each(told)("are read unchanged by those types and by ours: $frame", ({ frame, accepted, written }) => {
    const parsed: unknown = JSON.parse(frame)
    expect(accepted).toBe(true)
    expect(written).toEqual(parsed)
    expect(checkRpcEvent(parsed)).toBe(true)
    expect(hasItsBody(parsed)).toBe(true)
  })

  it("cover every event and every assistant event", () => {
    const all = story().join("")
    const types = ["ready", "message_update", "subagent_start", "subagent_update", "subagent_done", "agent_end"]
    const updates = ["text_delta", "thinking_delta", "toolcall_start", "toolcall_input_delta", "toolcall_input"]
    for (const type of [...types, ...updates, "toolcall_result", "response", "error"])
      expect(all).toContain(`"type":"${type}"`)
  })
})

function hasItsBody(frame: unknown): boolean {
  if (typeof frame !== "object" || frame === null || !("command" in frame)) return true
  const check = Object.entries(bodyChecks).find(([name]) => name === frame.command)?.[1]
  return check?.(frame) === true
}
