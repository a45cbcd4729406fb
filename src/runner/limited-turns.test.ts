import { describe, expect, it } from "vitest"
import { contextItems } from "../projection/context.ts"
import { history, newSession, next, prompt, testHost, turn, you } from "../testing/test-host.ts"
import { scriptedSource } from "../testing/index.ts"
import { say, types } from "./fixtures/turns.ts"

describe("compaction", () => {
  it("summarises with the model and keeps the whole log", async () => {
    const { host, log } = await testHost(scriptedSource([[say("Hello.")]]))
    const session = await newSession(host)
    await turn(session, "hi")
    const compacted = next(session, "context.compacted")
    await session.send({ type: "compact" }, you)
    expect(await compacted).toMatchObject({ summary: expect.stringContaining("hi") })
    expect(contextItems(session.context)).toMatchObject([{ kind: "summary", text: expect.stringContaining("Hello.") }])
    expect(await history(log, session.id)).toContainEqual(
      expect.objectContaining({ type: "text.ended", text: "Hello." }),
    )
  })

  it("happens automatically before the context is full, and the turn continues", async () => {
    const long = "word ".repeat(2000)
    const models = scriptedSource([[say("Noted.")], [say("Still here.")]], { contextWindow: 4000 })
    const { host, log } = await testHost(models)
    const session = await newSession(host)
    await turn(session, long)
    expect(await turn(session, `${long} and now?`)).toMatchObject({ reason: "done" })
    const events = await history(log, session.id)
    expect(types(events)).toContain("context.compacted")
    expect(events.filter((event) => event.type === "turn.ended")).toHaveLength(2)
  })
})

describe("a budget", () => {
  it("parks the turn before a call that could exceed it, and resumes when it is raised", async () => {
    const models = scriptedSource([[say("Paid.")]], { costUsd: () => 2 })
    const { host } = await testHost(models)
    const session = await newSession(host, { budget: { usd: 1 } })
    const parked = next(session, "turn.parked")
    const ended = turn(session, "go")
    expect(await parked).toMatchObject({ why: "budget", message: expect.stringContaining("1 USD") })
    await session.send({ type: "raise-budget", budget: { usd: 10 } }, you)
    expect(await ended).toMatchObject({ reason: "done" })
    expect(session.state.spent.usd).toBe(2)
  })

  it("in USD refuses a model without a price", async () => {
    const { host } = await testHost(scriptedSource([[say("x")]], { costUsd: () => undefined }))
    const session = await newSession(host, { budget: { usd: 1 } })
    const parked = next(session, "turn.parked")
    await prompt(session, "go")
    expect(await parked).toMatchObject({ message: expect.stringContaining("no price is known") })
  })
})

describe("a child session", () => {
  it("works on its task, and its parent gets the result and the cost", async () => {
    const models = scriptedSource([[say("The answer is 4.")]], { costUsd: () => 0.5 })
    const { host, log } = await testHost(models)
    const parent = await newSession(host)
    const childId = "01890000-0000-7000-8000-0000000000aa"
    const ended = next(parent, "child.ended")
    await parent.send({ type: "spawn", childId, task: "what is 2 + 2?" }, you)
    expect(await ended).toMatchObject({ outcome: "done", result: "The answer is 4.", costUsd: 0.5 })
    expect((await history(log, childId))[0]).toMatchObject({ parent: { sessionId: parent.id, depth: 1 } })
    expect(parent.state.spent.usd).toBe(0.5)
  })
})
