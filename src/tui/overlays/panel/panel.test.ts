import { expect, it } from "vitest"
import { turn } from "../../../testing/test-host.ts"
import { alt, ctrl, keys, testScreen } from "../../fixtures/test-screen.ts"

const script = [[{ text: "one" }]]

it("shows agents, and the other pages with tab", async () => {
  const test = await testScreen({ script, prepare: async (session) => void (await turn(session, "refund totals")) })
  test.press(ctrl("t"))
  await test.shows("refund totals  (this window)")
  test.press(keys.tab)
  await test.shows("No tasks.")
  test.press(keys.tab)
  await test.shows("lock")
  test.press(keys.tab)
  await test.shows("This session uses no MCP servers yet")
  test.press(keys.tab)
  await test.shows("This session has no extensions.")
  test.press(keys.shiftTab, keys.shiftTab, keys.shiftTab)
  await test.shows("No tasks.")
  test.press(keys.escape)
  expect(await test.hides("No tasks.")).toContain("you  refund totals")
})

it("says that a session has no parent", async () => {
  const test = await testScreen()
  test.press(alt("p"))
  expect(await test.shows("was not started by another one")).toContain("idle")
})
