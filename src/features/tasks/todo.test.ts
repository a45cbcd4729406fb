import { describe, expect, it } from "vitest"
import type { EventOf } from "../../contract/events.ts"
import { limits } from "../../contract/limits.ts"
import { history, newSession, testHost, turn, you } from "../../testing/test-host.ts"
import { scriptedSource, type Step } from "../../testing/index.ts"
import { numberTasks } from "./number-tasks.ts"
import { foldTasks, noTasks, taskTree } from "./task-list.ts"
import { todoTool } from "./tools.ts"

type Todo = readonly [content: string, status: "pending" | "in_progress" | "completed"]

const write = (...todos: readonly Todo[]): Step => [
  { call: { tool: "todo", input: { todos: todos.map(([content, status]) => ({ content, status })) } } },
]
const done: Step = [{ text: "Done." }]

async function sessionWith(steps: readonly Step[]) {
  const { host, log } = await testHost(scriptedSource(steps), [todoTool()])
  const session = await newSession(host, { preset: "careful" })
  const outputs = async () =>
    (await history(log, session.id)).flatMap((event) => (event.type === "tool.ended" ? [event.output] : []))
  return { session, log, outputs }
}

describe("the todo tool", () => {
  it("writes the list that the session shows, without approval, and tells the model of tasks of people", async () => {
    const { session, outputs } = await sessionWith([
      write(["build", "in_progress"], ["test", "pending"]),
      write(["build", "completed"], ["test", "in_progress"]),
      done,
    ])
    await session.send({ type: "add-task", text: "ask legal" }, you)
    await turn(session, "go")
    expect(taskTree(session.tasks)).toBe("○ ask legal\n● build\n◐ test\n")
    expect(session.tasks.map(({ task }) => task)).toEqual([1, 2, 3])
    expect((await outputs()).at(-1)).toBe(
      "The list is stored: 1 of 2 completed.\nTasks that the user added, which are not on your list:\n○ ask legal",
    )
  })

  it("stores nothing for a list that is the same", async () => {
    const { session, log } = await sessionWith([write(["build", "pending"]), write(["build", "pending"]), done])
    await turn(session, "go")
    expect((await history(log, session.id)).filter(({ type }) => type === "tasks.written")).toHaveLength(1)
  })

  it("accepts the name and the fields of other agents", async () => {
    const todos = [{ content: "build", status: "in_progress", activeForm: "Building", id: "1", priority: "high" }]
    const { session } = await sessionWith([[{ call: { tool: "TodoWrite", input: { todos } } }], done])
    await turn(session, "go")
    expect(session.tasks).toMatchObject([{ text: "build", status: "in-progress" }])
  })

  it("works in plan mode, where nothing may be changed", async () => {
    const { session } = await sessionWith([write(["look", "in_progress"]), done])
    await session.send({ type: "enter-plan", focus: "look around" }, you)
    await turn(session, "go")
    expect(session.tasks).toMatchObject([{ text: "look" }])
  })

  it.each([
    ["a status that does not exist", [{ content: "x", status: "started" }], "'todos.0.status' must be one of"],
    ["a task without text", [{ content: "", status: "pending" }], "'todos.0.content' must not be empty"],
    ["too many tasks", Array.from({ length: 101 }, () => ({ content: "x", status: "pending" })), "todos"],
  ])("refuses %s", async (_, todos, reason) => {
    const { session, log } = await sessionWith([[{ call: { tool: "todo", input: { todos } } }], done])
    await turn(session, "go")
    const refused = (await history(log, session.id)).find(({ type }) => type === "tool.refused")
    expect(refused).toMatchObject({ reason: expect.stringContaining(reason) })
  })
})

describe("numbers of the agent's tasks", () => {
  it("stay with their text and are used again, so that a long session does not run out of them", () => {
    let tasks = noTasks
    let taskCount = 0
    for (let round = 0; round < limits.tasks; round++) {
      const wanted = [0, 1, 2].map((index) => ({ text: `task ${round + index}`, status: "pending" as const }))
      const written = numberTasks(tasks, taskCount, wanted)
      const kept = written.filter(({ task, text }) => tasks.some((other) => other.task === task && other.text === text))
      expect(kept).toHaveLength(round === 0 ? 0 : 2)
      const event: EventOf<"tasks.written"> = { type: "tasks.written", callId: "cal_1", tasks: [...written] }
      tasks = foldTasks(tasks, { seq: round + 1, at: round, event })
      taskCount = Math.max(taskCount, ...written.map(({ task }) => task))
    }
    expect(taskCount).toBe(3)
  })

  it("differ also for equal texts", () => {
    const twice = [1, 2].map(() => ({ text: "again", status: "pending" as const }))
    expect(numberTasks(noTasks, 4, twice).map(({ task }) => task)).toEqual([5, 6])
  })
})
