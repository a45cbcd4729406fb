import { setImmediate } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { openMemoryLog } from "../log/sqlite/sqlite-log.ts"
import { history, newSession, next, prompt, reopen, testHost, testTool, you } from "../testing/test-host.ts"
import { gate, scriptedSource } from "../testing/index.ts"
import { SessionAdoption } from "./session-adoption.ts"
import { hibernateTree } from "./hibernation.ts"

const childId = "01890000-0000-7000-8000-0000000000aa"

describe("a tree that hibernates", () => {
  it("finishes an unsafe call, closes every session and is not continued before it is woken", async () => {
    const log = openMemoryLog()
    const working = gate()
    const pay = testTool("pay", async () => (await working.pass(), { outcome: "done", output: "paid" }))
    const { host } = await testHost(
      scriptedSource([[{ call: { tool: "pay", input: {} } }], [{ text: "Paid." }]]),
      [pay],
      { adopts: true },
      log,
    )
    const parent = await newSession(host)
    await parent.send({ type: "spawn", childId, task: "pay" }, you)
    await working.arrived
    const hibernating = hibernateTree(host, parent, you)
    working.open()
    expect((await hibernating).kind).toBe("accepted")
    expect(host.size).toBe(0)
    await new SessionAdoption(host, { now: Date.now, warn: () => {} }).round()
    expect(host.size).toBe(0)
    const types = (await history(log, childId)).map(({ type }) => type)
    expect(types).toContain("tool.ended")
    expect(types.at(-1)).toBe("session.hibernated")
    const reopened = await reopen(host, parent.id)
    const ended = next(reopened, "child.ended")
    await reopened.send({ type: "wake" }, you)
    expect(await ended).toMatchObject({ outcome: "done", result: "Paid." })
  })

  it("wakes when it gets a prompt", async () => {
    const log = openMemoryLog()
    const { host } = await testHost(scriptedSource([[{ text: "Good morning." }]]), [], {}, log)
    const session = await newSession(host)
    await hibernateTree(host, session, you)
    const reopened = await reopen(host, session.id)
    const ended = next(reopened, "turn.ended")
    await prompt(reopened, "hello")
    expect(await ended).toMatchObject({ reason: "done" })
  })

  it("is not continued here when another host has taken it over meanwhile", async () => {
    const working = gate()
    const source = scriptedSource([[{ gate: working }, { text: "Seen." }], [{ hang: true }]])
    const { host } = await testHost(source)
    const session = await newSession(host)
    await prompt(session, "look")
    await working.arrived
    const hibernating = hibernateTree(host, session, you)
    session.lose({ code: "log.fenced", sessionId: session.id })
    working.open()
    expect(await hibernating).toMatchObject({ kind: "refused", refusal: { code: "log.fenced" } })
    for (let turn = 0; turn < 20; turn++) await setImmediate() // in which it would be called
    expect(source.model.calls).toHaveLength(1)
  })
})
