// `tools.allow` in a home with documents: only documents that were given to the model, because they fit, make calls ask.
import { afterEach, beforeEach, expect, it } from "vitest"
import { denyGate, noPaths, noRules, policyGate } from "../../src/features/approvals/effects/policy.ts"
import { temporaryIndex, type TemporaryIndex } from "../../src/knowledge/fixtures/temporary-index.ts"
import { SearchClient } from "../../src/knowledge/search/search-client.ts"
import { modeGate } from "../../src/runner/tools/gates.ts"
import { scriptedSource } from "../../src/testing/scripted-source.ts"
import { history, newSession, next, testHost, testTool, turn, you, type TestHost } from "../../src/testing/test-host.ts"
import { knowledgeSearchTool } from "../../src/tools/knowledge-search.ts"

const call = [{ call: { tool: "deploy", input: {} } }]

let index: TemporaryIndex
let search: SearchClient
let tested: TestHost
let deployed = 0

beforeEach(async () => {
  deployed = 0
  index = temporaryIndex()
  await index.put(
    { name: "returns.md", text: "# Returns\n\nGoods can be sent back within 30 days of delivery. Help is free." },
    { name: "hello.md", text: "# Hello\n\nHello, thanks a lot, have a nice day, and please help." },
  )
  search = new SearchClient({ path: index.path, embedder: undefined })
  const deploy = testTool("deploy", () => ({ outcome: "done", output: `deployed ${(deployed += 1)}` }))
  const rules = { ...noRules, allow: ["deploy"] }
  const steps = Array.from({ length: 4 }, () => [call, [{ text: "Done." }]]).flat()
  tested = await testHost(scriptedSource(steps), [deploy, knowledgeSearchTool(search)], {
    knowledge: { source: search, autoRetrieve: 3 },
    gates: [modeGate, denyGate(rules, noPaths), policyGate(rules, noPaths)],
  })
})
afterEach(async () => {
  await tested.host.close()
  await search.close()
  index.delete()
})

it("runs an allowed tool without a question after small talk, also after a turn with documents", async () => {
  const session = await newSession(tested.host, { preset: "careful" })
  await turn(session, "Hello, can you help me? Thanks a lot!")
  expect(deployed).toBe(1)
  const refused = next(session, "approval.requested").then(async ({ approvalId, digest, reason }) => {
    await session.send({ type: "approve", approvalId, approved: false, digest }, you)
    return reason
  })
  await turn(session, "Within how many days can goods be sent back?")
  expect(await refused).toContain("Untrusted text (documents: returns.md)")
  expect(deployed).toBe(1)
  await turn(session, "Okay, thank you, have a nice day.")
  expect(deployed).toBe(2)
  const types = (await history(tested.log, session.id)).map(({ type }) => type)
  expect(types.filter((type) => type === "context.retrieved")).toHaveLength(1)
  expect(types.filter((type) => type === "approval.requested")).toHaveLength(1)
})

it("runs an allowed tool without a question after a prompt that no document fits", async () => {
  const session = await newSession(tested.host, { preset: "careful" })
  await turn(session, "Deploy the newest build of the weather station to Mars")
  expect(deployed).toBe(1)
  expect(session.state.taintedBy).toBeUndefined()
})
