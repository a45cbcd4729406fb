// Incomplete answers through the real program and a provider on loopback: each has its finish reason, a message on
// stderr and an exit code.
import { describe, expect, it, type TestContext } from "vitest"
import type { Reply } from "../provider-server/script.ts"
import { startProviderServer, type ProviderServer } from "../provider-server/server.ts"
import { expectNoStack } from "./complaints.ts"
import { expectIdle, expectValid } from "./history.ts"
import { eventsOf } from "./printed.ts"
import { newPlace, type Place } from "./turnhouse.ts"

const failed = 1

async function world(
  test: TestContext,
  type: string,
  ...replies: Reply[]
): Promise<{ place: Place; server: ProviderServer }> {
  const place = newPlace(test)
  const server = await startProviderServer({ replies })
  test.onTestFinished(() => server.close())
  const provider = { type, baseURL: `${server.url}/v1`, apiKey: "k" }
  place.config({ model: "gateway/claude-sonnet-5", providers: { gateway: provider } })
  return { place, server }
}

describe.concurrent("an answer that is not a whole one", () => {
  it.for([
    ["length", "openai-compatible", { blocks: [{ text: "Half an" }], finish: "length" }, "cut off at the limit"],
    ["content-filter", "openai-compatible", { blocks: [], finish: "content-filter" }, "content filter stopped"],
    ["refusal", "anthropic", { blocks: [{ text: "I can't." }], finish: "content-filter" }, "refused to answer"],
    ["empty", "openai-compatible", { blocks: [], finish: "stop" }, "empty answer"],
  ] as const)("has the finish reason %s, a message and exit code 1", async ([finish, type, reply, message], test) => {
    const { place } = await world(test, type, reply)
    const ended = await place.run("run", "hello")
    expectNoStack(ended)
    expect(ended.code).toBe(failed)
    expect(ended.stderr).toContain(message)
    const id = await place.newest()
    const log = await place.log(id)
    expectValid(log)
    expectIdle(log)
    expect(eventsOf(log, "response.ended")).toMatchObject([{ finish }])
    expect(eventsOf(log, "turn.ended")).toMatchObject([{ reason: "done", finish }])
    expect(await place.run("run", "--session", id)).toMatchObject({
      code: failed,
      stderr: expect.stringContaining(message),
    })
  })

  it("that ends within a tool call is reported to the model as cut by the length limit, and the turn continues", async (test) => {
    const cut: Reply = { blocks: [{ tool: "write", raw: '{"path":"a.txt","content":"aaaa' }], finish: "length" }
    const { place, server } = await world(test, "openai-compatible", cut, { blocks: [{ text: "In parts, then." }] })
    expect(await place.run("run", "write it")).toMatchObject({ code: 0, stdout: "In parts, then.\n" })
    expect(place.has("a.txt")).toBe(false)
    const told = JSON.stringify(server.requests[1]?.body["messages"])
    expect(told).toContain("your answer reached the limit of output tokens before its arguments were complete")
    expect(told).not.toContain("not valid JSON")
  })
})
