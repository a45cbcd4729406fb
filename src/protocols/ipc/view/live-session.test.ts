import { describe, expect, it } from "vitest"
import type { HostPort, SessionHandle } from "../../../contract/host-port.ts"
import { gate, scriptedSource } from "../../../testing/index.ts"
import { newSession, next, prompt, reopen, testHost, testTool, you } from "../../../testing/test-host.ts"
import { portOf } from "../../../testing/doors/served-host.ts"
import type { AgentMessage } from "../frames.ts"
import { readSnapshot } from "../../../projection/session-snapshot.ts"
import { IpcView } from "./session-view.ts"

/** A viewer as a door makes one: the scene, then the watch from there. */
async function attach(port: HostPort, sessionId: string) {
  const answered = await port.query({ type: "scene", sessionId })
  const scene = answered.kind === "answer" ? readSnapshot(answered.value) : undefined
  const opened = await port.open(sessionId, you)
  if (scene === undefined || opened.kind === "refused") throw new Error("the session is not there")
  const view = new IpcView(sessionId, scene)
  const frames: AgentMessage[] = [...view.greeting()]
  const leave = await watch(opened.handle, view, frames)
  return { view, frames, leave }
}

function watch(handle: SessionHandle, view: IpcView, frames: AgentMessage[]): Promise<() => void> {
  return handle.watch(view.seq, (item) => frames.push(...view.tell(item, 0)))
}

function chunksOf(frames: readonly AgentMessage[]): string {
  return frames.map((frame) => (frame.type === "stream_chunk" ? frame.text : "")).join("")
}

describe("viewers of a living session", () => {
  it("who come at different moments of an answer with tools read the same text in the end", async () => {
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

  it("find an unsafe call that a crash cut off, told and not repeated", async () => {
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
    const heir = await testHost(models, [pay], {}, first.log, 2)
    const heirs = await reopen(heir.host, session.id)
    if (heirs.state.turn !== undefined) await next(heirs, "turn.ended")
    const { view, leave } = await attach(portOf(heir.host), session.id)
    expect(view.messages.map(({ content }) => content)).toEqual([
      "pay",
      expect.stringContaining("The outcome of pay is unknown: "),
      "Paying.\n\nPlease check.",
    ])
    expect(runs).toBe(1)
    leave()
    running.open()
  })

  it("see that somebody stopped it", async () => {
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
