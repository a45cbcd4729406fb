import { describe, expect, it } from "vitest"
import type { SessionSnapshot } from "../../contract/views/session-snapshot.ts"
import { id, snapshotAnswer, type, view, type TestOptions } from "../fixtures/typed-command.ts"

const planning: TestOptions["change"] = { status: { ...view.status, planMode: true } }
const snapshotQuery = { type: "scene", sessionId: id, turns: 1000 }

const entry = { seq: 2, at: 0, planId: "pln_1" } as const
const by = { principal: "you", door: "test" }
const user = { kind: "user", promptId: "prm_1", attachments: [], by, state: "promoted" } as const
const items: SessionSnapshot["items"] = [
  { ...entry, ...user, planId: undefined, text: "main" },
  { ...entry, ...user, text: "how?" },
  { ...entry, kind: "call", callId: "cal_1", tool: "read", input: {}, state: "done" },
  { ...entry, kind: "assistant", stepId: "stp_1", text: "1. Look", reasoning: "", cutOff: false },
]
const plan = { id: "pln_1", focus: "auth" } as const

describe("plan mode", () => {
  it("is entered with or without a focus and answers with the focus of the plan", async () => {
    const entered = await type("plan:mode the login", snapshotAnswer({ plan }))
    expect(entered.done).toEqual([
      { type: "enter-plan", focus: "the login" },
      { ...snapshotQuery, turns: 1 },
    ])
    expect(entered.result).toMatchObject({ action_taken: "plan_mode_entered", output: "Plan mode, focus: auth" })
    expect((await type("plan:mode", snapshotAnswer())).done[0]).toEqual({ type: "enter-plan" })
  })

  it("is left with or without a summary", async () => {
    const left = await type("plan:mode:exit", { change: planning })
    expect(left).toMatchObject({ done: [{ type: "exit-plan" }], result: { action_taken: "plan_mode_exited" } })
    const { done } = await type("plan:mode:exit do the door first", { change: planning })
    expect(done).toEqual([{ type: "exit-plan", summary: "do the door first" }])
  })

  it("shows the plan without the main conversation", async () => {
    const host = snapshotAnswer({ plan, items })
    const status = (await type("plan:mode:status", host)).result
    expect(status).toMatchObject({ output: "Plan mode, focus: auth\nPrompts: 1" })
    const { output } = (await type("plan:mode:export", host)).result
    expect(output).toBe("# Plan: auth\n\n## user\n\nhow?\n\n## assistant\n\n1. Look")
  })

  it("/plan:mode:clear clears only the plan", async () => {
    expect((await type("plan:mode:clear", { change: planning })).done).toEqual([{ type: "clear-context" }])
  })

  it.each(["plan:mode:exit", "plan:mode:status", "plan:mode:clear", "plan:mode:export"])(
    "/%s is refused outside plan mode and sends nothing",
    async (line) => {
      const { done, result } = await type(line, snapshotAnswer())
      expect(result).toMatchObject({ success: false, error: "Not in plan mode" })
      expect(done.filter((one) => JSON.stringify(one) !== JSON.stringify(snapshotQuery))).toEqual([])
    },
  )

  it("cannot be entered twice, and does not write files", async () => {
    expect((await type("plan:mode", { change: planning })).result.error).toBe("Already in plan mode")
    const { done, result } = await type("plan:mode:export plan.md", { change: planning })
    expect(done).toEqual([])
    expect(result.error).toMatch(/^Not available over IPC: writing a file/)
    expect((await type(`plan:mode ${"x".repeat(1001)}`)).done).toEqual([])
  })
})
