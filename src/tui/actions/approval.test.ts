import { expect, it } from "vitest"
import { next, prompt, testTool, you } from "../../testing/test-host.ts"
import { alt, keys, testScreen, type TestScreen } from "../fixtures/test-screen.ts"

const bash = testTool("bash", (input) => ({ outcome: "done", output: `ran ${JSON.stringify(input)}` }))
const push = { call: { tool: "bash", input: { command: "git push origin main" } } }

async function asking(calls: readonly (typeof push)[] = [push]): Promise<TestScreen> {
  const test = await testScreen({ script: [calls, [{ text: "pushed" }]], tools: [bash], preset: "careful" })
  await prompt(test.session, "push it")
  await test.shows("┌ approve")
  return test
}

it("approves with y", async () => {
  const test = await asking()
  await test.ready()
  test.press("y")
  await test.shows("pushed")
  expect(test.text()).not.toContain("┌ approve")
})

it("says where the user answered, if it was not in such a window", async () => {
  const test = await asking()
  const [request] = test.session.state.approvals
  if (request === undefined) throw new Error("no request")
  await test.session.send({ type: "approve", approvalId: request.id, approved: true }, { ...you, door: "console" })
  expect(await test.shows("✓ approved by you on console")).not.toContain("┌ approve")
})

it("does not say who answered in this window", async () => {
  const test = await asking()
  await test.ready()
  const ended = next(test.session, "tool.ended")
  test.press("y")
  await ended
  expect(await test.hides("┌ approve")).not.toContain("approved by")
})

it("takes keys that were typed ahead as text", async () => {
  const test = await asking()
  test.press("y")
  await test.shows("› y")
  expect(test.session.state.approvals[0]?.outcome).toBeUndefined()
})

it.each([
  { columns: 10, rows: 3 },
  { columns: 15, rows: 24 },
  { columns: 80, rows: 8 },
])("takes no answer in $columns columns and $rows rows, where the call cannot be seen", async (size) => {
  const test = await testScreen({ script: [[push]], tools: [bash], preset: "careful", size })
  await prompt(test.session, "push it")
  await expect.poll(() => test.screen.state.card?.isReady).toBe(true) // which changes nothing on the screen
  test.press("y")
  await test.shows("› y")
  expect(test.session.state.approvals[0]?.outcome).toBeUndefined()
})

it.each([
  { columns: 20, rows: 24 },
  { columns: 80, rows: 12 },
])("shows the call and takes an answer in $columns columns and $rows rows", async (size) => {
  const test = await testScreen({ script: [[push], [{ text: "ok" }]], tools: [bash], preset: "careful", size })
  await prompt(test.session, "push it")
  await test.ready()
  expect(test.text().replaceAll(/[\s│]/g, "")).toContain("gitpushoriginmain")
  const ended = next(test.session, "tool.ended")
  test.press("y")
  await ended
})

it("takes a paste as text", async () => {
  const test = await asking()
  await test.ready()
  test.press("\u001b[200~y\u001b[201~")
  await test.shows("› y")
  expect(test.session.state.approvals[0]?.outcome).toBeUndefined()
})

it("takes a letter that other letters follow at once as text", async () => {
  const test = await asking()
  await test.ready()
  test.press("y", "e", "s")
  await test.shows("› yes")
  expect(test.session.state.approvals[0]?.outcome).toBeUndefined()
})

it("denies with n and a reason", async () => {
  const test = await asking()
  const decided = next(test.session, "approval.decided")
  await test.ready()
  test.press("n")
  await test.shows("Why? The agent reads it.")
  test.press("not on Fridays", keys.enter)
  expect(await decided).toMatchObject({ outcome: "denied", note: "not on Fridays" })
})

it("runs the changed call after e", async () => {
  const test = await asking()
  await test.ready()
  test.press("e")
  await test.shows("› git push origin main")
  test.press(" --dry-run", keys.enter)
  await test.shows("approve the changed call")
  const ended = next(test.session, "tool.ended")
  await test.ready()
  test.press("y")
  expect((await ended).output).toContain('ran {"command":"git push origin main --dry-run"}')
})

it("shows the exact arguments with d and returns to the card", async () => {
  const test = await asking()
  await test.ready()
  test.press("d")
  await test.shows('"command": "git push origin main"')
  test.press(keys.escape)
  expect(await test.shows("┌ approve")).not.toContain('"command"')
})

it("remembers exactly this call with t", async () => {
  const test = await asking()
  const granted = next(test.session, "policy.granted")
  await test.ready()
  test.press("t")
  expect(await granted).toMatchObject({ pattern: "git push origin main", scope: "session" })
})

it("remembers the command in this folder with f", async () => {
  const test = await asking()
  const granted = next(test.session, "policy.granted")
  await test.ready()
  test.press("f")
  expect(await granted).toMatchObject({ pattern: "git push origin *", scope: "folder" })
})

it("goes through several requests with alt-n and answers the one that is shown", async () => {
  const tag = { call: { tool: "bash", input: { command: "git tag v2" } } }
  const test = await asking([push, tag])
  await test.shows("1 of 2")
  test.press(alt("n"))
  await test.shows("2 of 2")
  await test.ready()
  const ended = next(test.session, "tool.ended")
  test.press("y")
  expect((await ended).output).toContain("git tag v2")
  expect(await test.shows("git push origin main")).not.toContain("2 of 2")
})

it("removes the card when another client answers", async () => {
  const test = await asking()
  const [request] = test.session.state.approvals
  if (request === undefined) throw new Error("no request")
  await test.session.send({ type: "approve", approvalId: request.id, approved: true }, { ...you, principal: "root" })
  await test.until((text) => /✓ approved by root on test, \d\d:\d\d:\d\d · git push origin main/.test(text))
  expect(test.text()).not.toContain("┌ approve")
})
