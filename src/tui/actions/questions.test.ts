import { expect, it } from "vitest"
import { next, prompt, testTool } from "../../testing/test-host.ts"
import { askTool } from "../../tools/asking/ask.ts"
import type { Elicitation, SamplingRequest, ToolContext } from "../../tools/tool.ts"
import { keys, testScreen } from "../fixtures/test-screen.ts"

const question = { question: "Which database?", options: [{ label: "PostgreSQL" }, { label: "SQLite" }] }

async function asked() {
  const call = { call: { tool: "ask", input: { questions: [question] } } }
  const test = await testScreen({ script: [[call], [{ text: "I use it." }]], tools: [askTool] })
  await prompt(test.session, "choose")
  await test.shows("1. PostgreSQL")
  return test
}

it("answers a question with what is typed", async () => {
  const test = await asked()
  const ended = next(test.session, "tool.ended")
  test.press("2", keys.enter)
  expect((await ended).output).toContain("Answer: SQLite")
  expect(await test.shows("I use it.")).toContain("answered by you: SQLite")
})

it("declines a question with /deny", async () => {
  const test = await asked()
  const decided = next(test.session, "approval.decided")
  test.press("/deny", keys.enter)
  expect(await decided).toMatchObject({ outcome: "denied" })
})

const elicitation: Elicitation = {
  server: "shop",
  message: "Which size?",
  questions: [{ question: "Size?", options: [{ label: "S" }, { label: "L" }] }],
}
const sampling: SamplingRequest = { server: "shop", messages: [{ role: "user", text: "Name a shirt" }], maxTokens: 100 }

async function askedByServer(work: (context: ToolContext) => Promise<unknown> | undefined) {
  const tool = testTool("work", async (_, context) => ({
    outcome: "done",
    output: JSON.stringify(await work(context)),
  }))
  const call = { call: { tool: "work", input: {} } }
  const test = await testScreen({ script: [[call], [{ text: "A shirt." }], [{ text: "Done." }]], tools: [tool] })
  await prompt(test.session, "work")
  return test
}

it("answers a question of an MCP server", async () => {
  const test = await askedByServer(({ elicit, signal }) => elicit?.(elicitation, signal))
  await test.shows("question of MCP server 'shop'")
  const ended = next(test.session, "tool.ended")
  test.press("2", keys.enter)
  expect((await ended).output).toContain('"L"')
})

it("allows a prompt of an MCP server with y", async () => {
  const test = await askedByServer(({ sample, signal }) => sample?.(sampling, signal))
  await test.shows("user: Name a shirt")
  await test.ready()
  const ended = next(test.session, "tool.ended")
  test.press("y")
  expect((await ended).output).toContain('"kind":"answered"')
})
