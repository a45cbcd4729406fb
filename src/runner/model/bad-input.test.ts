import { expect, it } from "vitest"
import { limits } from "../../contract/limits.ts"
import { history, newSession, testHost, testTool, turn } from "../../testing/test-host.ts"
import { scriptedSource } from "../../testing/index.ts"
import { invalidJson } from "./bad-input.ts"

it.each([
  ['{"path": "a",}', /at character 14, near ".*a\\",}"\./],
  ['{"path": "a"', /they end too early, near /],
  ["{'path': 1}", /at character 2, near /],
])("names where %s stops being JSON", (text, problem) => {
  expect(invalidJson(text)).toMatchObject({ input: { unparsed: text }, problem: expect.stringMatching(problem) })
})

it("bounds what it stores and says", () => {
  const { input, problem } = invalidJson(`{"a": "${"x".repeat(1_000_000)}" oops`)
  expect(JSON.stringify(input).length).toBeLessThan(11_000)
  expect(problem.length).toBeLessThan(400)
})

it("refuses arguments that are too large, and the turn ends cleanly", async () => {
  const inputText = JSON.stringify({ text: "x".repeat(limits.toolInputLength) })
  const ran: unknown[] = []
  const echo = testTool("echo", (input) => (ran.push(input), { outcome: "done", output: "" }))
  const script = [[{ call: { tool: "echo", inputText } }], [{ expect: { toolResult: "at most" } }, { text: "Sorry." }]]
  const { host, log } = await testHost(scriptedSource(script), [echo])
  const session = await newSession(host)
  expect(await turn(session, "go")).toMatchObject({ reason: "done" })
  expect(ran).toEqual([])
  const called = (await history(log, session.id)).find(({ type }) => type === "tool.called")
  expect(JSON.stringify(called).length).toBeLessThan(11_000)
})
