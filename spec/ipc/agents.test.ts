// Conformance cases 50 to 53 and 56: agents that spawn, signal and list other agents.
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { eventually } from "../e2e/eventually.ts"
import { eventsOf } from "../e2e/printed.ts"
import { newPlace } from "../e2e/turnhouse.ts"
import { bash, newAgent, sendPrompt, startAgent, turn, waitFor, type Agent, type Test } from "./agents.ts"
import { newSession, of, reattach, textOf, type Frame, type RawViewer } from "./raw-viewer.ts"

describe.concurrent("children", () => {
  it("50: spawn_agent with nulls takes the parent's model and folder, names the parent, and the child answers", async (test) => {
    const agent = await newAgent(test, [[{ text: "I am here." }]])
    const viewer = await agent.viewer(test)
    const request = { type: "spawn_agent", model: null, reason: null, working_directory: null }
    const spawned = await viewer.ask("agent_spawned", request)
    const { model } = await viewer.sync()
    expect(spawned).toMatchObject({ parent_session_id: agent.id, spawn_reason: "Child agent", model })
    const child = agent.other(spawned.new_session_id)
    expect(child.metadata).toMatchObject({
      session_id: child.id,
      parent_agent_id: agent.id,
      spawn_reason: "Child agent",
      model,
      working_directory: agent.place.folder,
      is_busy: false,
    })
    expect(child.token).not.toBe(agent.token)
    const childViewer = await child.viewer(test, reattach(child.token))
    expect(textOf(await turn(childViewer, "hello"))).toBe("I am here.")
  })

  it("50: with a model, a reason and a folder of its own; a missing folder is an error", async (test) => {
    const agent = await newAgent(test, [])
    const viewer = await agent.viewer(test)
    mkdirSync(agent.place.path("sub"))
    const request = {
      type: "spawn_agent",
      model: "offline/demo:0",
      reason: "tests",
      working_directory: agent.place.path("sub"),
    }
    const spawned = await viewer.ask("agent_spawned", request)
    expect(spawned).toMatchObject({ spawn_reason: "tests", model: "offline/demo:0" })
    expect(agent.other(spawned.new_session_id).metadata).toMatchObject({ working_directory: agent.place.path("sub") })
    const error = await viewer.ask("error", { type: "spawn_agent", working_directory: agent.place.path("nowhere") })
    expect(error.message).toMatch(/^Failed to spawn child agent: /)
  })

  it("51: a chain to depth 5 works, and one more is refused with the limit", async (test) => {
    const agent = await newAgent(test, [[{ text: "Down here." }]])
    let current: Agent = agent
    for (let depth = 1; depth <= 5; depth++) {
      const { new_session_id: id } = await (await current.viewer(test)).ask("agent_spawned", { type: "spawn_agent" })
      current = current.other(id)
      expect(Buffer.byteLength(current.socket)).toBe(Buffer.byteLength(agent.socket)) // ids do not grow
    }
    const deepest = await current.viewer(test)
    expect(textOf(await turn(deepest, "hello"))).toBe("Down here.")
    const { message } = await deepest.ask("error", { type: "spawn_agent" })
    expect(message).toBe(
      "Failed to spawn child agent: Maximum agent depth (5) reached. Cannot spawn more children. " +
        `Current parent '${current.id}' is at depth 5.`,
    )
    const { output } = await deepest.slash("agent:tree")
    expect(output?.split("\n")).toHaveLength(7)
  })

  it("51: metadata that name each other as parents do not stop the list or the tree", async (test) => {
    const agent = await newAgent(test, [])
    const folder = join(agent.place.home, "sessions")
    for (const [id, parent] of [
      ["a", "b"],
      ["b", "a"],
    ] as const) {
      symlinkSync(`${agent.id}.sock`, join(folder, `${id}.sock`))
      writeFileSync(
        join(folder, `${id}.meta.json`),
        JSON.stringify(metadata({ session_id: id, parent_agent_id: parent })),
      )
    }
    const viewer = await agent.viewer(test)
    expect(await listed(viewer)).toEqual(["a", "b", agent.id])
    expect(await viewer.slash("agent:tree")).toMatchObject({ success: true })
  })

  it("52: shutdown_if_idle ends an idle child now and a busy one after its turn; a dead one is not named", async (test) => {
    const { agent, idle, busy } = await notified(test, "shutdown_if_idle", "ShutdownIfIdle")
    const signal = { type: "parent_signal_received", signal: "parent_exiting", parent_session_id: agent.id } as const
    await idle.viewer.frame(signal)
    await idle.viewer.closed
    await busy.viewer.frame(signal)
    expect(busy.agent.exists).toBe(true)
    agent.place.write("go", "")
    expect(textOf(await busy.viewer.untilClosed())).toBe("Done.")
    await untilExited(idle, busy)
  })

  it("52: force_shutdown ends an idle and a busy child now; a dead one is not named", async (test) => {
    const { idle, busy } = await notified(test, "force_shutdown", "ForceShutdown")
    expect(of(await busy.viewer.untilClosed(), "stream_end")).toMatchObject([{ finish_reason: "cancelled" }])
    await idle.viewer.closed
    await untilExited(idle, busy)
  })

  it("52: detach makes an idle and a busy child roots, and both continue; a dead one is not named", async (test) => {
    const { agent, idle, busy } = await notified(test, "detach", "Detach")
    for (const one of [idle, busy]) {
      await one.viewer.frame({ type: "parent_signal_received", signal: "detached", parent_session_id: agent.id })
      await isRoot(one)
    }
    agent.place.write("go", "")
    await busy.viewer.next("stream_end")
    expect(textOf(busy.viewer.frames)).toBe("Done.")
    expect(await idle.viewer.settle()).toEqual([])
  })

  it("53: a parent_signal with another session's id is refused; the parent's shutdown ends the child", async (test) => {
    const agent = await newAgent(test, [])
    const viewer = await agent.viewer(test)
    const only = await makeChild(test, viewer, agent)
    const signal = (parent: string) => ({ type: "parent_signal", signal: "shutdown", parent_session_id: parent })
    const refused = { type: "error", message: "Not my parent", fatal: false }
    expect(await only.viewer.settle(signal("p1"), signal(only.agent.id))).toEqual([refused, refused])
    expect(await viewer.settle(signal("p1"))).toEqual([refused])
    await only.viewer.send(signal(agent.id))
    expect((await only.viewer.untilClosed()).at(-1)).toMatchObject({ type: "exiting" })
    await eventually("its files are gone", () => !only.agent.exists || undefined)
    expect(eventsOf(await agent.place.log(only.agent.id), "session.ended")).toHaveLength(1)
    expect(agent.exists).toBe(true)
  })

  it("53: a child that its parent detached is a root and continues", async (test) => {
    const agent = await newAgent(test, [[{ text: "On my own." }]])
    const only = await makeChild(test, await agent.viewer(test), agent)
    await only.viewer.send({ type: "parent_signal", signal: "detached", parent_session_id: agent.id })
    await only.viewer.frame({ type: "parent_signal_received", signal: "detached", parent_session_id: agent.id })
    await isRoot(only)
    expect(textOf(await turn(only.viewer, "hello"))).toBe("On my own.")
  })

  it("a parent that exits ends its children after their work", async (test) => {
    const agent = await newAgent(test, [])
    const viewer = await agent.viewer(test)
    const only = await makeChild(test, viewer, agent)
    await viewer.send({ type: "exit" })
    expect(of(await viewer.untilClosed(), "agent_exiting").at(-1)).toMatchObject({ children_notified: [only.agent.id] })
    await only.viewer.closed
    expect((await agent.running.ended).code).toBe(0)
    expect(existsSync(only.agent.socket)).toBe(false)
  })
})

describe.concurrent("56: list_agents", () => {
  it("skips invalid metadata, 5 MB of it and an invalid pid; a missing pid and missing metadata are fine", async (test) => {
    const agent = await startAgent(newPlace(test))
    const folder = join(agent.place.home, "sessions")
    const put = (id: string, text: string | undefined) => {
      symlinkSync(`${agent.id}.sock`, join(folder, `${id}.sock`))
      if (text !== undefined) writeFileSync(join(folder, `${id}.meta.json`), text)
    }
    put("garbage", "{ not json")
    put("large", JSON.stringify(metadata({ session_id: "large", model: "x".repeat(5_000_000) })))
    put("pid", JSON.stringify(metadata({ session_id: "pid", pid: 4_294_967_296 })))
    put("no-pid", JSON.stringify({ ...metadata({ session_id: "no-pid" }), pid: undefined }))
    put("terminal.pty", JSON.stringify(metadata({ session_id: "terminal.pty" })))
    put("bare", undefined)
    const viewer = await agent.viewer(test)
    const { agents } = await viewer.ask("agent_list", { type: "list_agents" })
    expect(agents.map(({ session_id }) => session_id)).toEqual(["no-pid", agent.id, "bare"])
    expect(agents[0]).toMatchObject({ pid: null, created_at: 1 })
    expect(agents[2]).toMatchObject({ model: "unknown", pid: null, parent_agent_id: null })
  })

  it("is sent to the requester only", async (test) => {
    const agent = await startAgent(newPlace(test))
    const [asker, other] = [await agent.viewer(test), await agent.viewer(test)]
    await asker.ask("agent_list", { type: "list_agents" })
    expect(await other.settle()).toEqual([])
  })
})

interface Child {
  readonly agent: Agent
  readonly viewer: RawViewer
}

async function makeChild(test: Test, parentViewer: RawViewer, parent: Agent): Promise<Child> {
  const { new_session_id: id } = await parentViewer.ask("agent_spawned", { type: "spawn_agent" })
  const agent = parent.other(id)
  return { agent, viewer: await agent.viewer(test, newSession) }
}

/** A parent that has notified its children: one idle, one busy until `go` is written, one dead. */
async function notified(test: Test, action: string, name: string) {
  const agent = await newAgent(test, [[bash(waitFor("go"))], [{ text: "Done." }]])
  const viewer = await agent.viewer(test)
  const idle = await makeChild(test, viewer, agent)
  const busy = await makeChild(test, viewer, agent)
  const dead = await makeChild(test, viewer, agent)
  await dead.viewer.send({ type: "exit" })
  const isDead = (frame: Frame) => frame.type === "agent_exiting" && frame.session_id === dead.agent.id
  await viewer.until("the end of the dead one", isDead)
  await sendPrompt(busy.viewer, "work")
  await busy.viewer.next("tool_call_start")
  const after = viewer.frames.length
  await viewer.send({ type: "notify_children", action })
  await viewer.frame(
    {
      type: "agent_exiting",
      session_id: agent.id,
      reason: `NotifyChildren action: ${name}`,
      children_notified: [idle.agent.id, busy.agent.id],
    },
    after,
  )
  await viewer.ack("notify_children", after)
  return { agent, idle, busy }
}

async function untilExited(...children: readonly Child[]): Promise<void> {
  await eventually("they are gone", () => children.every(({ agent }) => !agent.exists) || undefined)
}

async function isRoot({ agent }: Child): Promise<void> {
  await eventually("it is a root", () => agent.metadata["parent_agent_id"] === null || undefined)
}

async function listed(viewer: RawViewer): Promise<readonly string[]> {
  const { agents } = await viewer.ask("agent_list", { type: "list_agents" })
  return agents.map(({ session_id }) => session_id)
}

function metadata(given: { readonly session_id: string } & Readonly<Record<string, unknown>>) {
  return {
    parent_agent_id: null,
    spawn_reason: null,
    model: "m1",
    created_at: 1,
    last_activity: 1,
    working_directory: "/p",
    is_busy: false,
    pid: 42,
    ...given,
  }
}
