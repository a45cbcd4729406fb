import { describe, expect, it } from "vitest"
import { attach, startAgent, until } from "./fixtures/agents.ts"
import { IpcClosed, IpcDenied, IpcLost, IpcMessageTooLarge, IpcTimeout } from "./index.ts"

describe("requests of a viewer", () => {
  it("resolve: slash commands, agents, sync, spawn, tool mode, queue", async () => {
    const agent = await startAgent()
    const viewer = await attach(agent)
    expect(await viewer.slash("/echo", ["x y", "\ud800"])).toEqual({
      isSuccess: true,
      output: "x y|\ufffd",
      actionTaken: undefined,
      error: undefined,
      isBlocked: false,
    })
    expect(await viewer.slash("EXEC")).toMatchObject({ isSuccess: false, isBlocked: true })
    expect((await viewer.agents()).map(({ session_id: id }) => id)).toEqual(["session-1"])
    expect((await viewer.sync()).messages).toEqual([])
    expect(await viewer.spawn({ reason: "look" })).toBe("session-2")
    expect(viewer.state.children).toEqual(["session-2"])
    await viewer.setToolMode({ Explicit: ["read"] })
    await viewer.queue("later")
    expect(agent.received.map(({ type }) => type)).toEqual([
      "slash_command",
      "slash_command",
      "list_agents",
      "sync_request",
      "spawn_agent",
      "set_tool_mode",
      "queue_message",
    ])
  })

  it("do not take answers to other requests", async () => {
    const agent = await startAgent()
    const viewer = await attach(agent)
    const mine = viewer.slash("echo", ["mine"])
    agent.send({ type: "slash_command_result", command: "help", success: true, output: "no", blocked: false })
    agent.send({ type: "agent_list", agents: [] })
    expect(await mine).toMatchObject({ output: "mine" })
  })

  it("reject with the agent's reason", async () => {
    const viewer = await attach(await startAgent())
    await expect(viewer.spawn({ reason: "too deep" })).rejects.toThrow(IpcDenied)
    await expect(viewer.spawn({ reason: "too deep" })).rejects.toThrow("Failed to spawn child agent: too deep")
  })

  it("reject at the timeout", async () => {
    const agent = await startAgent()
    const viewer = await attach(agent)
    const caller = new AbortController()
    caller.abort(new Error("enough"))
    await expect(viewer.cancel({ signal: caller.signal })).rejects.toThrow("enough")
    await expect(viewer.slash("silence", [], { timeoutMs: 30 })).rejects.toThrow(IpcTimeout)
    expect(await viewer.slash("echo")).toMatchObject({ isSuccess: true })
  })

  it("are refused when they are too large", async () => {
    const viewer = await attach(await startAgent())
    await expect(viewer.queue("x".repeat(17 * 1024 * 1024))).rejects.toThrow(IpcMessageTooLarge)
    await expect(viewer.say("x".repeat(17 * 1024 * 1024)).done()).rejects.toThrow(IpcMessageTooLarge)
  })

  it("reject when the agent is gone", async () => {
    const agent = await startAgent()
    const viewer = await attach(agent)
    const turn = viewer.say("hang")
    await until(viewer, ({ partial }) => partial !== "")
    agent.drop()
    await expect(turn.done()).rejects.toThrow(IpcLost)
    expect(await viewer.ended).toMatchObject({ kind: "lost" })
    await expect(viewer.cancel()).rejects.toThrow(IpcLost)
  })
})

describe("leaving", () => {
  it("informs the agent: detach, exit and close", async () => {
    const agent = await startAgent()
    await (await attach(agent)).detach({ exitWhenDone: true })
    await (await attach(agent)).detach()
    const closing = await attach(agent)
    expect(await closing.close()).toEqual({ kind: "closed" })
    await expect(closing.cancel()).rejects.toThrow(IpcClosed)
    expect(agent.received).toEqual([
      { type: "detach", exit_when_done: true },
      { type: "detach", exit_when_done: false },
      { type: "disconnect" },
    ])
  })

  it("exit reaches the agent also with a long conversation", async () => {
    const agent = await startAgent()
    for (let n = 0; n < 100; n++) agent.add("user", "x".repeat(50_000))
    const viewer = await attach(agent, { reconnect: true })
    await viewer.exit()
    expect(viewer.state.exiting).toBe("Exit requested")
    expect(agent.received).toEqual([{ type: "exit" }])
  })

  it("ends the viewer when the agent exits", async () => {
    const agent = await startAgent()
    const viewer = await attach(agent, { reconnect: true })
    agent.send({ type: "exiting", reason: "Terminated" })
    agent.drop()
    expect(await viewer.ended).toEqual({ kind: "exited", reason: "Terminated" })
  })
})

describe("a reader of events", () => {
  it("gets every message in order, and can stop", async () => {
    const agent = await startAgent()
    const viewer = await attach(agent)
    const chunks: string[] = []
    const stop = viewer.on("stream_chunk", ({ text }) => chunks.push(text))
    const events = viewer.events()
    await viewer.say("say one two").done()
    stop()
    await viewer.say("say three").done()
    expect(chunks).toEqual(["one ", "two "])
    const first = await events.next()
    expect(first.value).toEqual({ kind: "message", message: { type: "ack", command: "user_input" } })
    await events.return?.()
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })

  it("gets a gap when it is slow, and the state is complete", async () => {
    const agent = await startAgent()
    const viewer = await attach(agent)
    const events = viewer.events()
    agent.begin("flood")
    for (let n = 0; n < 10_000; n++) agent.chunk("x")
    agent.end()
    await until(viewer, ({ messages }) => messages.length === 2)
    expect((await events.next()).value).toMatchObject({ kind: "gap", missed: 8191 })
    expect(viewer.state.messages[1]?.content).toHaveLength(10_000)
  })
})
