import { once } from "node:events"
import { existsSync, lutimesSync, readdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { SessionId } from "../../contract/ids.ts"
import type { SessionHost } from "../../host/session-host.ts"
import { agentFiles } from "../../protocols/ipc/agent-paths.ts"
import { gate } from "../../testing/gate.ts"
import { next, prompt, reopen } from "../../testing/test-host.ts"
import { emptyFolder, ipcWorld, openDoor, type IpcWorld, type Opened } from "../../testing/doors/ipc-world.ts"
import { agentsIn } from "./agent-folder.ts"

const childId = "01890000-0000-7000-8000-0000000000c1"

async function born(host: SessionHost, id: SessionId): Promise<void> {
  await expect.poll(() => host.opened(id)).toMatchObject({ kind: "opened" })
}

/** A parent with one child, each with its own door. */
async function family(script: Parameters<typeof ipcWorld>[0] = []): Promise<IpcWorld & { readonly child: Opened }> {
  const parent = await ipcWorld(script)
  await parent.session.send({ type: "spawn", childId, reason: "help" }, { principal: "you", door: "test" })
  await born(parent.host, childId)
  const child = await openDoor(parent.port, childId, { folder: parent.folder })
  return { ...parent, child }
}

/** A socket without a listener. */
async function deadSocket(path: string): Promise<void> {
  const server = createServer().listen(`${path}-`)
  await once(server, "listening")
  renameSync(`${path}-`, path)
  server.close()
  await once(server, "close")
}

describe("spawn_agent", () => {
  it("is reported when the child has a socket, and blocks nothing until then", async () => {
    const ready = gate()
    let asked: SessionId | undefined
    const childReady = (id: SessionId) => {
      asked = id
      return ready.pass()
    }
    const {
      viewer: enter,
      host,
      session,
    } = await ipcWorld([], { session: { model: "m1", cwd: "/tmp" }, door: { childReady } })
    const viewer = await enter()
    viewer.say({ type: "spawn_agent", model: null, reason: null, working_directory: null }, { type: "cancel" })
    await viewer.ack("cancel")
    expect(viewer.all("agent_spawned")).toEqual([])
    ready.open()
    const spawned = await viewer.of("agent_spawned")
    expect(spawned).toEqual({
      type: "agent_spawned",
      new_session_id: asked,
      parent_session_id: session.id,
      spawn_reason: "Child agent",
      model: "m1",
    })
    await born(host, String(asked))
    const child = await reopen(host, String(asked))
    expect(child.state.created).toMatchObject({ model: "m1", cwd: "/tmp", parent: { sessionId: session.id } })
  })

  it("fails with an error when the working directory cannot be used", async () => {
    const { viewer: enter } = await ipcWorld([], { door: { childReady: () => new Promise(() => {}) } })
    const viewer = await enter()
    viewer.say({ type: "spawn_agent", working_directory: "/nowhere/at/all" })
    const error = await viewer.of("error")
    expect(error["message"]).toBe("Failed to spawn child agent: /nowhere/at/all is not a folder.")
    expect(viewer.types()).not.toContain("agent_spawned")
    expect(viewer.types()).not.toContain("agent_exiting")
  })

  it("fails with an error when the child gets no socket", async () => {
    const door = { childReady: () => Promise.reject(new Error("it has no socket")) }
    const { viewer: enter } = await ipcWorld([], { door })
    const viewer = await enter()
    viewer.say({ type: "spawn_agent" })
    expect((await viewer.of("error"))["message"]).toBe("Failed to spawn child agent: it has no socket")
    expect(viewer.types()).not.toContain("agent_spawned")
  })

  it("is refused beyond the depth limit", async () => {
    const session = { limits: { stepsPerTurn: 5, depth: 0, children: 2 } }
    const opened = await ipcWorld([], { session })
    const viewer = await opened.viewer()
    viewer.say({ type: "spawn_agent" })
    expect((await viewer.of("error"))["message"]).toBe(
      "Failed to spawn child agent: Maximum agent depth (0) reached. Cannot spawn more children. " +
        `Current parent '${opened.session.id}' is at depth 0.`,
    )
  })
})

describe("notify_children", () => {
  it("ends idle children and names those that were notified", async () => {
    const { viewer: enter, session } = await family()
    const viewer = await enter()
    const ended = next(session, "child.ended")
    viewer.say({ type: "notify_children", action: "shutdown_if_idle" })
    await viewer.ack("notify_children")
    expect(viewer.all("agent_exiting")[0]).toEqual({
      type: "agent_exiting",
      session_id: session.id,
      reason: "NotifyChildren action: ShutdownIfIdle",
      children_notified: [childId],
    })
    await ended
    viewer.say({ type: "notify_children", action: "force_shutdown" })
    await viewer.until(() => viewer.all("ack").length === 2)
    expect(viewer.all("agent_exiting").at(-1)).toMatchObject({ session_id: session.id, children_notified: [] })
  })

  it("lets a busy child finish its turn", async () => {
    const busy = gate()
    const { viewer: enter, session, host, child } = await family([[{ gate: busy }, { text: "done" }]])
    const [viewer, atChild] = [await enter(), await child.viewer()]
    await prompt(await reopen(host, childId), "work")
    await busy.arrived
    const ended = next(session, "child.ended")
    viewer.say({ type: "notify_children", action: "shutdown_if_idle" })
    await atChild.of("parent_signal_received")
    busy.open()
    expect(await ended).toMatchObject({ outcome: "done" })
    await atChild.of("exiting")
    expect(atChild.text()).toBe("done")
  })

  it("detaches children", async () => {
    const { viewer: enter, session, host, child } = await family()
    const [viewer, atChild] = [await enter(), await child.viewer()]
    const detached = next(session, "child.detached")
    viewer.say({ type: "notify_children", action: "detach" })
    await detached
    expect(await atChild.of("parent_signal_received")).toMatchObject({ signal: "detached" })
    expect((await reopen(host, childId)).status.parentId).toBeUndefined()
  })
})

describe("parent_signal", () => {
  it("is refused from a session that is not the parent", async () => {
    const { child, host } = await family()
    const viewer = await child.viewer()
    viewer.say({ type: "parent_signal", signal: "shutdown", parent_session_id: "01890000-0000-7000-8000-00000000ffff" })
    expect((await viewer.of("error"))["message"]).toBe("Not my parent")
    expect((await reopen(host, childId)).state.life).toBe("open")
  })

  it("shuts the child down", async () => {
    const { child, session } = await family()
    const viewer = await child.viewer()
    viewer.say({ type: "parent_signal", signal: "shutdown", parent_session_id: session.id })
    await viewer.of("exiting")
    await child.door.closed
    expect(existsSync(child.path)).toBe(false)
  })

  it("counts as the parent's: another viewer cannot cancel the end", async () => {
    const busy = gate()
    const { child, session, host } = await family([[{ gate: busy }, { text: "done" }]])
    const viewer = await child.viewer()
    await prompt(await reopen(host, childId), "work")
    await busy.arrived
    viewer.say({ type: "parent_signal", signal: "parent_exiting", parent_session_id: session.id })
    await viewer.of("parent_signal_received")
    const other = await child.viewer()
    busy.open()
    await other.of("exiting")
    expect((await reopen(host, childId)).state.life).toBe("ended")
  })

  it("detaches the child", async () => {
    const { child, session, host } = await family()
    const viewer = await child.viewer()
    viewer.say({ type: "parent_signal", signal: "detached", parent_session_id: session.id })
    await viewer.of("parent_signal_received")
    const { status, state } = await reopen(host, childId)
    expect([status.parentId, state.life]).toEqual([undefined, "open"])
  })
})

describe("list_agents", () => {
  it("lists live agents, oldest first, for the requester only", async () => {
    const { viewer: enter, session } = await family()
    const [viewer, other] = [await enter(), await enter()]
    viewer.say({ type: "list_agents" }, { type: "cancel" })
    const list = await viewer.of("agent_list")
    expect(list["agents"]).toEqual([
      expect.objectContaining({ session_id: childId, parent_agent_id: session.id, spawn_reason: "help" }),
      expect.objectContaining({ session_id: session.id, parent_agent_id: null, pid: process.pid }),
    ])
    await other.ack("cancel")
    expect(other.types()).not.toContain("agent_list")
  })

  it("leaves out unreadable descriptions, and lists an agent without one", async () => {
    const folder = emptyFolder()
    const meta = {
      session_id: "good",
      model: "m",
      created_at: 5,
      last_activity: 5,
      working_directory: "/",
      is_busy: false,
    }
    const described: Record<string, string | undefined> = {
      good: JSON.stringify(meta), // an old one: without a pid
      garbage: "nonsense",
      huge: JSON.stringify({ ...meta, model: "x".repeat(5 * 1024 * 1024) }),
      "large-pid": JSON.stringify({ ...meta, pid: 4_294_967_296 }),
      plain: undefined,
    }
    for (const [id, text] of Object.entries(described)) {
      const { socket, metadata } = agentFiles(folder, id)
      const server = createServer().listen(socket)
      onTestFinished(() => void server.close())
      await once(server, "listening")
      if (text !== undefined) writeFileSync(metadata, text)
    }
    writeFileSync(join(folder, "x.pty.sock"), "")
    const agents = await agentsIn(folder, 7_000_000)
    expect(agents.map(({ session_id, model }) => [session_id, model])).toEqual([
      ["good", "m"],
      ["plain", "unknown"],
    ])
  })

  it("leaves out dead agents, and removes their files once they are old", async () => {
    const folder = emptyFolder()
    const now = Date.now()
    const { socket, token, metadata, others } = agentFiles(folder, "dead")
    const all = [socket, token, metadata, ...others]
    for (const path of [token, metadata, ...others]) writeFileSync(path, "")
    await deadSocket(socket)
    expect(await agentsIn(folder, now)).toEqual([])
    expect(readdirSync(folder)).toHaveLength(all.length)
    for (const path of all) utimesSync(path, new Date(now - 61_000), new Date(now - 61_000))
    expect(await agentsIn(folder, now)).toEqual([])
    expect(readdirSync(folder)).toEqual([])
  })

  it("lists an agent whose process lives although its socket is lost", async () => {
    const folder = emptyFolder()
    const { socket, metadata } = agentFiles(folder, "odd")
    const meta = {
      session_id: "odd",
      model: "m",
      created_at: 5,
      last_activity: 5,
      working_directory: "/",
      is_busy: false,
    }
    await deadSocket(socket)
    writeFileSync(metadata, JSON.stringify({ ...meta, pid: process.pid }))
    expect(await agentsIn(folder, Date.now())).toHaveLength(1)
  })

  it("does not touch a file that only has the name of a socket", async () => {
    const folder = emptyFolder()
    const { socket, others } = agentFiles(folder, "notes")
    for (const path of [socket, ...others]) {
      writeFileSync(path, "of another program")
      utimesSync(path, 1, 1)
    }
    expect(await agentsIn(folder, Date.now())).toEqual([])
    expect(readdirSync(folder)).toHaveLength(1 + others.length)
  })

  it("removes dangling links of agents that are gone", async () => {
    const folder = emptyFolder()
    const { socket, token, metadata } = agentFiles(folder, "name")
    for (const path of [socket, token, metadata]) {
      symlinkSync("gone", path)
      lutimesSync(path, 1, 1)
    }
    expect(await agentsIn(folder, Date.now())).toEqual([])
    expect(readdirSync(folder)).toEqual([])
  })
})
