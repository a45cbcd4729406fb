import { writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { once } from "node:events"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { agentFiles } from "../../protocols/ipc/agent-paths.ts"
import { attach, newFolder, startAgent, until } from "./fixtures/agents.ts"
import { IpcFault, IpcNoHandshake, IpcNotReachable, IpcRefused, IpcTimeout, Viewer } from "./index.ts"

function refusing(error: string) {
  return () => ({ accepted: false, session_id: "", session_token: null, error })
}

describe("a viewer", () => {
  it("sends the token beside the socket, and gets the conversation", async () => {
    const agent = await startAgent()
    agent.add("user", "before")
    const viewer = await attach(agent)
    expect(agent.handshakes).toEqual([
      `{"version":2,"is_reattach":true,"session_id":"session-1","session_token":"${agent.token}"}`,
    ])
    expect(viewer.state).toMatchObject({ sessionId: "session-1", model: "m1", isBusy: false, toolMode: "Smart" })
    expect(viewer.state.messages.map(({ content }) => content)).toEqual(["before"])
    expect(viewer.token).toBe(agent.token)
  })

  it("attaches as a new viewer without a token, and gets one", async () => {
    const agent = await startAgent()
    const path = join(newFolder(), "elsewhere.sock")
    const viewer = await attach(agent, { handshake: "new" })
    expect(agent.handshakes).toEqual([`{"version":2,"is_reattach":false,"session_id":null,"session_token":null}`])
    expect(viewer.token).toBe(agent.token)
    await expect(Viewer.attach(path)).rejects.toThrow(`there is no socket at ${path}`)
  })

  it("accepts a path and a token", async () => {
    const agent = await startAgent()
    const viewer = await Viewer.attach(agent.socket, { token: agent.token })
    expect(JSON.parse(agent.handshakes[0] ?? "")).toMatchObject({ session_id: null, session_token: agent.token })
    await viewer.close()
  })

  it("reads the token again after a refusal", async () => {
    const agent = await startAgent()
    const viewer = await attach(agent, { token: "0".repeat(64) })
    expect(agent.handshakes).toHaveLength(2)
    expect(viewer.token).toBe(agent.token)
  })

  it("connects to a path that is too long for a socket address", async () => {
    const agent = await startAgent(join(newFolder(), "d".repeat(60), "e".repeat(60)), "s".repeat(40))
    expect(agent.socket.length).toBeGreaterThan(150)
    const viewer = await attach(agent)
    expect(await viewer.say("say hello").text()).toBe("hello ")
  })

  it("sends and receives sealed frames", async () => {
    const agent = await startAgent()
    const viewer = await attach(agent, { encrypted: true })
    expect(await viewer.slash("echo", ["a", "b"])).toMatchObject({ output: "a|b" })
    expect(await viewer.say("say sealed").text()).toBe("sealed ")
  })

  it("ignores unreadable messages and reports a notice", async () => {
    const agent = await startAgent()
    const notices: string[] = []
    const viewer = await attach(agent, { onEvent: (event) => event.kind === "notice" && notices.push(event.what) })
    agent.sendRaw('\n{"type":"from_the_future","x":1}\n{"type":"toast"}\nnonsense\n')
    agent.sendRaw(Buffer.from([0xff, 0xfe, 0x0a]))
    agent.send({ type: "status_update", status: "still here" })
    await until(viewer, ({ status }) => status === "still here")
    expect(notices).toHaveLength(4)
    expect(notices[0]).toContain("from_the_future")
  })

  it("gets the reason of a refusal as a type", async () => {
    const agent = await startAgent()
    const refusals = {
      "Session token required for reattachment": "token-required",
      "Invalid session token": "token-invalid",
      "Protocol version mismatch: expected 3, got 2": "version",
      "Session mismatch": "session",
      "Go away": "other",
    }
    for (const [error, refusal] of Object.entries(refusals)) {
      agent.answerHandshake = refusing(error)
      await expect(attach(agent)).rejects.toMatchObject({ name: "IpcRefused", refusal, reason: error })
    }
    await expect(attach(agent)).rejects.toThrow(IpcRefused)
  })
})

describe("attaching fails when", () => {
  it("the agent is gone and left its socket", async () => {
    const agent = await startAgent()
    await agent.stop()
    writeFileSync(agentFiles(agent.folder, "no-socket").socket, "")
    const fault = await Viewer.attach({ folder: agent.folder, id: "no-socket" }).catch((given: unknown) => given)
    expect(fault).toBeInstanceOf(IpcNotReachable)
    expect(fault).toMatchObject({ why: "dead" })
  })

  it("the id points outside the folder", async () => {
    await expect(Viewer.attach({ folder: newFolder(), id: "../other" })).rejects.toThrow(IpcFault)
  })

  it("the agent does not answer in time", async () => {
    const agent = await startAgent()
    agent.greets = false
    await expect(attach(agent, { timeoutMs: 50 })).rejects.toThrow(IpcTimeout)
    expect(agent.handshakes).toHaveLength(1)
  })

  it("its signal is aborted", async () => {
    const agent = await startAgent()
    agent.greets = false
    const caller = new AbortController()
    const attaching = attach(agent, { signal: caller.signal })
    setImmediate(() => caller.abort(new Error("enough")))
    await expect(attaching).rejects.toThrow("enough")
    await expect(attach(agent, { signal: caller.signal })).rejects.toThrow("enough")
  })

  it.for(["HTTP/1.1 400 Bad Request\r\n", '{"accepted":"yes"}\n', "\u0000\u0000\u0000\u0001", ""])(
    "what listens there speaks something else: %j",
    async (answer) => {
      const path = join(newFolder(), "other.sock")
      const server = createServer((socket) => {
        socket.on("error", () => {})
        socket.end(answer)
      }).listen(path)
      onTestFinished(() => void server.close())
      await once(server, "listening")
      await expect(Viewer.attach(path)).rejects.toThrow(IpcNoHandshake)
    },
  )
})
