import { describe, expect, it } from "vitest"
import { contextItems } from "../projection/context.ts"
import { history, newSession, next, prompt, reopen, testHouse, testTool, turn, you } from "../testing/house.ts"
import { gate, scriptedSource } from "../testing/index.ts"

const childId = "01890000-0000-7000-8000-0000000000aa"

describe("a house", () => {
  it("opens a session that is being closed only when that is over", async () => {
    const { house } = await testHouse(scriptedSource([[{ text: "one" }], [{ text: "two" }]]))
    const session = await newSession(house)
    await turn(session, "hi")
    const closing = house.closeSession(session.id)
    const again = await reopen(house, session.id)
    await closing
    expect(again).not.toBe(session)
    expect(await turn(again, "still there?")).toMatchObject({ reason: "done" })
  })

  it("tells watchers of a session that it was closed", async () => {
    const { house } = await testHouse(scriptedSource([]))
    const session = await newSession(house)
    const told: string[] = []
    session.watch((item) => told.push(item.kind))
    await house.closeSession(session.id)
    expect(told).toEqual(["lost"])
  })

  it("is not stopped for good by an opening that failed", async () => {
    const begun = gate()
    const pay = testTool("pay", async () => (await begun.pass(), { outcome: "done", output: "" }))
    const first = await testHouse(scriptedSource([[{ call: { tool: "pay", input: {} } }]]), [pay])
    const session = await newSession(first.house)
    await prompt(session, "pay")
    await begun.arrived
    await first.crash()
    let tries = 0
    const sweep = async () => {
      tries += 1
      if (tries === 1) throw new Error("too many open files")
      return []
    }
    const second = await testHouse(
      scriptedSource([[{ call: { tool: "pay", input: {} } }], [{ text: "?" }]]),
      [pay],
      { sweep },
      first.log,
    )
    await expect(second.house.open(session.id)).rejects.toThrow("too many open files")
    expect((await second.house.open(session.id)).kind).toBe("opened")
  })

  it("goes on when a watcher throws", async () => {
    const { house } = await testHouse(scriptedSource([[{ text: "Hello." }]]))
    const session = await newSession(house)
    session.watch(() => {
      throw new Error("a bug in a view")
    })
    expect(await turn(session, "hi")).toMatchObject({ reason: "done" })
  })
})

describe("children", () => {
  it("that are to end when idle do not keep the host busy", async () => {
    const working = gate()
    const { house } = await testHouse(scriptedSource([[{ gate: working }, { text: "Done." }]]))
    const parent = await newSession(house)
    const ended = next(parent, "child.ended")
    await parent.send({ type: "spawn", childId, task: "work" }, you)
    await working.arrived
    await parent.send({ type: "signal-children", action: "shutdown-if-idle" }, you)
    await new Promise((resolve) => setTimeout(resolve, 1)) // a timer runs: the event loop is free
    working.open()
    expect(await ended).toMatchObject({ result: "Done." })
  })

  it("do not hold up the closing of the house", async () => {
    const { house } = await testHouse(scriptedSource([[{ hang: true }]]))
    const parent = await newSession(house)
    await parent.send({ type: "spawn", childId, task: "work" }, you)
    await house.close()
    expect((await house.opened(parent.id)).kind).toBe("refused")
  })

  it("are nobody else's sessions, and not oneself", async () => {
    const { house } = await testHouse(scriptedSource([[{ text: "secret" }]]))
    const victim = await newSession(house, { org: "other" })
    const parent = await newSession(house)
    const ended = next(parent, "child.ended")
    await parent.send({ type: "spawn", childId: victim.id, task: "tell me" }, you)
    expect(await ended).toMatchObject({ outcome: "failed", result: expect.stringContaining("not a child") })
    expect(victim.state.seq).toBe(1)
    const self = await parent.send({ type: "spawn", childId: parent.id, task: "t" }, you)
    expect(self).toMatchObject({ refusal: { code: "child.exists" } })
  })

  it("are paid for once, with all that they spawned", async () => {
    const { house } = await testHouse(scriptedSource([[{ text: "ok" }]], { costUsd: () => 0.5 }))
    const parent = await newSession(house)
    const ended = next(parent, "child.ended")
    await parent.send({ type: "spawn", childId, task: "t" }, you)
    await ended
    expect(await parent.send({ type: "spawn", childId, task: "t" }, you)).toMatchObject({
      refusal: { code: "child.exists" },
    })
    expect(parent.state.spent.usd).toBe(0.5)
  })

  it("that ask for an approval are heard in their parent", async () => {
    const rm = testTool("rm", () => ({ outcome: "done", output: "" }))
    const { house } = await testHouse(scriptedSource([[{ call: { tool: "rm", input: {} } }], [{ text: "ok" }]]), [rm])
    const parent = await newSession(house, { preset: "careful" })
    const reported = next(parent, "child.reported")
    await parent.send({ type: "spawn", childId, task: "t" }, you)
    expect(await reported).toMatchObject({ childId, status: expect.stringContaining("apr_") })
  })
})

describe("a session", () => {
  it("whose first prompt alone fills the context still shows it to the model", async () => {
    const { house } = await testHouse(scriptedSource([[{ text: "Long indeed." }]], { contextWindow: 2000 }))
    const session = await newSession(house)
    await turn(session, "word ".repeat(3000))
    expect(contextItems(session.context).map((item) => item.kind)).toEqual(["user", "assistant"])
  })

  it("does not take a picture for text", async () => {
    const { house, log } = await testHouse(scriptedSource([[{ text: "A cat." }]], { contextWindow: 20_000 }))
    const session = await newSession(house)
    const ended = next(session, "turn.ended")
    const picture = { name: "a.png", mediaType: "image/png", data: "A".repeat(500_000) }
    await session.send(
      { type: "prompt", promptId: "prm_p", text: "what is it?", attachments: [picture], ifBusy: "wait" },
      you,
    )
    await ended
    expect((await history(log, session.id)).map(({ type }) => type)).not.toContain("compaction.started")
  })

  it("is rewound to the ends of turns and nowhere else", async () => {
    const { house } = await testHouse(scriptedSource([[{ text: "one" }], [{ text: "two" }]]))
    const session = await newSession(house)
    await turn(session, "first")
    const afterFirst = session.state.seq
    await turn(session, "second")
    expect(await session.send({ type: "rewind", toSeq: afterFirst - 2 }, you)).toMatchObject({ kind: "refused" })
    expect(await session.send({ type: "rewind", toSeq: afterFirst }, you)).toMatchObject({ kind: "accepted" })
    expect(contextItems(session.context)).toMatchObject([{ text: "first" }, { parts: [{ text: "one" }] }])
  })

  it("gives a call its result although a gate fails", async () => {
    const gates = [() => Promise.reject(new Error("a bug in a gate"))]
    const echo = testTool("echo", () => ({ outcome: "done", output: "" }))
    const { house, log } = await testHouse(
      scriptedSource([[{ call: { tool: "echo", input: {} } }], [{ text: "Hm." }]]),
      [echo],
      { gates },
    )
    const session = await newSession(house)
    expect(await turn(session, "go")).toMatchObject({ reason: "done" })
    expect(await history(log, session.id)).toContainEqual(
      expect.objectContaining({ type: "tool.refused", by: "tools" }),
    )
  })

  it("lets no second writer at a thing while an interrupted one is still ending", async () => {
    const running: string[] = []
    const stubborn = gate()
    const write = testTool(
      "write",
      async (_, { callId }) => {
        running.push(callId)
        await stubborn.pass()
        return { outcome: "done", output: "" }
      },
      { resources: () => ["file:/a"] },
    )
    const call = { call: { tool: "write", input: {} } }
    const { house } = await testHouse(scriptedSource([[call, call], [call], [{ text: "ok" }]]), [write])
    const session = await newSession(house)
    const stopped = turn(session, "both")
    await stubborn.arrived
    await session.send({ type: "interrupt" }, you)
    await stopped
    const ended = turn(session, "again")
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(running).toHaveLength(1)
    stubborn.open()
    await ended
    expect(running).toHaveLength(2)
  })
})
