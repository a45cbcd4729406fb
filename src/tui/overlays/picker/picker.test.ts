import { expect, it } from "vitest"
import { newSession, prompt, testTool, turn } from "../../../testing/test-host.ts"
import { ctrl, keys, testScreen } from "../../fixtures/test-screen.ts"
import { gate } from "../../../testing/gate.ts"

const script = [[{ text: "one" }], [{ text: "two" }], [{ text: "three" }]]

async function withTwoSessions(searchTexts?: (text: string) => Promise<{ sessionId: string; snippet: string }[]>) {
  const ids: string[] = []
  const test = await testScreen({
    script,
    ...(searchTexts === undefined ? {} : { place: { searchTexts } }),
    prepare: async (session, host) => {
      await turn(session, "refund totals")
      const other = await newSession(host, { cwd: "/home/jane/infra" })
      await turn(other, "rotate the keys")
      ids.push(other.id)
    },
  })
  return { test, other: ids[0] ?? "" }
}

it("opens the session that is chosen", async () => {
  const { test, other } = await withTwoSessions()
  test.press(ctrl("p"))
  await test.shows("2 of 2")
  test.press("infra")
  await test.shows("1 of 2")
  test.press(keys.enter)
  await test.shows("you  rotate the keys")
  expect(test.screen.state.session?.sessionId).toBe(other)
})

it("returns to the session with escape", async () => {
  const { test } = await withTwoSessions()
  test.press(ctrl("p"))
  await test.shows("2 of 2")
  test.press(keys.escape)
  expect(await test.hides("2 of 2")).toContain("you  refund totals")
})

it("finds sessions by their text", async () => {
  const found: { sessionId: string; snippet: string }[] = []
  const { test, other } = await withTwoSessions(async () => found)
  found.push({ sessionId: other, snippet: "a Kubernetes secret" })
  test.press(ctrl("p"))
  await test.shows("2 of 2")
  test.press("kubern")
  const text = await test.shows("a Kubernetes secret")
  expect(text).toContain("1 of 2")
})

it("shows while it is open that a session waits for approval", async () => {
  const bash = testTool("bash", () => ({ outcome: "done", output: "" }))
  const ready = gate()
  const test = await testScreen({
    script: [[{ gate: ready }, { call: { tool: "bash", input: { command: "git push" } } }], [{ text: "x" }]],
    tools: [bash],
    preset: "careful",
  })
  await prompt(test.session, "push it")
  test.press(ctrl("p"))
  await test.shows("● shop-api")
  ready.open()
  expect(await test.shows("! shop-api")).toContain("waiting for approval")
})
