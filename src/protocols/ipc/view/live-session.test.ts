import { describe, expect, it } from "vitest"
import type { HostPort, SessionHandle } from "../../../contract/host-port.ts"
import { gate, scriptedSource } from "../../../testing/index.ts"
import { newSession, next, prompt, reopen, testHost, testTool, you } from "../../../testing/test-host.ts"
import { portOf } from "../../../testing/doors/served-host.ts"
import type { AgentMessage } from "../frames.ts"
import { SessionView } from "./session-view.ts"

/** A viewer as a door makes one: a snapshot, then the watch from there. */
async function attach(port: HostPort, sessionId: string) {
  const answered = await port.query({ type: "scene", sessionId })
  const snapshot = answered.kind === "answer" ? answered.value : undefined
  const opened = await port.open(sessionId, you)
  if (snapshot === undefined || opened.kind === "refused") throw new Error("the session cannot be opened")
  const view = new SessionView(sessionId, snapshot)
  const frames: AgentMessage[] = [...view.joinMessages()]
  const leave = await watch(opened.handle, view, frames)
  return { view, frames, leave }
}

function watch(handle: SessionHandle, view: SessionView, frames: AgentMessage[]): Promise<() => void> {
  return handle.watch(view.seq, (item) => frames.push(...view.encode(item, 0)))
}

function chunksOf(frames: readonly AgentMessage[]): string {
  return frames.map((frame) => (frame.type === "stream_chunk" ? frame.text : "")).join("")
}

describe("viewers of a live session", () => {
  it("get the same text, whenever they join a turn with tool calls", async () => {
    const speaking = gate()
    const looking = gate()
    const look = testTool("look", async () => {
      await looking.pass()
      return { outcome: "done", output: "seen" }
    })
    const first = [{ text: "Let me " }, { text: "look." }, { call: { tool: "look", input: {} } }]
    const second = [{ text: "I saw " }, { gate: speaking }, { text: "it." }]
    const { host } = await testHost(scriptedSource([first, second]), [look])
    const session = await newSession(host)
    const port = portOf(host)
    const early = await attach(port, session.id)
    const ended = next(session, "turn.ended")
    await prompt(session, "look")
    await looking.arrived
    const inCall = await attach(port, session.id)
    looking.open()
    await speaking.arrived
    const inText = await attach(port, session.id)
    speaking.open()
    await ended
    const late = await attach(port, session.id)
    const whole = "Let me look.\n\nI saw it."
    for (const { frames } of [early, inCall, inText]) expect(chunksOf(frames)).toBe(whole)
    for (const { view } of [early, inCall, inText, late])
      expect(view.messages.map(({ role, content }) => [role, content])).toEqual([
        ["user", "look"],
        ["assistant", whole],
      ])
    for (const { leave } of [early, inCall, inText, late]) leave()
  })

  it("see an unsafe call that a crash cut off, which is not repeated", async () => {
    const running = gate()
    let runs = 0
    const pay = testTool("pay", async (_, { signal }) => {
      runs += 1
      await running.pass(signal)
      return { outcome: "done", output: "paid" }
    })
    const script = [[{ text: "Paying." }, { call: { tool: "pay", input: {} } }], [{ text: "Please check." }]]
    const models = scriptedSource(script)
    const first = await testHost(models, [pay])
    const session = await newSession(first.host)
    await prompt(session, "pay")
    await running.arrived
    await first.crash()
    const successor = await testHost(models, [pay], {}, first.log, 2)
    const reopened = await reopen(successor.host, session.id)
    if (reopened.state.turn !== undefined) await next(reopened, "turn.ended")
    const { view, leave } = await attach(portOf(successor.host), session.id)
    expect(view.messages.map(({ content }) => content)).toEqual([
      "pay",
      expect.stringContaining("The outcome of pay is unknown: "),
      "Paying.\n\nPlease check.",
    ])
    expect(runs).toBe(1)
    leave()
    running.open()
  })

  it("see that a turn was interrupted", async () => {
    const speaking = gate()
    const { host } = await testHost(scriptedSource([[{ text: "One " }, { gate: speaking }, { text: "two" }]]))
    const session = await newSession(host)
    const { frames, view, leave } = await attach(portOf(host), session.id)
    await prompt(session, "count")
    await speaking.arrived
    await session.send({ type: "interrupt" }, you)
    expect(frames.slice(-4).map(({ type }) => type)).toEqual([
      "stream_end",
      "message_added",
      "message_added",
      "status_update",
    ])
    expect(view.messages.map(({ content }) => content)).toEqual(["count", "One ", "Interrupted by you."])
    leave()
  })
})
