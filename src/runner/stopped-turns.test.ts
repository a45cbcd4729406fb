import { describe, expect, it } from "vitest"
import type { SessionDelta } from "../contract/deltas.ts"
import { history, newSession, next, prompt, reopen, testHost, testTool, turn, you } from "../testing/test-host.ts"
import { gate, scriptedSource } from "../testing/index.ts"
import { LiveStep } from "./model/live-step.ts"
import { call, say, types } from "./fixtures/turns.ts"

describe("an interrupt", () => {
  it("aborts the model at once and keeps its text", async () => {
    const { host, log } = await testHost(scriptedSource([[{ chunks: ["Once "] }, { hang: true }]]))
    const session = await newSession(host)
    const ended = turn(session, "tell")
    await new Promise<void>((resolve) => session.watch((item) => item.kind === "delta" && resolve()))
    await session.send({ type: "interrupt" }, you)
    expect(await ended).toMatchObject({ reason: "interrupted", by: you })
    expect(await history(log, session.id)).toContainEqual(expect.objectContaining({ text: "Once ", interrupted: true }))
  })

  it("publishes no text that the stored text lacks, also when the model writes while it is stored", async () => {
    const { host, log } = await testHost(scriptedSource([[{ hang: true }]]))
    const session = await newSession(host)
    const ended = turn(session, "tell")
    const stepId = (await next(session, "step.started")).stepId
    const publish = (delta: SessionDelta) => session.publish(delta)
    const live = new LiveStep(stepId, { ...session.services, publish })
    session.stream(live)
    const shown: string[] = []
    session.watch((item) => item.kind === "delta" && item.delta.type === "text.delta" && shown.push(item.delta.delta))
    live.accept({ type: "text-delta", id: "a", delta: "Once " })
    const append = log.append.bind(log)
    log.append = (...given) => {
      live.accept({ type: "text-delta", id: "a", delta: "upon " })
      return append(...given)
    }
    await session.send({ type: "interrupt" }, you)
    await ended
    live.accept({ type: "text-delta", id: "a", delta: "a time" })
    expect(shown.join("")).toBe("Once ")
    expect(await history(log, session.id)).toContainEqual(expect.objectContaining({ text: "Once ", interrupted: true }))
  })

  it("publishes no text of a model that begins to write while the end of its turn is stored", async () => {
    const { host, log } = await testHost(scriptedSource([[{ hang: true }]]))
    const session = await newSession(host)
    const ended = turn(session, "tell")
    const stepId = (await next(session, "step.started")).stepId
    const shown: string[] = []
    session.watch((item) => item.kind === "delta" && item.delta.type === "text.delta" && shown.push(item.delta.delta))
    const append = log.append.bind(log)
    log.append = (...given) => {
      const publish = (delta: SessionDelta) => session.publish(delta)
      const live = new LiveStep(stepId, { ...session.services, publish })
      session.stream(live)
      live.accept({ type: "text-delta", id: "a", delta: "Once " })
      return append(...given)
    }
    await session.send({ type: "interrupt" }, you)
    expect(await ended).toMatchObject({ reason: "interrupted" })
    expect(shown).toEqual([])
    expect(types(await history(log, session.id))).not.toContain("text.ended")
  })

  it("ends the turn although a tool does not stop, and drops its later result", async () => {
    const stubborn = gate()
    const tool = testTool("stubborn", async () => (await stubborn.pass(), { outcome: "done", output: "late" }))
    const { host, log } = await testHost(scriptedSource([[call("stubborn")], [say("Next.")]]), [tool])
    const session = await newSession(host)
    const ended = turn(session, "go")
    await stubborn.arrived
    await session.send({ type: "interrupt" }, you)
    expect(await ended).toMatchObject({ reason: "interrupted" })
    stubborn.open()
    expect(await turn(session, "again")).toMatchObject({ reason: "done" })
    const results = (await history(log, session.id)).filter((event) => event.type === "tool.ended")
    expect(results).toMatchObject([{ outcome: "cancelled" }])
  })
})

describe("an approval", () => {
  const careful = { preset: "careful" } as const
  const script = [[call("rm")], [say("Done.")]]

  it("delays an unsafe call until any client approves it", async () => {
    let runs = 0
    const rm = testTool("rm", () => ({ outcome: "done", output: String((runs += 1)) }))
    const { host } = await testHost(scriptedSource(script), [rm])
    const session = await newSession(host, careful)
    const asked = next(session, "approval.requested")
    const ended = turn(session, "go")
    const { approvalId, digest } = await asked
    expect(runs).toBe(0)
    expect((await session.send({ type: "approve", approvalId, approved: true, digest }, you)).kind).toBe("accepted")
    expect(await ended).toMatchObject({ reason: "done" })
    expect(runs).toBe(1)
    expect(await session.send({ type: "approve", approvalId, approved: false }, you)).toMatchObject({
      refusal: { code: "approval.settled", outcome: "approved" },
    })
  })

  it("that expires refuses the call and the turn continues", async () => {
    const rm = testTool("rm", () => ({ outcome: "done", output: "" }))
    const { host, log } = await testHost(scriptedSource(script), [rm], { approvalWaitMs: 0 })
    const session = await newSession(host, careful)
    expect(await turn(session, "go")).toMatchObject({ reason: "done" })
    expect(types(await history(log, session.id))).not.toContain("tool.started")
  })

  it("survives a restart", async () => {
    let runs = 0
    const rm = testTool("rm", () => ({ outcome: "done", output: String((runs += 1)) }))
    const first = await testHost(scriptedSource(script), [rm])
    const session = await newSession(first.host, careful)
    const asked = next(session, "approval.requested")
    await prompt(session, "go")
    const { approvalId } = await asked
    await first.crash()
    const second = await testHost(scriptedSource(script), [rm], {}, first.log)
    const again = await reopen(second.host, session.id)
    const ended = next(again, "turn.ended")
    await again.send({ type: "approve", approvalId, approved: true }, you)
    expect(await ended).toMatchObject({ reason: "done" })
    expect(runs).toBe(1)
  })
})
