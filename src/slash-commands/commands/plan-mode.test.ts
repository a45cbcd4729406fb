import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../contract/values.ts"
import { noStatus } from "../../projection/status.ts"
import { emptyScene } from "../../protocols/ipc/view/fixtures/recorded-view.ts"
import { id, type, view, type Said } from "../fixtures/typed-command.ts"

const planning: Said["change"] = { status: { ...view.status, planMode: true } }
const scene = { type: "scene", sessionId: id, turns: 1000 }

function seen(change: object): NonNullable<Said["answers"]> {
  const value: JsonValue = JSON.parse(JSON.stringify({ ...emptyScene, status: noStatus, ...change }))
  return { scene: { kind: "answer", value } }
}

const entry = { seq: 2, at: 0, planId: "pln_1" }
const items = [
  { ...entry, planId: undefined, kind: "user", text: "main" },
  { ...entry, kind: "user", text: "how?" },
  { ...entry, kind: "call", tool: "read" },
  { ...entry, kind: "assistant", text: "1. Look" },
]
const plan = { id: "pln_1", focus: "auth" }

describe("plan mode", () => {
  it("is entered with a focus or without one, and says which plan it is", async () => {
    const entered = await type("plan:mode the login", { answers: seen({ plan }) })
    expect(entered.done).toEqual([{ type: "enter-plan", focus: "the login" }, scene])
    expect(entered.result).toMatchObject({ action_taken: "plan_mode_entered", output: "Plan Mode - Focus: auth" })
    expect((await type("plan:mode", { answers: seen({}) })).done[0]).toEqual({ type: "enter-plan" })
  })

  it("is left with a summary or without one", async () => {
    const left = await type("plan:mode:exit", { change: planning })
    expect(left).toMatchObject({ done: [{ type: "exit-plan" }], result: { action_taken: "plan_mode_exited" } })
    const { done } = await type("plan:mode:exit do the door first", { change: planning })
    expect(done).toEqual([{ type: "exit-plan", summary: "do the door first" }])
  })

  it("shows its plan and nothing of the main conversation", async () => {
    const answers = seen({ plan, items })
    const status = (await type("plan:mode:status", { answers })).result
    expect(status).toMatchObject({ output: "Plan Mode - Focus: auth\nPrompts: 1" })
    const { output } = (await type("plan:mode:export", { answers })).result
    expect(output).toBe("# Plan: auth\n\n## user\n\nhow?\n\n## assistant\n\n1. Look")
  })

  it("is emptied on its own", async () => {
    expect((await type("plan:mode:clear", { change: planning })).done).toEqual([{ type: "clear-context" }])
  })

  it.each(["plan:mode:exit", "plan:mode:status", "plan:mode:clear", "plan:mode:export"])(
    "%s outside of it is refused, and changes nothing",
    async (line) => {
      const { done, result } = await type(line, { answers: seen({}) })
      expect(result).toMatchObject({ success: false, error: "Not in plan mode" })
      expect(done.filter((one) => one !== scene && JSON.stringify(one) !== JSON.stringify(scene))).toEqual([])
    },
  )

  it("is not entered twice, and writes no files", async () => {
    expect((await type("plan:mode", { change: planning })).result.error).toBe("Already in plan mode")
    const { done, result } = await type("plan:mode:export plan.md", { change: planning })
    expect(done).toEqual([])
    expect(result.error).toMatch(/^Not available over IPC: writing a file/)
    expect((await type(`plan:mode ${"x".repeat(1001)}`)).done).toEqual([])
  })
})
