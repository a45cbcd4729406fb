import { describe, expect, it } from "vitest"
import { limits } from "../../contract/limits.ts"
import { eventsOf, given, refusalOf, sent } from "../../session/fixtures/given.ts"

describe("tasks", () => {
  it("are numbered in order", () => {
    const one = sent(given(), { type: "add-task", text: "build" })
    expect(eventsOf(one, { type: "add-task", text: "test", priority: "high", parent: 1 })).toMatchObject([
      { type: "task.added", task: 2, text: "test", priority: "high", parent: 1 },
    ])
  })

  it("are changed by number", () => {
    const one = sent(given(), { type: "add-task", text: "build" })
    expect(eventsOf(one, { type: "change-task", task: 1, status: "blocked", reason: "no compiler" })).toMatchObject([
      { type: "task.changed", task: 1, status: "blocked", reason: "no compiler" },
    ])
    expect(eventsOf(one, { type: "change-task", task: 1 })).toEqual([])
  })

  it("that do not exist cannot be changed, be a parent or a dependency", () => {
    const one = sent(given(), { type: "add-task", text: "build" })
    expect(refusalOf(one, { type: "change-task", task: 2, status: "completed" })).toBe("task.unknown")
    expect(refusalOf(one, { type: "add-task", text: "x", parent: 7 })).toBe("task.unknown")
    expect(refusalOf(one, { type: "change-task", task: 1, dependsOn: 2 })).toBe("task.unknown")
  })

  it("cannot depend on themselves", () => {
    const one = sent(given(), { type: "add-task", text: "build" })
    expect(refusalOf(one, { type: "change-task", task: 1, dependsOn: 1 })).toBe("task.circular")
  })

  it("are refused past the limit", () => {
    const full = { ...given(), taskCount: limits.tasks }
    expect(refusalOf(full, { type: "add-task", text: "one more" })).toBe("tasks.too-many")
  })

  it("of the agent are not written over a task that was added meanwhile", () => {
    const written = {
      type: "tasks-written",
      callId: "cal_1",
      tasks: [{ task: 1, text: "build", status: "pending" }],
    } as const
    expect(eventsOf(given(), { ...written, taskCount: 0, tasks: [...written.tasks] })).toMatchObject([
      { type: "tasks.written" },
    ])
    const one = sent(given(), { type: "add-task", text: "mine" })
    expect(refusalOf(one, { ...written, taskCount: 0, tasks: [...written.tasks] })).toBe("report.stale")
  })
})
