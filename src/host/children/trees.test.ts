// Trees of sessions as a whole: stopping, requests below the root, detaching, hibernation, and crashes.
import { describe, expect, it } from "vitest"
import { history, newSession, next, prompt, reopen, testHost, testTool, turn, you } from "../../testing/test-host.ts"
import { gate, scriptedSource, type Step } from "../../testing/index.ts"
import type { SessionHost } from "../session-host.ts"
import { childId, found, idOf, models, opening, wide } from "./fixtures/tree-sessions.ts"
import { answerInTree } from "./open-tree.ts"

const rmChanges = [{ path: "x", added: 0, removed: 1, lines: [{ sign: "-" as const, at: 1, text: "old" }] }]
const rmTool = testTool("rm", () => ({ outcome: "done", output: "gone" }), {
  changes: async () => ({ kind: "changes", changes: rmChanges }),
})
const rmCall: Step = [{ call: { tool: "rm", input: { path: "x" } } }]

/** A root, its child and its grandchild; the grandchild waits for an approval. */
async function threeGenerations(host: SessionHost) {
  const root = await newSession(host, { preset: "careful", ...wide })
  const request = next(root, "child.asked")
  await root.send({ type: "spawn", childId: idOf(1), reason: "middle" }, you)
  const middle = await opening(host, idOf(1))
  await middle.send({ type: "spawn", childId: idOf(2), task: "remove x", model: "worker" }, you)
  return { root, middle, asked: await request }
}

describe("a tree", () => {
  it("is stopped with all descendants, and all of them are charged", async () => {
    const facts = { costUsd: () => 0.5 }
    const sources = new Map([["hangs", scriptedSource([[{ text: "one" }], [{ hang: true }]], facts)]])
    const none = scriptedSource([])
    const { host, log } = await testHost({ resolve: async (name) => (sources.get(name) ?? none).resolve(name) })
    const root = await newSession(host, wide)
    await root.send({ type: "spawn", childId: idOf(1) }, you)
    const middle = await opening(host, idOf(1))
    await middle.send({ type: "spawn", childId: idOf(2), model: "hangs" }, you)
    const last = await opening(host, idOf(2))
    await turn(last, "cheap")
    const hanging = next(last, "step.started")
    await prompt(last, "for ever")
    await hanging
    const ended = next(root, "child.ended")
    await root.send({ type: "end", when: "now" }, you)
    expect(await ended).toMatchObject({ childId: idOf(1), costUsd: 0.5 })
    for (const session of [root, middle, last]) expect(session.state).toMatchObject({ life: "ended", turn: undefined })
    expect((await history(log, idOf(2))).at(-1)).toMatchObject({ type: "session.ended" })
  })

  it("does not keep agents that cannot be collected any more", async () => {
    const { host } = await testHost(models({ idle: [] }))
    const root = await newSession(host, wide)
    await root.send({ type: "spawn", childId: idOf(1) }, you)
    const middle = await opening(host, idOf(1))
    await middle.send({ type: "spawn", childId: idOf(2), model: "idle" }, you)
    const last = await opening(host, idOf(2))
    const ended = next(root, "child.ended")
    await middle.send({ type: "end", when: "idle" }, you)
    await ended
    expect(last.state.life).toBe("ended")
  })

  it("lets a grandchild's request be answered at its root", async () => {
    const { host } = await testHost(models({ worker: [rmCall, [{ text: "removed" }]] }), [rmTool])
    const { root, middle, asked: request } = await threeGenerations(host)
    expect(request).toMatchObject({ childId: idOf(1), sessionId: idOf(2), tool: "rm", input: { path: "x" } })
    expect(root.status).toMatchObject({ openApprovals: 0, childApprovals: 1 })
    const { approvalId, digest } = request
    const wrong = await answerInTree(host, root, { type: "approve", approvalId, approved: true, digest: "no" }, you)
    expect(wrong).toMatchObject({ refusal: { code: "approval.changed" } })
    const answered = next(root, "child.answered")
    const reported = next(middle, "child.ended")
    await answerInTree(host, root, { type: "approve", approvalId, approved: true, digest }, you)
    expect(await answered).toMatchObject({ approvalId, outcome: "approved", by: you })
    expect(await reported).toMatchObject({ outcome: "done", result: "removed" })
    expect(root.status.childApprovals).toBe(0)
    const late = await answerInTree(host, root, { type: "approve", approvalId, approved: false }, you)
    expect(late).toMatchObject({ refusal: { code: "approval.settled", outcome: "approved", by: you } })
  })

  it("has every request once after a crash", async () => {
    const source = models({ worker: [rmCall, [{ text: "removed" }]] })
    const first = await testHost(source, [rmTool])
    const { root, asked: request } = await threeGenerations(first.host)
    await first.crash()
    const second = await testHost(source, [rmTool], {}, first.log)
    const reopened = await reopen(second.host, root.id)
    const grandchild = await opening(second.host, idOf(2))
    const answered = next(reopened, "child.answered")
    await answerInTree(second.host, reopened, { type: "approve", approvalId: request.approvalId, approved: false }, you)
    expect(await answered).toMatchObject({ outcome: "denied" })
    expect(grandchild.state.approvals).toMatchObject([{ outcome: "denied" }])
    const events = await history(second.log, root.id)
    expect(events.filter(({ type }) => type === "child.asked")).toHaveLength(1)
  })

  it("gets requests and answers that were stored while it was closed", async () => {
    const { host } = await testHost(models({ worker: [rmCall, rmCall, [{ text: "ok" }]] }), [rmTool])
    const parent = await newSession(host, { preset: "careful" })
    const first = next(parent, "child.asked")
    await parent.send({ type: "spawn", childId, task: "t", model: "worker" }, you)
    const { approvalId } = await first
    const child = await found(host, childId)
    await host.closeSession(parent.id)
    const second = next(child, "approval.requested")
    await child.send({ type: "approve", approvalId, approved: true }, you)
    await second
    const reopened = await reopen(host, parent.id)
    const [answered, request] = [next(reopened, "child.answered"), next(reopened, "child.asked")]
    expect(await answered).toMatchObject({ approvalId, outcome: "approved", by: you })
    expect(await request).toMatchObject({
      tool: "rm",
      reason: "rm can change files or other state.",
      changes: rmChanges,
    })
  })

  it("can detach children, which continue as roots", async () => {
    const working = gate()
    const { host } = await testHost(models({ worker: [[{ gate: working }, { text: "done alone" }]] }))
    const parent = await newSession(host)
    await parent.send({ type: "spawn", childId, task: "work", model: "worker" }, you)
    await working.arrived
    const child = await found(host, childId)
    const detached = next(parent, "child.detached")
    await parent.send({ type: "signal-children", action: "detach" }, you)
    await detached
    expect(child.status).toMatchObject({ parentId: undefined, depth: 0 })
    const ended = next(child, "turn.ended")
    working.open()
    expect(await ended).toMatchObject({ reason: "done" })
    expect(parent.state).toMatchObject({ children: [], endedChildren: [] })
  })

  it("lets a child detach itself", async () => {
    const { host } = await testHost(scriptedSource([]))
    const parent = await newSession(host)
    await parent.send({ type: "spawn", childId }, you)
    const child = await opening(host, childId)
    const detached = next(parent, "child.detached")
    await child.send({ type: "orphan" }, you)
    expect(await detached).toMatchObject({ childId })
  })

  it("hibernates and wakes as a whole and continues where it was", async () => {
    const working = gate()
    const source = models({ worker: [[{ gate: working }, { text: "after the rest" }]] })
    const { host, log } = await testHost(source)
    const root = await newSession(host, wide)
    await root.send({ type: "spawn", childId: idOf(1) }, you)
    const middle = await opening(host, idOf(1))
    await middle.send({ type: "spawn", childId: idOf(2), task: "work", model: "worker" }, you)
    await working.arrived
    const grandchild = await found(host, idOf(2))
    const asleep = next(grandchild, "session.hibernated")
    await root.send({ type: "hibernate" }, you)
    await asleep
    expect([root, middle].map(({ status }) => status.hibernated)).toEqual([true, true])
    await host.closeSession(root.id)
    expect(host.size).toBe(0)
    working.open()
    const reopened = await reopen(host, root.id)
    expect(host.size).toBe(1) // it sleeps, and so does everybody below
    await reopened.send({ type: "wake" }, you)
    const awake = await opening(host, idOf(1))
    expect(await next(awake, "child.ended")).toMatchObject({ result: "after the rest" })
    const events = await history(log, idOf(2))
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(["session.hibernated", "session.woken"]))
  })

  it("finds a child again after a crash between its start and its result", async () => {
    const working = gate()
    const script = { worker: [[{ gate: working }, { text: "found again" }]] } as const
    const first = await testHost(models(script))
    const parent = await newSession(first.host)
    await parent.send({ type: "spawn", childId, task: "work", model: "worker" }, you)
    await working.arrived
    await first.crash()
    working.open()
    const second = await testHost(models(script), [], {}, first.log)
    const reopened = await reopen(second.host, parent.id)
    expect(await next(reopened, "child.ended")).toMatchObject({ outcome: "done", result: "found again" })
    const prompts = (await history(first.log, childId)).filter(({ type }) => type === "prompt.admitted")
    expect(prompts).toHaveLength(1)
  })
})
