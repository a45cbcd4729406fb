// Races between a parent and its child: messages at the end, ends at the start, sessions that are not children.
import { describe, expect, it } from "vitest"
import { limits } from "../../contract/limits.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import { agentsOf } from "../../features/agent-tree/effects/agents.ts"
import { history, newSession, next, prompt, reopen, testHost, testTool, turn, you } from "../../testing/test-host.ts"
import { gate, scriptedSource } from "../../testing/index.ts"
import { childId, idOf, opening } from "./fixtures/tree-sessions.ts"
import { untilChildEnds } from "./child-task.ts"
import { hibernateTree } from "../hibernation.ts"
import type { ChildState } from "../../features/agent-tree/state.ts"

const options = { timeout: 60_000 }

/** Lets pending work run. */
async function idle(rounds = 20): Promise<void> {
  for (let n = 0; n < rounds; n++) await new Promise((resolve) => setImmediate(resolve))
}

/** A tool of this session steers an agent at the moment at which the agent's turn ends. */
function steerAtTheEnd(parent: SessionActor, child: SessionActor): Promise<string | undefined> {
  const agents = agentsOf(parent, "cal_1", new AbortController().signal)
  return new Promise((resolve) => {
    const unwatch = child.watch((item) => {
      if (item.kind !== "event" || item.recorded.event.type !== "turn.ended") return
      unwatch()
      void agents.steer(child.id, "more").then(resolve)
    })
  })
}

function ordered(id: string): ChildState {
  const unset = { model: undefined, cwd: undefined, system: undefined, callId: undefined, ending: undefined }
  return { id, task: "work", reason: "r", ...unset }
}

describe("a child", options, () => {
  it("that gets a message when it has just finished returns its last text", async () => {
    const working = gate()
    const { host } = await testHost(scriptedSource([[{ gate: working }, { text: "first" }], [{ text: "last" }]]))
    const parent = await newSession(host)
    const ended = next(parent, "child.ended")
    await parent.send({ type: "spawn", childId, task: "work" }, you)
    await working.arrived
    const steered = steerAtTheEnd(parent, await reopen(host, childId))
    working.open()
    expect(await steered).toBeUndefined()
    expect(await ended).toMatchObject({ outcome: "done", result: "last" })
  })

  it("that is ended before it got its task is reported as over", async () => {
    const { host } = await testHost(scriptedSource([[{ text: "hello" }], [{ hang: true }]]))
    const parent = await newSession(host)
    const session = await newSession(host)
    await turn(session, "hi")
    await session.send({ type: "compact" }, you) // its task must wait
    const outcome = untilChildEnds(parent, ordered(session.id), session, new AbortController().signal)
    await next(session, "prompt.admitted")
    await session.send({ type: "end", when: "now" }, you)
    expect(await outcome).toMatchObject({ outcome: "interrupted" })
    await host.close()
  })

  it("that is not a child of a session is not ended by it", async () => {
    const { host } = await testHost(scriptedSource([]))
    const otherSession = await newSession(host)
    const parent = await newSession(host)
    const ended = next(parent, "child.ended")
    void parent.send({ type: "spawn", childId: otherSession.id }, you)
    await parent.send({ type: "end", when: "now" }, you)
    await ended
    await idle()
    expect(otherSession.state).toMatchObject({ life: "open", seq: 1 })
  })

  it("that was detached while its parent was closed is reported as detached, not failed", async () => {
    const { host } = await testHost(scriptedSource([]))
    const parent = await newSession(host)
    await parent.send({ type: "spawn", childId }, you)
    const child = await opening(host, childId)
    await host.closeSession(parent.id)
    await child.send({ type: "orphan" }, you)
    const reopened = await reopen(host, parent.id)
    const outcome = await Promise.race([next(reopened, "child.detached"), next(reopened, "child.ended")])
    expect(outcome).toMatchObject({ type: "child.detached", childId })
  })

  it("that was detached does not count against the limit", async () => {
    const { host } = await testHost(scriptedSource([]))
    const { id } = await newSession(host, { limits: { stepsPerTurn: 1, depth: 1, children: 1 } })
    for (let n = 0; n <= limits.agents; n++) {
      await (await reopen(host, id)).send({ type: "spawn", childId: idOf(n) }, you)
      await opening(host, idOf(n))
      await host.closeSession(id)
      const opened = await host.open(id, "at rest") // no parent keeps the child when it is detached
      if (opened.kind === "refused") throw new Error(opened.refusal.code)
      const outcome = Promise.race([next(opened.session, "child.detached"), next(opened.session, "child.ended")])
      await opened.session.send({ type: "signal-children", action: "detach" }, you)
      opened.session.begin()
      expect(await outcome).toMatchObject({ type: "child.detached" })
    }
    const parent = await reopen(host, id)
    const ended = next(parent, "child.ended")
    await parent.send({ type: "spawn", childId: idOf(90), task: "t" }, you)
    expect(await ended).toMatchObject({ outcome: "done" })
    await host.close()
  })

  it("that is being created when its tree hibernates does not start", async () => {
    const source = scriptedSource([[{ text: "too early" }]])
    const { host, log } = await testHost(source)
    const parent = await newSession(host)
    void parent.send({ type: "spawn", childId, task: "work" }, you)
    await parent.send({ type: "rename", name: "the child is being made" }, you)
    expect(await hibernateTree(host, parent, you)).toMatchObject({ kind: "accepted" })
    await idle()
    expect(host.size).toBe(0)
    expect(source.model.calls).toHaveLength(0)
    const reopened = await reopen(host, parent.id)
    const ended = next(reopened, "child.ended")
    await reopened.send({ type: "wake" }, you)
    expect(await ended).toMatchObject({ outcome: "done", result: "too early" })
    expect((await history(log, childId)).filter(({ type }) => type === "prompt.admitted")).toHaveLength(1)
  })
})

describe("a session that hibernates", options, () => {
  it("hibernates its whole tree, also if it is not the root", async () => {
    const working = gate()
    const { host } = await testHost(scriptedSource([[{ gate: working }]]))
    const parent = await newSession(host)
    await parent.send({ type: "spawn", childId, task: "work" }, you)
    await working.arrived
    const hibernating = hibernateTree(host, await reopen(host, childId), you)
    working.open()
    await hibernating
    expect(host.size).toBe(0)
    expect(parent.state.asleep).toBe(true)
  })

  it("can still be interrupted", async () => {
    const started = Promise.withResolvers<AbortSignal>()
    const slow = testTool("slow", async (_input, { signal }) => {
      started.resolve(signal)
      await new Promise((resolve) => signal.addEventListener("abort", resolve))
      return { outcome: "failed", output: "stopped" }
    })
    const { host } = await testHost(scriptedSource([[{ call: { tool: "slow", input: {} } }]]), [slow])
    const session = await newSession(host)
    await prompt(session, "go")
    const signal = await started.promise
    const paused = session.pause(50_000)
    await session.send({ type: "interrupt" }, you)
    await paused
    expect(signal.aborted).toBe(true)
    await host.close()
  })
})
