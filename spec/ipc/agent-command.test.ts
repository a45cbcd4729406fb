// `turnhouse agent`: one process for one session, as brainwires' own spawner starts it.
import { existsSync, mkdirSync, readdirSync, readlinkSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { reachable } from "../../src/transports/socket-address.ts"
import { eventually } from "../e2e/eventually.ts"
import { hostsOf } from "../e2e/hosts.ts"
import { eventsOf, object } from "../e2e/printed.ts"
import { newPlace } from "../e2e/turnhouse.ts"
import {
  type Agent,
  receivesText,
  newAgent,
  newSessionIn,
  sendPrompt,
  startAgent,
  permissivePlace,
  turn,
  turnFrom,
} from "./agents.ts"
import { of, textOf } from "./raw-viewer.ts"

describe.concurrent("turnhouse agent", () => {
  it("creates a session and prints its id and its socket", async (test) => {
    const running = newPlace(test).start(["agent", "--model", "offline/demo:0"])
    const [id, socket] = [(await running.lineNumber(1)).text, (await running.lineNumber(2)).text]
    expect(socket.endsWith(`/sessions/${id}.sock`)).toBe(true)
    expect(existsSync(socket)).toBe(true)
  })

  it("takes any other name as an alias, by which its files are found too", async (test) => {
    const place = newPlace(test)
    const alias = "session-20260101-120000"
    const agent = await startAgent(place, [alias, "--model", "offline/demo:0"])
    const byAlias = agent.other(alias)
    expect(readlinkSync(byAlias.socket)).toBe(`${agent.id}.sock`)
    expect(byAlias.token).toBe(agent.token)
    expect(byAlias.metadata["session_id"]).toBe(agent.id)
    const viewer = await byAlias.connect(test)
    await viewer.send({ version: 2, is_reattach: true, session_id: alias, session_token: byAlias.token })
    expect(await viewer.response()).toMatchObject({ accepted: true, session_id: agent.id })
    const { agents } = await viewer.ask("agent_list", { type: "list_agents" })
    expect(agents.map(({ session_id }) => session_id)).toEqual([agent.id]) // once, for all its names
    agent.running.signal("SIGTERM")
    await agent.running.ended
    expect(existsSync(join(place.home, "sessions", `${alias}.sock`))).toBe(false)
  })

  it("opens a session by alias, id or id prefix, with its history", async (test) => {
    const place = permissivePlace(test)
    const model = place.script([[{ text: "Yes." }]])
    const first = await startAgent(place, ["my-agent", "--model", model])
    await turn(await first.viewer(test), "remember me")
    first.running.signal("SIGTERM")
    expect((await first.running.ended).code).toBe(143)
    for (const name of ["my-agent", first.id, first.id.slice(0, 18)]) {
      const again = await startAgent(place, [name])
      expect(again.id).toBe(first.id)
      const [sync] = of((await again.viewer(test)).frames, "conversation_sync")
      expect(sync).toMatchObject({ model, messages: [{ content: "remember me" }, { content: "Yes." }] })
      again.running.signal("SIGTERM")
      await again.running.ended
    }
  })

  it("changes the model of an existing session with --model", async (test) => {
    const place = newPlace(test)
    const first = await startAgent(place, ["--model", "offline/demo"])
    first.running.signal("SIGINT")
    expect((await first.running.ended).code).toBe(130)
    const again = await startAgent(place, [first.id, "--model", "offline/demo:0"])
    expect(of((await again.viewer(test)).frames, "conversation_sync")[0]?.model).toBe("offline/demo:0")
  })

  it("refuses a session that is open in another process, and names the process", async (test) => {
    const place = newPlace(test)
    const session = await newSessionIn(place, "--model", "offline/demo:0")
    const { code, stdout, stderr } = await place.run("agent", session.id)
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(hostsOf(place.home).some((pid) => stderr.includes(`pid ${pid})`))).toBe(true)
    expect(stderr).toMatch(/^turnhouse: session [0-9a-f-]+ is open in another process \([^\n]+\)\n$/)
    expect(textOf(await turn(await session.viewer(test), "help"))).not.toBe("")
  })

  it("with --parent creates a child in the parent's host and exits when the child has ended", async (test) => {
    const place = newPlace(test)
    const parent = await newSessionIn(place, "--model", "offline/demo:0")
    const args = ["agent", "helper", "--parent", parent.id, "--spawn-reason", "tests", "--json"]
    const running = place.start(args)
    const { id } = object((await running.lineNumber(1)).text)
    const child = parent.other(String(id))
    await eventually("its socket is there", () => child.exists || undefined)
    expect(child.metadata).toMatchObject({ parent_agent_id: parent.id, spawn_reason: "tests", model: "offline/demo:0" })
    const viewer = await child.viewer(test)
    expect(textOf(await turn(viewer, "help"))).not.toBe("")
    await viewer.send({ type: "exit" })
    expect((await running.ended).code).toBe(0)
    expect(parent.exists).toBe(true)
  })

  it("refuses an unknown parent", async (test) => {
    const { code, stderr } = await newPlace(test).run("agent", "--parent", "unknown-parent")
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/^turnhouse: [^\n]+\n$/)
  })

  it("hands over an open turn on SIGTERM; the next host continues it", async (test) => {
    const pieces = Array.from({ length: 200 }, (_, index) => `${index} `)
    const agent = await newAgent(test, [[{ chunks: pieces }]], { delayMs: 10 })
    const viewer = await agent.viewer(test)
    await sendPrompt(viewer, "go")
    await receivesText(viewer, "30 ")
    agent.running.signal("SIGTERM")
    expect((await agent.running.ended).code).toBe(143)
    const log = await agent.place.log(agent.id)
    expect(eventsOf(log, "session.ended")).toEqual([])
    const next = await reopened(agent)
    const nextViewer = await next.viewer(test)
    if (of(nextViewer.frames, "conversation_sync")[0]?.is_busy === true) await turnFrom(nextViewer, 0)
    expect((await nextViewer.sync()).messages.at(-1)).toMatchObject({ role: "assistant", content: pieces.join("") })
  })

  it("notifies its viewers when it exits", async (test) => {
    const agent = await newAgent(test, [])
    const viewer = await agent.viewer(test)
    agent.running.signal("SIGTERM")
    expect((await viewer.untilClosed()).at(-1)).toMatchObject({ type: "exiting" })
  })

  it("exits with code 0 when its session ends", async (test) => {
    const agent = await newAgent(test, [])
    expect((await agent.place.run("stop", agent.id)).code).toBe(0)
    expect((await agent.running.ended).code).toBe(0)
    expect(agent.exists).toBe(false)
  })

  it("exits with code 0 when its session hibernates, and can open it again", async (test) => {
    const agent = await newAgent(test, [[{ text: "Awake." }]])
    expect((await agent.place.run("hibernate", agent.id)).code).toBe(0)
    expect((await agent.running.ended).code).toBe(0)
    expect(agent.exists).toBe(false)
    const again = await startAgent(agent.place, [agent.id])
    expect(textOf(await turn(await again.viewer(test), "hello"))).toBe("Awake.")
  })

  it("does not take a socket on which another program listens", async (test) => {
    const place = newPlace(test)
    const folder = join(place.home, "sessions")
    mkdirSync(folder)
    const address = reachable(join(folder, "foreign.sock"))
    const server = createServer((socket) => socket.on("error", () => {}).end())
    await new Promise<void>((resolve) => server.listen(address.path, resolve))
    test.onTestFinished(() => void server.close(() => address.release()))
    const { code, stdout, stderr } = await place.run("agent", "foreign")
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toMatch(/^turnhouse: [^\n]*foreign\.sock\n$/)
    expect(readdirSync(folder)).toEqual(["foreign.sock"])
  })

  it("opens an ended session again, with its history and a new token", async (test) => {
    const agent = await newAgent(test, [[{ text: "Yes." }]])
    const viewer = await agent.viewer(test)
    await turn(viewer, "remember me")
    const { token } = agent
    await viewer.send({ type: "exit" })
    await agent.running.ended
    const again = await startAgent(agent.place, [agent.id])
    expect(again.id).toBe(agent.id)
    expect(again.token).not.toBe(token)
    const [sync] = of((await again.viewer(test)).frames, "conversation_sync")
    expect(sync).toMatchObject({ messages: [{ content: "remember me" }, { content: "Yes." }], is_busy: false })
  })
})

/** A background host may have continued it; otherwise a process of its own does. */
async function reopened(agent: Agent): Promise<Agent> {
  const running = agent.place.start(["agent", agent.id])
  const { code } = await Promise.race([
    running.ended,
    running.lineNumber(2).then(
      () => ({ code: 0 }),
      () => running.ended,
    ),
  ])
  if (code === 0) return agent
  await eventually("its socket is there", () => agent.exists || undefined)
  return agent
}
