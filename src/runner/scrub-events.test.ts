import { describe, expect, it } from "vitest"
import type { CallId } from "../contract/ids.ts"
import type { JsonValue } from "../contract/values.ts"
import { scrubEvents } from "./scrub-events.ts"

const scrubber = {
  text: (text: string) => text,
  json: (value: JsonValue): JsonValue => {
    const text = JSON.stringify(value)
    return text.includes("hunter2") ? JSON.parse(text.replaceAll("hunter2", "…")) : value
  },
  stream: () => ({ push: (piece: string) => piece, end: () => "" }),
}
const called = (input: JsonValue) =>
  ({ type: "tool.called", stepId: "stp_1", callId: "cal_1", tool: "bash", input }) as const
const modified = (input: JsonValue) => ({ type: "tool.modified", callId: "cal_1", by: "a", input }) as const

describe("the real arguments of a call", () => {
  it("are kept in memory while the stored ones have no secret", () => {
    const real = new Map<CallId, JsonValue>()
    const stored = scrubEvents([called({ command: "login hunter2" })], scrubber, real)
    expect(stored).toMatchObject([{ input: { command: "login …" } }])
    expect(real.get("cal_1")).toEqual({ command: "login hunter2" })
  })

  it("are those of the last change, also when it removed the secret", () => {
    const real = new Map<CallId, JsonValue>()
    scrubEvents([called({ command: "login hunter2" })], scrubber, real)
    scrubEvents([modified({ command: "login --ask hunter2" })], scrubber, real)
    expect(real.get("cal_1")).toEqual({ command: "login --ask hunter2" })
    scrubEvents([modified({ command: "login --ask" })], scrubber, real)
    expect(real.has("cal_1")).toBe(false)
  })
})
