// Conformance cases 35 and 39: queued prompts, and sessions that end when their work is done.
import { readdirSync } from "node:fs"
import { dirname } from "node:path"
import { describe, expect, it } from "vitest"
import { eventually } from "../e2e/eventually.ts"
import { eventsOf } from "../e2e/printed.ts"
import { bash, newAgent, sendPrompt, turnFrom, userTexts, waitFor } from "./agents.ts"
import { names, of, reattach } from "./raw-viewer.ts"

describe.concurrent("queued messages", () => {
  it("35: a message of 49 one-byte letters and a two-byte one is acknowledged and delivered; idle, it runs at once", async (test) => {
    const agent = await newAgent(test, [[{ text: "Yes." }]])
    const viewer = await agent.viewer(test)
    const content = `${"a".repeat(49)}é`
    await viewer.send({ type: "queue_message", content })
    const frames = await turnFrom(viewer, 3)
    expect(frames[0]).toEqual({ type: "ack", command: "queue_message" })
    expect(of(frames, "message_added")[0]?.message).toMatchObject({ role: "user", content })
  })

  it("35: while busy it is delivered at the next tool boundary of the running turn", async (test) => {
    const agent = await newAgent(test, [
      [bash(waitFor("go"))],
      [{ expect: { lastUserText: "by the way" } }, { text: "I see." }],
    ])
    const viewer = await agent.viewer(test)
    await sendPrompt(viewer, "go")
    await viewer.next("tool_call_start")
    await viewer.send({ type: "queue_message", content: "by the way" })
    await viewer.ack("queue_message")
    agent.place.write("go", "")
    const frames = await turnFrom(viewer, 3)
    expect(userTexts(of(frames, "message_added").map(({ message }) => message))).toEqual(["go", "by the way"])
    expect(names(frames).indexOf("tool_result")).toBeLessThan(names(frames).lastIndexOf("message_added"))
    expect(of(frames, "stream_end")).toEqual([{ type: "stream_end", finish_reason: "stop" }])
  })

  it("35: the 1001st is an error, and the others are kept over a restart", async (test) => {
    const agent = await newAgent(test, [[{ text: "Begun." }, { hang: true }]])
    const viewer = await agent.viewer(test)
    await sendPrompt(viewer, "go")
    await viewer.next("stream_chunk")
    const lines = Array.from({ length: 1001 }, (_, n) => JSON.stringify({ type: "user_input", content: `q${n}` }))
    const frames = await viewer.settle(`${lines.join("\n")}\n`)
    expect(of(frames, "ack")).toHaveLength(1000)
    const message = "Failed to queue message: Message queue is full (max 1000)"
    expect(of(frames, "error")).toEqual([{ type: "error", message, fatal: false }])
    agent.running.signal("SIGKILL")
    await agent.running.ended
    const log = await agent.place.log(agent.id)
    const kept = eventsOf(log, "prompt.admitted").map(({ text }) => text)
    expect(kept).toEqual(["go", ...Array.from({ length: 1000 }, (_, n) => `q${n}`)])
    expect(eventsOf(log, "prompt.withdrawn")).toEqual([])
  })

  it("a prompt without content is an error", async (test) => {
    const agent = await newAgent(test, [])
    const viewer = await agent.viewer(test)
    const frames = await viewer.settle({ type: "user_input", content: "  " }, { type: "queue_message", content: "" })
    expect(frames).toMatchObject([{ type: "error" }, { type: "error" }])
  })
})

describe.concurrent("39: detach", () => {
  const steps = [[{ text: "At work. " }, bash(waitFor("go"))], [{ text: "Done." }], [{ text: "And more." }]]

  it("with exit_when_done while busy: it exits after the turn and the queue", async (test) => {
    const agent = await newAgent(test, steps)
    const viewer = await agent.viewer(test)
    await sendPrompt(viewer, "first")
    await viewer.next("tool_call_start")
    await sendPrompt(viewer, "second")
    await viewer.ack("queue_message")
    await viewer.send({ type: "detach", exit_when_done: true })
    expect(of(await viewer.untilClosed(), "ack").at(-1)).toEqual({ type: "ack", command: "detach" })
    agent.place.write("go", "")
    expect((await agent.running.ended).code).toBe(0)
    expect(agent.exists).toBe(false)
    const log = await agent.place.log(agent.id)
    expect(eventsOf(log, "turn.ended").map(({ reason }) => reason)).toEqual(["done", "done"])
    expect(eventsOf(log, "session.ended")).toHaveLength(1)
  })

  it("with exit_when_done while busy, and a new attach before that: it keeps running", async (test) => {
    const agent = await newAgent(test, steps)
    const viewer = await agent.viewer(test)
    await sendPrompt(viewer, "first")
    await viewer.next("tool_call_start")
    await viewer.send({ type: "detach", exit_when_done: true })
    await viewer.closed
    const next = await agent.viewer(test, reattach(agent.token))
    agent.place.write("go", "")
    await next.next("stream_end")
    expect(await next.settle({ type: "cancel" })).toContainEqual({ type: "ack", command: "cancel" })
    expect(eventsOf(await agent.place.log(agent.id), "session.ended")).toEqual([])
  })

  it("with exit_when_done while idle: it exits; without it stays", async (test) => {
    const agent = await newAgent(test, steps)
    const staying = await agent.viewer(test)
    await staying.send({ type: "detach", exit_when_done: false })
    expect((await staying.untilClosed()).at(-1)).toEqual({ type: "ack", command: "detach" })
    const leaving = await agent.viewer(test)
    await leaving.send({ type: "detach", exit_when_done: true })
    expect((await agent.running.ended).code).toBe(0)
    await eventually("its files are gone", () => !agent.exists || undefined)
  })

  it("disconnect is acknowledged and closed; the agent stays", async (test) => {
    const agent = await newAgent(test, steps)
    const [viewer, other] = [await agent.viewer(test), await agent.viewer(test)]
    await viewer.send({ type: "disconnect" })
    expect((await viewer.untilClosed()).at(-1)).toEqual({ type: "ack", command: "disconnect" })
    await other.ack("disconnect")
    expect(await other.settle()).toEqual([])
  })

  it("exit is acknowledged to all, announced with a reason, and ends the process", async (test) => {
    const agent = await newAgent(test, [[{ text: "I begin" }, { hang: true }]])
    const [viewer, other] = [await agent.viewer(test), await agent.viewer(test)]
    await sendPrompt(viewer, "go")
    await other.next("stream_chunk")
    await viewer.send({ type: "exit" })
    for (const one of [viewer, other]) {
      const types = names(await one.untilClosed()).filter(
        (name) => name !== "status_update" && name !== "message_added",
      )
      expect(types.slice(-4)).toEqual(["stream_end", "agent_exiting", "ack", "exiting"])
      expect(one.frames.at(-1)).toEqual({ type: "exiting", reason: "Exit requested" })
    }
    expect((await agent.running.ended).code).toBe(0)
    expect(readdirSync(dirname(agent.socket))).toEqual([])
  })
})
