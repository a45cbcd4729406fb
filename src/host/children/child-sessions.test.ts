import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import type { SessionDelta } from "../../contract/deltas.ts"
import { limits } from "../../contract/limits.ts"
import type { ModelSource } from "../../models/model-source.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import { history, newSession, next, prompt, reopen, testHost, testTool, turn, you } from "../../testing/test-host.ts"
import { gate, scriptedSource, type Step } from "../../testing/index.ts"
import type { SessionHost } from "../session-host.ts"
import { answerInTree } from "./open-tree.ts"

const idOf = (n: number) => `01890000-0000-7000-8000-0000000000${String(n).padStart(2, "0")}`
const childId = idOf(1)
const wide = { limits: { stepsPerTurn: 20, depth: 5, children: 8 } }

/** A script for each model name; every session of a tree may have its own. */
function models(scripts: Record<string, readonly Step[]>): ModelSource {
  const sources = new Map(Object.entries(scripts).map(([name, script]) => [name, scriptedSource(script)]))
  return { resolve: async (name) => (sources.get(name) ?? scriptedSource([])).resolve(name) }
}

const rmChanges = [{ path: "x", added: 0, removed: 1, lines: [{ sign: "-" as const, at: 1, text: "old" }] }]
const rmTool = testTool("rm", () => ({ outcome: "done", output: "gone" }), {
  changes: async () => ({ kind: "changes", changes: rmChanges }),
})
const rmCall: Step = [{ call: { tool: "rm", input: { path: "x" } } }]

async function found(host: SessionHost, sessionId: string): Promise<SessionActor> {
  const opened = await host.opened(sessionId)
  if (opened.kind === "refused") throw new Error(opened.refusal.code)
  return opened.session
}

/** A root, its child and its grandchild; the grandchild waits for an approval. */
async function threeGenerations(host: SessionHost) {
  const root = await newSession(host, { preset: "careful", ...wide })
  const request = next(root, "child.asked")
  await root.send({ type: "spawn", childId: idOf(1), reason: "middle" }, you)
  const middle = await opening(host, idOf(1))
  await middle.send({ type: "spawn", childId: idOf(2), task: "remove x", model: "worker" }, you)
  return { root, middle, asked: await request }
}

/** A child is made in the background of its parent. */
async function opening(host: SessionHost, sessionId: string): Promise<SessionActor> {
  for (;;) {
    const opened = await host.opened(sessionId)
    if (opened.kind === "opened") return opened.session
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe("children", () => {
  it("that end when idle do not keep the host busy", async () => {
    const working = gate()
    const { host } = await testHost(scriptedSource([[{ gate: working }, { text: "Done." }]]))
    const parent = await newSession(host)
    const ended = next(parent, "child.ended")
    await parent.send({ type: "spawn", childId, task: "work" }, you)
    await working.arrived
    await parent.send({ type: "signal-children", action: "shutdown-if-idle" }, you)
    await new Promise((resolve) => setTimeout(resolve, 1)) // a timer runs: the event loop is free
    working.open()
    expect(await ended).toMatchObject({ result: "Done." })
  })

  it("do not delay the closing of the host", async () => {
    const { host } = await testHost(scriptedSource([[{ hang: true }]]))
    const parent = await newSession(host)
    await parent.send({ type: "spawn", childId, task: "work" }, you)
    await host.close()
    expect((await host.opened(parent.id)).kind).toBe("refused")
  })

  it("cannot be sessions of others or the session itself", async () => {
    const { host } = await testHost(scriptedSource([[{ text: "secret" }]]))
    const otherSession = await newSession(host, { org: "other" })
    const parent = await newSession(host)
    const ended = next(parent, "child.ended")
    await parent.send({ type: "spawn", childId: otherSession.id, task: "tell me" }, you)
    expect(await ended).toMatchObject({ outcome: "failed", result: expect.stringContaining("not a child") })
    expect(otherSession.state.seq).toBe(1)
    const self = await parent.send({ type: "spawn", childId: parent.id, task: "t" }, you)
    expect(self).toMatchObject({ refusal: { code: "child.exists" } })
  })

  it("are charged once, with everything that they spawned", async () => {
    const { host } = await testHost(scriptedSource([[{ text: "ok" }]], { costUsd: () => 0.5 }))
    const parent = await newSession(host)
    const ended = next(parent, "child.ended")
    await parent.send({ type: "spawn", childId, task: "t" }, you)
    await ended
    expect(await parent.send({ type: "spawn", childId, task: "t" }, you)).toMatchObject({
      refusal: { code: "child.exists" },
    })
    expect(parent.state.spent.usd).toBe(0.5)
    expect(parent.status.usage.total).toMatchObject({ usd: 0.5, modelCalls: 1, unpricedCalls: 0 })
  })

  it("mark their result as untrusted if their input was", async () => {
    const { host } = await testHost(scriptedSource([[{ text: "ok" }], [{ text: "said" }]]))
    const parent = await newSession(host)
    await parent.send({ type: "spawn", childId }, you)
    const child = await opening(host, childId)
    const turnEnded = next(child, "turn.ended")
    const untrusted = { ifBusy: "wait", untrustedSource: "a web page" } as const
    await child.send({ type: "prompt", promptId: "prm_out", text: "buy this", ...untrusted }, you)
    await turnEnded
    const ended = next(parent, "child.ended")
    await child.send({ type: "end", when: "now" }, you)
    expect(await ended).toMatchObject({ untrustedSource: "a web page" })
    expect(parent.state.taintedBy).toBe("a web page")
    await turn(parent, "go on")
    expect(parent.state.taintedBy).toBeUndefined()
  })

  it("without a task wait for prompts and live until they end", async () => {
    const { host } = await testHost(scriptedSource([[{ text: "one" }], [{ text: "two" }]]))
    const parent = await newSession(host)
    await parent.send({ type: "spawn", childId, reason: "helper" }, you)
    const child = await opening(host, childId)
    expect(child.status).toMatchObject({ parentId: parent.id, spawnReason: "helper", depth: 1 })
    await turn(child, "first")
    await turn(child, "second")
    expect(parent.state.children).toHaveLength(1)
    const ended = next(parent, "child.ended")
    await child.send({ type: "end", when: "now" }, you)
    expect(await ended).toMatchObject({ outcome: "done", result: "two" })
  })

  it("inherit the settings of their parent unless overridden", async () => {
    const folder = await mkdtemp(join(tmpdir(), "turnhouse-child-"))
    folders.push(folder)
    const { host } = await testHost(scriptedSource([]))
    const parent = await newSession(host, { system: "Be brief.", ...wide })
    await parent.send({ type: "spawn", childId: idOf(1) }, you)
    await parent.send({ type: "spawn", childId: idOf(2), cwd: folder, model: "other", system: "Be long." }, you)
    const [same, other] = [await opening(host, idOf(1)), await opening(host, idOf(2))]
    expect(same.state.created).toMatchObject({ cwd: "/", model: "m", system: "Be brief." })
    expect(other.state.created).toMatchObject({ cwd: folder, model: "other", system: "Be long." })
  })

  it("fail if their folder does not exist", async () => {
    const { host } = await testHost(scriptedSource([]))
    const parent = await newSession(host)
    const ended = next(parent, "child.ended")
    await parent.send({ type: "spawn", childId, task: "t", cwd: "/no/such/folder" }, you)
    expect(await ended).toMatchObject({ outcome: "failed", result: "/no/such/folder is not a folder." })
  })

  it("are limited per host", async () => {
    const { host } = await testHost(scriptedSource([]))
    const parents = await Promise.all([1, 2, 3, 4, 5].map(() => newSession(host, wide)))
    const ends: string[] = []
    for (const parent of parents) {
      parent.watch((item) => {
        if (item.kind === "event" && item.recorded.event.type === "child.ended") ends.push(item.recorded.event.result)
      })
    }
    const refused = Promise.race(parents.map((parent) => next(parent, "child.ended")))
    for (let n = 0; n <= limits.agents; n++)
      await parents[Math.floor(n / 8)]?.send({ type: "spawn", childId: idOf(n) }, you)
    expect(await refused).toMatchObject({
      outcome: "failed",
      result: "32 agents are already running, which is the limit.",
    })
    expect(ends).toHaveLength(1)
    await host.close()
  })

  it("report every change of their activity to the parent", async () => {
    const read = testTool("read", () => ({ outcome: "done", output: "" }), { class: "read" })
    const call: Step = [{ call: { tool: "read", input: { path: "src/x.ts" } } }]
    const { host } = await testHost(models({ worker: [call, [{ text: "ok" }]] }), [read])
    const parent = await newSession(host)
    const deltas: SessionDelta[] = []
    parent.watch((item) => item.kind === "delta" && deltas.push(item.delta))
    const ended = next(parent, "child.ended")
    await parent.send({ type: "spawn", childId, task: "look", model: "worker" }, you)
    await ended
    const statuses = deltas.flatMap((delta) => (delta.type === "child.progressed" ? [delta.status] : []))
    expect(statuses).toEqual(["thinking", "reading src/x.ts", "thinking", "idle", "ended"])
  })

  it("that are stopped before they start never start", async () => {
    const source = scriptedSource([[{ text: "too late" }]])
    const { host } = await testHost(source)
    const parent = await newSession(host, wide)
    const ended = next(parent, "child.ended")
    void parent.send({ type: "spawn", childId, task: "work" }, you)
    await parent.send({ type: "end", when: "now" }, you)
    expect(await ended).toMatchObject({ outcome: "interrupted" })
    expect(source.model.calls).toHaveLength(0)
  })

  it("that are detached before they start keep their task", async () => {
    const { host } = await testHost(scriptedSource([[{ text: "on my own" }]]))
    const parent = await newSession(host)
    const detached = next(parent, "child.detached")
    void parent.send({ type: "spawn", childId, task: "work" }, you)
    await parent.send({ type: "signal-children", action: "detach" }, you)
    await detached
    const child = await found(host, childId)
    if (child.state.turn !== undefined) await next(child, "turn.ended")
    expect(child.status).toMatchObject({ title: "work", turns: 1, parentId: undefined })
  })

  it("that are stopped leave no work running", async () => {
    const { host } = await testHost(models({ m: [[{ text: "ok" }]], worker: [[{ hang: true }]] }))
    const parent = await newSession(host, wide)
    const ids = [1, 2, 3].map(idOf)
    for (const id of ids) await parent.send({ type: "spawn", childId: id, task: "work", model: "worker" }, you)
    const children = await Promise.all(ids.map((id) => opening(host, id)))
    await Promise.all(children.map((child) => started(child)))
    const allEnded = everyChildOf(parent)
    await parent.send({ type: "end", when: "now" }, you)
    await allEnded
    expect(children.map(({ state }) => [state.life, state.turn])).toEqual(ids.map(() => ["ended", undefined]))
    expect(parent.state.children).toEqual([])
  })
})

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

const folders: string[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

async function started(session: SessionActor): Promise<void> {
  if (session.state.turn === undefined) await next(session, "turn.started")
}

function everyChildOf(parent: SessionActor): Promise<void> {
  return new Promise((resolve) => {
    const unwatch = parent.watch(() => {
      if (parent.state.children.length > 0) return
      unwatch()
      resolve()
    })
  })
}
