// The settings of this door: where its files are, who needs a token, which commands are blocked.
import { chmodSync, existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { eventually } from "../e2e/eventually.ts"
import { newPlace, type Place } from "../e2e/turnhouse.ts"
import { Agent, newSessionIn, shortFolder, startAgent, turn, type Test } from "./agents.ts"
import { newSession, reattach, textOf } from "./raw-viewer.ts"

describe.concurrent("ipc.dir", () => {
  it("sets the folder of the files, which an ordinary path can address", async (test) => {
    const place = newPlace(test)
    const dir = join(shortFolder(test), "s")
    place.config({ ipc: { dir } })
    const agent = await startAgent(place, ["--model", "offline/demo:0"])
    expect(agent.socket).toBe(join(dir, `${agent.id}.sock`))
    expect(Buffer.byteLength(agent.socket)).toBeLessThan(108)
    expect(textOf(await turn(await agent.viewer(test), "help"))).not.toBe("")
    expect(existsSync(join(place.home, "sessions"))).toBe(false)
  })
})

describe.concurrent("an existing folder", () => {
  it.for([0o755, 0o1777])("keeps its mode (%i), and the files are still private", async (mode, test) => {
    const place = newPlace(test)
    const dir = shortFolder(test)
    chmodSync(dir, mode)
    place.config({ ipc: { dir } })
    const agent = await startAgent(place)
    expect(statSync(dir).mode & 0o7777).toBe(mode)
    for (const end of [".sock", ".token", ".meta.json"]) expect(statSync(agent.file(end)).mode & 0o777).toBe(0o600)
    await agent.viewer(test)
  })

  it("is not used when other users could replace the socket", async (test) => {
    const place = newPlace(test)
    const dir = shortFolder(test)
    chmodSync(dir, 0o777)
    place.config({ ipc: { dir } })
    const { code, stdout, stderr } = await place.run("agent")
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain(`${dir}: other users may write to it`)
    expect(readdirSync(dir)).toEqual([])
  })
})

describe.concurrent("ipc.brainwires", () => {
  it("puts the files into XDG_DATA_HOME, with no pid for a session of a shared host", async (test) => {
    const place = newPlace(test)
    place.config({ ipc: { brainwires: true } })
    const data = shortFolder(test)
    const env = { XDG_DATA_HOME: data }
    const { stdout } = await place.start(["new"], { env }).ended
    const session = new Agent(place, stdout.trim(), join(data, "brainwires", "sessions", `${stdout.trim()}.sock`))
    await eventually("the socket is there", () => session.exists || undefined)
    expect(session.metadata["pid"]).toBe(null)
    await session.viewer(test)
  })

  it("has the pid of an agent's own process, which may be killed alone", async (test) => {
    const place = newPlace(test)
    place.config({ ipc: { brainwires: true } })
    const data = shortFolder(test)
    const agent = await startAgent(place, [], { env: { XDG_DATA_HOME: data } })
    expect(agent.socket).toBe(join(data, "brainwires", "sessions", `${agent.id}.sock`))
    expect(agent.metadata["pid"]).toBe(agent.pid)
  })

  it.for([undefined, ""])("is ~/.local/share when XDG_DATA_HOME is %j", async (value, test) => {
    const place = newPlace(test)
    place.config({ ipc: { brainwires: true } })
    const agent = await startAgent(place, [], value === undefined ? {} : { env: { XDG_DATA_HOME: value } })
    expect(agent.socket).toBe(join(place.root, "user/.local/share/brainwires/sessions", `${agent.id}.sock`))
  })

  it("together with ipc.dir is reported as an error", async (test) => {
    const place = newPlace(test)
    place.config({ ipc: { brainwires: true, dir: "/tmp/elsewhere" } })
    const { code, stderr } = await place.run("agent")
    expect(code).toBe(2)
    expect(stderr).toMatch(/^turnhouse: ipc\.dir and ipc\.brainwires [^\n]+\n$/)
  })
})

describe.concurrent("ipc.newSessionOnce", () => {
  it("accepts only the first viewer without a token", async (test) => {
    const place = newPlace(test)
    place.config({ ipc: { newSessionOnce: true } })
    const agent = await startAgent(place)
    const first = await agent.viewer(test)
    const second = await agent.connect(test)
    await second.send(newSession)
    const { accepted, session_token, error } = await second.response()
    expect({ accepted, session_token }).toEqual({ accepted: false, session_token: null })
    expect(error).toContain("token")
    await second.closed
    await agent.viewer(test, reattach(agent.token))
    expect(await first.settle()).toEqual([])
  })
})

describe.concurrent("ipc.blockedCommands", () => {
  it("empty: exec is not blocked, but still refused", async (test) => {
    const viewer = await (await agentWith(test, [])).viewer(test)
    expect(await viewer.slash("exec", "id")).toMatchObject({
      success: false,
      blocked: false,
      error: "ExecCommand is blocked for remote execution",
    })
  })

  it("replaces the blocked commands, with or without their slash", async (test) => {
    const viewer = await (await agentWith(test, ["/clear", "Rename"])).viewer(test)
    for (const command of ["clear", "CLEAR", "rename"])
      expect(await viewer.slash(command, "x")).toMatchObject({ success: false, blocked: true })
    expect(await viewer.slash("exec", "id")).toMatchObject({ success: false, blocked: false })
  })
})

describe.concurrent("hosts of all kinds", () => {
  it("run, rpc and the background host open a socket for their session and remove it", async (test) => {
    const place = newPlace(test)
    const model = place.script([[{ text: "I begin" }, { hang: true }]])
    const running = place.start(["run", "--model", model, "--json", "go"])
    await running.event("turn.started")
    const socketFiles = () => readdirSync(join(place.home, "sessions")).filter((name) => name.endsWith(".sock"))
    const [socket = ""] = await eventually("its socket is there", () => nonEmpty(socketFiles()))
    const agent = new Agent(place, socket.replace(".sock", ""))
    const viewer = await agent.viewer(test)
    await viewer.send({ type: "cancel" })
    await viewer.closed
    await running.ended
    expect(socketFiles()).toEqual([])
  })

  it("a session that another process has open is the same session at its socket", async (test) => {
    const place = newPlace(test)
    const session = await newSessionIn(place, "--model", "offline/demo:0")
    const viewer = await session.viewer(test)
    expect((await place.run("run", "--session", session.id, "help")).code).toBe(0)
    const message = await viewer.next("message_added")
    expect(message.message).toMatchObject({ role: "user", content: "help" })
    await viewer.next("stream_end")
  })
})

async function agentWith(test: Test, blockedCommands: readonly string[]): Promise<Agent> {
  const place: Place = newPlace(test)
  place.config({ ipc: { blockedCommands } })
  return startAgent(place)
}

function nonEmpty(names: readonly string[]): readonly string[] | undefined {
  return names.length === 0 ? undefined : names
}
