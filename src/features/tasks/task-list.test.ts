import { describe, expect, it } from "vitest"
import type { SessionEvent } from "../../contract/events.ts"
import { foldTasks, noTasks, readyTasks, taskLines, taskTree, type TaskList } from "./task-list.ts"

const by = { principal: "you", door: "test" }

function listOf(...events: SessionEvent[]): TaskList {
  return events.map((event, index) => ({ seq: index + 1, at: 1000 * (index + 1), event })).reduce(foldTasks, noTasks)
}

const add = (task: number, text: string, more: { parent?: number; priority?: "urgent" | "high" | "low" } = {}) =>
  ({ type: "task.added", task, text, priority: "normal", by, ...more }) as const

describe("the task list", () => {
  it("says that it is empty", () => {
    expect(taskTree(noTasks)).toBe("No tasks")
  })

  it("is a tree with icons, roots by priority", () => {
    const list = listOf(
      add(1, "ship"),
      add(2, "build", { parent: 1 }),
      add(3, "link", { parent: 2 }),
      add(4, "test", { parent: 1, priority: "high" }),
      add(5, "fix the leak", { priority: "urgent" }),
      { type: "task.changed", task: 2, status: "completed", by },
      { type: "task.changed", task: 4, status: "in-progress", by },
      { type: "task.changed", task: 5, status: "blocked", reason: "no access", by },
    )
    expect(taskTree(list)).toBe(
      ["◌ 🔴 fix the leak", "○ ship", "├── ● build", "│   └── ○ link", "└── ◐ 🟠 test", ""].join("\n"),
    )
  })

  it("has one line per task, also for text with line breaks", () => {
    expect(taskTree(listOf(add(1, "one\r\n\ttwo\u2028 three "), add(2, "x", { parent: 1 })))).toBe(
      "○ one two three\n└── ○ x\n",
    )
  })

  it("records when a task started and ended", () => {
    const [task] = listOf(
      add(1, "build"),
      { type: "task.changed", task: 1, status: "in-progress", by },
      { type: "task.changed", task: 1, status: "completed", by },
    )
    expect(task).toMatchObject({ addedAt: 1000, startedAt: 2000, endedAt: 3000, status: "completed" })
  })

  it("lists tasks that can be started: all their dependencies are done", () => {
    const waiting = [add(1, "build"), add(2, "test"), { type: "task.changed", task: 2, dependsOn: 1, by }] as const
    expect(readyTasks(listOf(...waiting)).map(({ task }) => task)).toEqual([1])
    const built = listOf(...waiting, { type: "task.changed", task: 1, status: "completed", by })
    expect(readyTasks(built).map(({ task }) => task)).toEqual([2])
  })
})

describe("the list of the agent", () => {
  const write = (...tasks: { task: number; text: string; status: "pending" | "in-progress" | "completed" }[]) =>
    ({ type: "tasks.written", callId: "cal_1", tasks }) as const

  it("is replaced as a whole, and tasks of people stay", () => {
    const list = listOf(
      add(1, "ask legal"),
      write({ task: 2, text: "build", status: "in-progress" }, { task: 3, text: "test", status: "pending" }),
      write({ task: 2, text: "build", status: "completed" }, { task: 3, text: "ship", status: "pending" }),
    )
    expect(list.map(({ task, text, status, isAgents }) => [task, text, status, isAgents])).toEqual([
      [1, "ask legal", "pending", undefined],
      [2, "build", "completed", true],
      [3, "ship", "pending", true],
    ])
    expect(list[1]).toMatchObject({ addedAt: 2000, startedAt: 2000, endedAt: 3000 })
    expect(list[2]).toMatchObject({ addedAt: 3000, startedAt: undefined })
  })

  it("is shown in a few lines, around what is not finished", () => {
    const tasks = Array.from({ length: 30 }, (_, index) => ({
      text: `step ${index + 1}`,
      status: index < 20 ? ("completed" as const) : ("pending" as const),
    }))
    const lines = taskLines(tasks).split("\n")
    expect(lines[0]).toBe("tasks: 20 of 30 completed")
    expect(lines).toContain("  ○ step 21")
    expect(lines.at(-1)).toBe("  (+18 more: /tasks)")
    expect(taskLines(tasks.slice(19, 21))).toBe("tasks: 1 of 2 completed\n  ● step 20\n  ○ step 21")
  })
})
