// Conformance cases 21 to 24: the files of an agent: their modes and their lifetime.
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { reachable } from "../../src/transports/socket-address.ts"
import { eventually } from "../e2e/eventually.ts"
import { newPlace, Place } from "../e2e/turnhouse.ts"
import { type Agent, newAgent, newSessionIn, startAgent, turn } from "./agents.ts"
import { reattach, textOf } from "./raw-viewer.ts"

const ends = [".meta.json", ".sock", ".token"]
const allEnds = [".sock", ".pty.sock", ".token", ".meta.json", ".log", ".stdout.log", ".stderr.log"]

describe.concurrent("the files of an agent", () => {
  it("21: socket, token and metadata are 0600, the directory 0700, under umask 000", async (test) => {
    const agent = await startAgent(newPlace(test), [], { umask: "000" })
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
    expect(ends.map((end) => mode(agent.file(end)))).toEqual(["600", "600", "600"])
    expect(mode(join(agent.place.home, "sessions"))).toBe("700")
    const viewer = await agent.viewer(test)
    await viewer.send({ type: "user_input", content: "help" })
    await viewer.next("stream_end")
    expect(mode(agent.file(".meta.json"))).toBe("600") // also after it was written again
  })

  it("21: there are no other files, and none at all when the agent has exited", async (test) => {
    const agent = await startAgent(newPlace(test))
    const sessionFiles = () => readdirSync(join(agent.place.home, "sessions")).toSorted()
    expect(sessionFiles()).toEqual(ends.map((end) => `${agent.id}${end}`))
    agent.running.signal("SIGTERM")
    await agent.running.ended
    expect(sessionFiles()).toEqual([])
  })

  it("21: the metadata describes the agent and whether it is busy", async (test) => {
    const agent = await newAgent(test, [[{ text: "I begin" }, { hang: true }]])
    const { created_at: createdAt, last_activity: activeAt, ...metadata } = agent.metadata
    expect(metadata).toEqual({
      session_id: agent.id,
      parent_agent_id: null,
      spawn_reason: null,
      model: `offline/script:${agent.place.path("script.json")}`,
      working_directory: agent.place.folder,
      is_busy: false,
      pid: agent.pid,
    })
    expect(activeAt).toBeGreaterThanOrEqual(Number(createdAt))
    const viewer = await agent.viewer(test)
    await viewer.send({ type: "user_input", content: "go" })
    await eventually("it is busy", () => agent.metadata["is_busy"] === true || undefined)
    await viewer.send({ type: "cancel" })
    await eventually("it is idle", () => agent.metadata["is_busy"] === false || undefined)
  })

  it.for(["a/b", "..", "../up", "a..b", ".hidden", "x".repeat(300), "has space", "shadow.pty", "-dash"])(
    "22: the id %j is refused before any file is made",
    async (id, test) => {
      const place = newPlace(test)
      const { code, stdout, stderr } = await place.run("agent", "--", id)
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
      expect(stderr).toMatch(/^turnhouse: [^\n]+\n$/)
      expect(existsSync(join(place.home, "sessions"))).toBe(false)
      expect(existsSync(join(place.home, "turnhouse.db"))).toBe(false)
    },
  )

  it("22: a path of more than 107 bytes can be listened on and attached to", async (test) => {
    const place = new LongPlace().open()
    test.onTestFinished(() => place.close())
    const agent = await startAgent(place, ["--model", "offline/demo:0"])
    expect(Buffer.byteLength(agent.socket)).toBeGreaterThan(150)
    expect(textOf(await turn(await agent.viewer(test), "help"))).not.toBe("")
    const session = await newSessionIn(place, "--model", "offline/demo:0")
    expect(textOf(await turn(await session.viewer(test), "help"))).not.toBe("")
  })

  it("23: the socket file of a dead agent is replaced", async (test) => {
    const agent = await startAgent(newPlace(test))
    const { token } = agent
    agent.running.signal("SIGKILL")
    await agent.running.ended
    expect(agent.exists).toBe(true)
    const again = await startAgent(agent.place, [agent.id])
    expect(again.socket).toBe(agent.socket)
    expect(again.token).not.toBe(token)
    await again.viewer(test, reattach(again.token))
  })

  it("23: a second start of a live agent exits non-zero, and the first keeps socket and token", async (test) => {
    const agent = await startAgent(newPlace(test), ["--model", "offline/demo:0"])
    const { token } = agent
    const { ino } = statSync(agent.socket)
    const second = await agent.place.run("agent", agent.id)
    expect(second.code).not.toBe(0)
    expect(second.stderr).toMatch(/^turnhouse: [^\n]*is open in another process[^\n]*\n$/)
    expect({ token: agent.token, ino: statSync(agent.socket).ino }).toEqual({ token, ino })
    expect(textOf(await turn(await agent.viewer(test, reattach(token)), "help"))).not.toBe("")
  })

  it("23: a socket of that name on which another program listens is not replaced", async (test) => {
    const agent = await startAgent(newPlace(test))
    agent.running.signal("SIGTERM")
    await agent.running.ended
    const server = createServer((socket) => socket.on("error", () => {}).end("mine\n"))
    const address = reachable(agent.socket)
    await new Promise<void>((resolve) => server.listen(address.path, resolve))
    test.onTestFinished(() => void server.close(() => address.release()))
    const { code, stderr } = await agent.place.run("agent", agent.id)
    expect(code).not.toBe(0)
    expect(stderr).toContain(agent.socket)
    expect(statSync(agent.socket).isSocket()).toBe(true)
  })

  it("24: after kill -9 the files stay until another host of the home serves the session", async (test) => {
    const agent = await startAgent(newPlace(test))
    const { token } = agent
    agent.running.signal("SIGKILL")
    await agent.running.ended
    expect(ends.filter((end) => existsSync(agent.file(end)))).toEqual(ends)
    await newSessionIn(agent.place, "--model", "offline/demo:0")
    await agent.restarted(token)
    expect(textOf(await turn(await agent.viewer(test), "help"))).not.toBe("")
  })

  it("24: an agent of another program that was killed counts as dead, listing drops it, cleanup removes all kinds", async (test) => {
    const killed = await startAgent(newPlace(test))
    killed.running.signal("SIGKILL")
    await killed.running.ended
    const agent = killed.other("of-another-program")
    for (const end of ends) renameSync(killed.file(end), agent.file(end))
    const live = await newSessionIn(agent.place, "--model", "offline/demo:0")
    for (const end of allEnds) if (!existsSync(agent.file(end))) writeFileSync(agent.file(end), "left")
    expect(await listed(test, live)).not.toContain(agent.id)
    expect(allEnds.filter((end) => existsSync(agent.file(end)))).toEqual(allEnds) // not yet: it may be started again
    for (const end of allEnds) utimesSync(agent.file(end), 1, 1)
    expect(await listed(test, live)).not.toContain(agent.id)
    expect(allEnds.filter((end) => existsSync(agent.file(end)))).toEqual([])
  })
})

async function listed(test: Parameters<Agent["viewer"]>[0], agent: Agent): Promise<readonly string[]> {
  const viewer = await agent.viewer(test)
  const { agents } = await viewer.ask("agent_list", { type: "list_agents" })
  return agents.map(({ session_id }) => session_id)
}

/** A home with a long path. */
class LongPlace extends Place {
  override readonly home = join(this.root, "a-folder-with-a-name-as-long-as-some-people-like-it".repeat(3), "home")

  override open(): this {
    super.open({ bare: true })
    mkdirSync(this.home, { recursive: true })
    chmodSync(this.home, 0o700)
    return this
  }
}
