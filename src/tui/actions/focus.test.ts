import { expect, it } from "vitest"
import { testTool, turn } from "../../testing/test-host.ts"
import { keys, testScreen } from "../fixtures/test-screen.ts"

const output = Array.from({ length: 12 }, (_, at) => `line ${at}`).join("\n")
const bash = testTool("bash", () => ({ outcome: "done", output }))
const call = (command: string) => ({ call: { tool: "bash", input: { command } } })

it("shows and folds a single call", async () => {
  const test = await testScreen({
    script: [[call("first"), call("second")], [{ text: "done" }]],
    tools: [bash],
    prepare: async (session) => void (await turn(session, "run both")),
  })
  await test.shows("+6 lines")
  test.press(keys.altUp)
  await test.shows("▸● bash second")
  test.press(keys.enter)
  const shown = await test.shows("line 5")
  expect(shown.match(/line 5/g)).toHaveLength(1)
  test.press(keys.enter)
  await test.hides("line 5")
  test.press(keys.altUp)
  await test.shows("▸● bash first")
  test.press(keys.escape)
  expect(await test.hides("▸")).toContain("● bash first")
})
