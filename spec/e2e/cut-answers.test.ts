// Answers whose stream breaks off, through the real program and a provider on loopback.
import { describe, expect, it, type TestContext } from "vitest"
import type { Reply } from "../provider-server/script.ts"
import { startProviderServer, type ProviderServer } from "../provider-server/server.ts"
import { expectNoStack } from "./complaints.ts"
import { expectIdle, expectValid } from "./history.ts"
import { eventsOf } from "./printed.ts"
import { newPlace, type Place } from "./turnhouse.ts"

const rest: Reply = { blocks: [{ text: " and the rest." }] }
const half = { blocks: [{ text: "Half an answer" }] }

async function world(test: TestContext, ...replies: Reply[]): Promise<{ place: Place; server: ProviderServer }> {
  const place = newPlace(test)
  const server = await startProviderServer({ replies })
  test.onTestFinished(() => server.close())
  const gateway = { type: "openai-compatible", baseURL: `${server.url}/v1` }
  place.config({ model: "gateway/large", providers: { gateway } })
  return { place, server }
}

describe.concurrent("an answer that breaks off after its first content", () => {
  it.for(["cut", "eof", "overloaded"] as const)("is continued where it stopped: %s", async (end, test) => {
    const { place, server } = await world(test, { ...half, end, betweenMs: 20 }, rest)
    const ended = await place.run("run", "go")
    expectNoStack(ended)
    expect(ended).toMatchObject({ code: 0, stdout: "Half an answer and the rest.\n" })
    const log = await place.log(await place.newest())
    expectValid(log)
    expectIdle(log)
    expect(eventsOf(log, "text.ended")).toMatchObject([{ text: "Half an answer", interrupted: true }, rest.blocks?.[0]])
    const [first, second] = eventsOf(log, "step.started")
    expect(second?.["continues"]).toBe(first?.["stepId"])
    expect(JSON.stringify(server.requests[1]?.body["messages"])).toContain("Continue it exactly where it stops")
  })

  it("is requested again where nothing was shown", async (test) => {
    const tool: Reply = { blocks: [{ tool: "ls", raw: '{"path":' }], end: "cut", betweenMs: 20 }
    const { place } = await world(test, tool, { blocks: [{ text: "Whole." }] })
    expect(await place.run("run", "go")).toMatchObject({ code: 0, stdout: "Whole.\n" })
    const log = await place.log(await place.newest())
    expectValid(log)
    expect(eventsOf(log, "step.started")).toHaveLength(1)
  })

  it("repeatedly fails the turn with a message, and the received text is kept", async (test) => {
    const { place, server } = await world(test, { ...half, end: "eof", times: 5 }, rest)
    const ended = await place.run("run", "go")
    expectNoStack(ended)
    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain("The provider broke off the answer 4 times in a row")
    expect(ended.stdout).toContain("Half an answer")
    expect(server.requests).toHaveLength(4)
    expectIdle(await place.log(await place.newest()))
    expect(await place.run("run", "--continue", "go on")).toMatchObject({
      code: 0,
      stdout: "Half an answer and the rest.\n",
    })
  })
})
