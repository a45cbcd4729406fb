// `turnhouse attach` on a socket of an agent that speaks the protocol; here a scripted one.
import { rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { once } from "node:events"
import { join } from "node:path"
import { describe, expect, it, type TestContext } from "vitest"
import { ScriptedAgent } from "../../src/clients/ipc/fixtures/scripted-agent.ts"
import { newPlace, openInput, program, type Place } from "../e2e/turnhouse.ts"

async function startAgent(test: TestContext, place: Place, id = "session-1"): Promise<ScriptedAgent> {
  const agent = await new ScriptedAgent(join(place.home, "sessions"), id).start()
  test.onTestFinished(() => agent.stop())
  return agent
}

describe.concurrent("attach to a session socket", () => {
  it("shows earlier messages, sends one line at a time, and exits after the last answer", async (test) => {
    const place = newPlace(test)
    const agent = await startAgent(test, place)
    for (const [role, words] of [
      ["user", "before"],
      ["assistant", "It was."],
    ] as const)
      agent.add(role, words)
    const input = "say one two\n\nuse a tool\n/echo 'x y' z\n//slash\n"
    const { code, stdout, stderr } = await place.start(["attach", agent.socket], { input }).ended
    expect(code).toBe(0)
    const order = ["before", "It was.", "say one two", "one two", "use a tool", "→ read", "/echo", "x y|z", "/slash"]
    const places = order.map((words) => stdout.indexOf(words))
    expect(places.toSorted((a, b) => a - b)).toEqual(places)
    expect(places).not.toContain(-1)
    expect(stdout.match(/one two /g)).toHaveLength(1)
    expect(stdout + stderr).not.toContain("\u001b")
    expect(agent.received.at(-1)).toEqual({ type: "disconnect" })
  })

  it("finds an agent of the folder by its id or a prefix of it", async (test) => {
    const place = newPlace(test)
    await startAgent(test, place, "session-1")
    await startAgent(test, place, "other-1")
    const say = (...args: readonly string[]) => place.start(["attach", ...args], { input: "say hello\n" }).ended
    expect(await say("--agent", "other")).toMatchObject({ code: 0, stdout: expect.stringContaining("hello") })
    expect(await say("--agent", "session-1", "--folder", join(place.home, "sessions"))).toMatchObject({ code: 0 })
    const { code, stderr } = await say("--agent", "nobody")
    expect(code).toBe(4)
    expect(stderr).toMatch(/no agent 'nobody' in .*; running: (session-1, other-1|other-1, session-1)\n/)
    expect(await say("--agent", "other", "x.sock")).toMatchObject({ code: 2 })
  })

  it("prints all frames with --json, the first sync included", async (test) => {
    const place = newPlace(test)
    const agent = await startAgent(test, place)
    const { code, stdout } = await place.start(["attach", agent.socket, "--json"], { input: "say hello\n" }).ended
    expect(code).toBe(0)
    const types = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).type)
    expect(types.slice(0, 3)).toEqual(["conversation_sync", "task_update", "seal_status"])
    expect(types).toContain("stream_chunk")
  })

  it("exits with a code for each outcome", async (test) => {
    const place = newPlace(test)
    const agent = await startAgent(test, place)
    const attach = (input: string) => place.start(["attach", agent.socket], { input }).ended
    expect(await attach("fail out of luck\n")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("out of luck"),
    })
    expect(await attach("/nonsense\n")).toMatchObject({ code: 1 })
    expect(await attach("/nonsense\nsay well\n")).toMatchObject({ code: 1 })
    agent.answerHandshake = () => ({ accepted: false, session_id: "", session_token: null, error: "Go away" })
    const refused = await attach("")
    expect(refused).toMatchObject({ code: 3, stderr: "turnhouse: the agent refused the handshake: Go away\n" })
    await agent.stop()
    writeFileSync(agent.socket, "")
    expect(await attach("")).toMatchObject({ code: 4, stderr: expect.stringContaining("the agent is gone") })
    rmSync(agent.socket)
    expect(await attach("")).toMatchObject({ code: 4, stderr: expect.stringContaining("there is no socket at") })
  })

  it("refuses another program that listens on the socket", async (test) => {
    const place = newPlace(test)
    const path = place.path("other.sock")
    const server = createServer((socket) => void socket.on("error", () => {}).end("HTTP/1.1 400\r\n")).listen(path)
    test.onTestFinished(() => void server.close())
    await once(server, "listening")
    const { code, stderr } = await place.run("attach", path)
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: "turnhouse: the peer does not speak brainwires IPC\n",
    })
  })

  it("reconnects to a restarted agent and prints nothing twice", async (test) => {
    const place = newPlace(test)
    const agent = await startAgent(test, place)
    const watching = place.start(["attach", agent.socket, "--watch"], { input: openInput })
    await watching.says("agent session-1")
    agent.begin("hello")
    agent.chunk("one ")
    await watching.prints("one ")
    await agent.restart()
    agent.chunk("two")
    await watching.prints("two")
    agent.end()
    agent.send({ type: "toast", message: "over", duration_ms: 1 })
    await watching.prints("over")
    expect(watching.stdout).toBe("\nuser:\nhello\n\nassistant:\none two\nover\n")
    await agent.stop()
    expect(await watching.ended).toMatchObject({ code: 4, stderr: expect.stringContaining("lost the agent") })
  })

  it("at a terminal, Ctrl-C cancels the running turn and Ctrl-D detaches", async (test) => {
    const place = newPlace(test)
    const agent = await startAgent(test, place)
    const terminal = place.onTerminal(`${program} attach ${agent.socket}`)
    await terminal.prints("Ctrl-D detaches")
    terminal.write("hang on\r")
    await terminal.prints("I begin")
    terminal.write("\u0003")
    await agent.waitFor((heard) => heard.some(({ type }) => type === "cancel"))
    terminal.write("say more\r")
    await terminal.prints("more ")
    terminal.write("\u0004")
    expect((await terminal.ended).code).toBe(0)
    expect(agent.received.map(({ type }) => type)).toEqual(["user_input", "cancel", "user_input", "disconnect"])
  })

  it("removes control characters from the text of an agent", async (test) => {
    const place = newPlace(test)
    const agent = await startAgent(test, place)
    agent.add("user", "\u001b[2Jgone")
    agent.messages.push({ role: "assistant", content: "\u0007bell", created_at: 1 })
    const { stdout } = await place.start(["attach", agent.socket], { input: "say \u001b]0;title\u0007\n" }).ended
    expect(stdout).toContain("gone")
    for (const control of ["\u0007", "\u001b"]) expect(stdout).not.toContain(control)
  })
})
