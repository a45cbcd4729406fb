// Questions of the agent: at a terminal, from another process after kill -9, and without a person.
import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../src/contract/values.ts"
import { eventually } from "./eventually.ts"
import { eventsOf, objects } from "./printed.ts"
import { newPlace, program, type Place } from "./turnhouse.ts"

const options = [{ label: "PostgreSQL", description: "A server" }, { label: "SQLite" }]
const databases = { question: "Which database?", options }
const platforms = { question: "Which platforms?", multiSelect: true, options: [{ label: "Linux" }, { label: "macOS" }] }

/** The second step fails unless the model gets this result. */
function script(place: Place, questions: readonly JsonValue[], result: string): string {
  const tasks = { todos: [{ content: "choose", status: "in_progress" }] }
  return place.script([
    [{ call: { tool: "TodoWrite", input: tasks } }],
    [{ call: { tool: "AskUserQuestion", input: { questions } } }],
    [{ expect: { toolResult: result } }, { text: "I was told." }],
  ])
}

describe.concurrent("a question of the agent", () => {
  it("is asked at a terminal with numbers, again after a wrong answer, and the task list is shown", async (test) => {
    const place = newPlace(test)
    const model = script(place, [databases, platforms], "Answer: files, please (in the user's own words)")
    const terminal = place.onTerminal(`${program} run go --model ${model}`, { env: { NO_COLOR: "1" } })
    await terminal.prints("Ctrl-D declines")
    terminal.write("9\r")
    await terminal.prints("There is no option 9")
    terminal.write("files, please\r")
    await terminal.prints("Question 2 of 2: Which platforms? (one or more)")
    terminal.write("1,2\r")
    const { code, stdout } = await terminal.ended
    expect(code).toBe(0)
    expect(stdout).toContain("tasks: 0 of 1 completed\r\n  ◐ choose")
    expect(stdout).toContain("Question 1 of 2: Which database?\r\n  1. PostgreSQL: A server\r\n  2. SQLite")
    expect(stdout).toContain("I was told.")
  })

  it("stays on its line at a terminal when another call ends while the user types", async (test) => {
    const place = newPlace(test)
    place.config({ tools: { allow: ["bash"] } })
    const command = "until [ -e go ]; do sleep 0.05; done; echo It is over."
    const calls = [
      { call: { tool: "AskUserQuestion", input: { questions: [databases] } } },
      { call: { tool: "bash", input: { command } } },
    ]
    const model = place.script([calls, [{ text: "I was told." }]])
    const terminal = place.onTerminal(`${program} run go --model ${model}`, { env: { NO_COLOR: "1" } })
    await terminal.prints("Ctrl-D declines")
    place.write("go", "")
    await eventually("the end of the command", async () => {
      const ended = eventsOf(await place.log(await place.newest()), "tool.ended")
      return ended.length === 1 || undefined
    })
    terminal.write("2\r")
    const { code, stdout } = await terminal.ended
    expect(code).toBe(0)
    expect(stdout).toMatch(/Ctrl-D declines\): \S*2\s+● bash/)
  })

  it("survives kill -9, is listed, and is answered from another process", async (test) => {
    const place = newPlace(test)
    const model = script(place, [databases], "Answer: SQLite")
    const running = place.start(["run", "go", "--wait", "1h", "--json", "--model", model])
    const { approvalId } = await running.event("approval.requested")
    running.signal("SIGKILL")
    await running.ended
    const listed = await place.run("approvals")
    expect(listed.stdout).toContain("  question\n    Which database?\n      1. PostgreSQL: A server\n      2. SQLite")
    expect(listed.stdout).toContain(`turnhouse approve ${approvalId} --answer TEXT`)
    expect(objects((await place.run("approvals", "--json")).stdout)).toMatchObject([
      { kind: "question", id: approvalId },
    ])
    expect(await place.run("approve", approvalId)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`is a question. Answer it with 'turnhouse approve ${approvalId} --answer TEXT'.`),
    })
    expect(await place.run("approve", approvalId, "--answer", "3")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("There is no option 3"),
    })
    expect(await place.run("approve", approvalId, "--answer", "2")).toMatchObject({
      code: 0,
      stdout: `${approvalId} answered: SQLite\n`,
    })
    expect(await place.run("approve", approvalId, "--answer", "1")).toMatchObject({
      stderr: expect.stringContaining("already"),
    })
    const ended = await place.run("run", "--session", await place.newest())
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("I was told.") })
  })

  it("returns at once without a terminal, and --yes is no answer", async (test) => {
    const place = newPlace(test)
    const model = script(place, [databases], "No answer. No person is present")
    const { code, stdout, stderr } = await place.run("run", "go", "--yes", "--model", model)
    expect({ code, stdout }).toEqual({ code: 0, stdout: "I was told.\n" })
    expect(stderr).toContain("the agent asks: Which database? There is no terminal to answer at.")
  })
})
