// Children of a session: what they inherit, how they are limited and charged, and how they end.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import type { SessionDelta } from "../../contract/deltas.ts"
import { limits } from "../../contract/limits.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import { newSession, next, reopen, testHost, testTool, turn, you } from "../../testing/test-host.ts"
import { gate, scriptedSource, type Step } from "../../testing/index.ts"
import { childId, found, idOf, models, opening, wide } from "./fixtures/tree-sessions.ts"

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

  it("that have left and are open in another host are recorded as detached", async ({ onTestFinished }) => {
    const first = await testHost(scriptedSource([[{ hang: true }]]))
    const parent = await newSession(first.host)
    await parent.send({ type: "spawn", childId, task: "work" }, you)
    const child = await opening(first.host, childId)
    await first.host.closeSession(parent.id)
    await child.send({ type: "orphan" }, you) // its parent does not learn of it
    const second = await testHost(scriptedSource([]), [], {}, first.log, 2)
    const reopened = await reopen(second.host, parent.id)
    onTestFinished(() => second.host.closeSession(parent.id))
    expect(await next(reopened, "child.detached")).toMatchObject({ childId })
    expect(reopened.state.children).toEqual([])
    await first.host.closeSession(childId)
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
