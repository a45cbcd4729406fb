import { expect, it } from "vitest"
import { scriptedSource } from "../../testing/index.ts"
import { history, newSession, testHost, testTool, turn } from "../../testing/test-host.ts"

it("refuses a call that would fail before a person is asked about it, and the model learns why", async () => {
  const reason = "a.txt exists and was not read."
  const write = testTool("write", () => ({ outcome: "done", output: "" }), {
    changes: async () => ({ kind: "no", reason }),
  })
  const script = [[{ call: { tool: "write", input: { path: "a.txt" } } }], [{ text: "I read it first." }]]
  const { host, log } = await testHost(scriptedSource(script), [write])
  const session = await newSession(host, { preset: "careful" })
  expect(await turn(session, "go")).toMatchObject({ reason: "done" })
  const events = await history(log, session.id)
  expect(events.filter(({ type }) => type === "approval.requested" || type === "tool.started")).toEqual([])
  expect(events).toContainEqual(expect.objectContaining({ type: "tool.refused", by: "tools", reason }))
})
