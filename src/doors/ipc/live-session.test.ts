import { describe, expect, it } from "vitest"
import type { HostPort } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import { gate, type Gate } from "../../testing/gate.ts"
import { next, prompt, testTool } from "../../testing/test-host.ts"
import { scriptedSource } from "../../testing/scripted-source.ts"
import { ipcWorld, type TestViewer } from "../../testing/doors/ipc-world.ts"
import { LiveSession } from "./live-session.ts"

function lastAnswer(viewer: TestViewer): unknown {
  const added = viewer.all("message_added").map(({ message }) => message)
  return added.findLast((message) => isAssistant(message))
}

function isAssistant(message: unknown): message is { readonly content: string } {
  return typeof message === "object" && message !== null && "role" in message && message.role === "assistant"
}

const kilobyte = "0123456789abcdef".repeat(64)

/** One chunk per KiB of text, with a gate before the last chunk. */
function long(kilobytes: number, last: Gate) {
  const chunks = Array.from({ length: kilobytes }, () => kilobyte)
  return scriptedSource([[{ chunks }, { gate: last }, { text: "the end" }]], { maxOutput: 1e9, contextWindow: 1e9 })
}

describe("viewers of one session", () => {
  it("see each other's prompts and their own before the answer begins", async () => {
    const { viewer: enter } = await ipcWorld([[{ text: "hello" }]])
    const [a, b] = [await enter(), await enter()]
    a.say({ type: "user_input", content: "hi" })
    for (const viewer of [a, b]) {
      await viewer.of("status_update", ({ status }) => status === "Ready - Model: m")
      const types = viewer.types().slice(4)
      expect(types.slice(0, 3)).toEqual(["ack", "message_added", "status_update"])
      expect(types.filter((type) => type === "stream_end")).toHaveLength(1)
    }
    expect(a.received.slice(4)).toEqual(b.received.slice(4))
  })

  it("get the whole answer when they join in mid-answer", async () => {
    const [first, second] = [gate(), gate()]
    const { viewer: enter } = await ipcWorld([
      [{ text: "one " }, { gate: first }, { text: "two " }, { gate: second }, { text: "three" }],
    ])
    const early = await enter()
    early.say({ type: "user_input", content: "count" })
    await first.arrived
    const middle = await enter()
    first.open()
    await second.arrived
    const late = await enter()
    second.open()
    for (const viewer of [early, middle, late]) {
      await viewer.of("stream_end")
      expect(viewer.text()).toBe("one two three")
      await viewer.until(() => lastAnswer(viewer))
      expect(lastAnswer(viewer)).toMatchObject({ content: "one two three" })
    }
  })

  it("get the text before and after a tool call when they join while it runs", async () => {
    const working = gate()
    const tool = testTool("work", async () => {
      await working.pass()
      return { outcome: "done", output: "done" }
    })
    const { viewer: enter } = await ipcWorld(
      [[{ text: "before " }, { call: { tool: "work", input: {} } }], [{ text: "after" }]],
      {
        tools: [tool],
      },
    )
    const early = await enter()
    early.say({ type: "user_input", content: "work" })
    await working.arrived
    const late = await enter()
    working.open()
    for (const viewer of [early, late]) {
      await viewer.until(() => lastAnswer(viewer))
      expect(lastAnswer(viewer)).toMatchObject({ content: viewer.text() })
    }
  })

  it("that do not read do not delay others, and are resynchronised when they read again", async () => {
    const last = gate()
    const { viewer: enter } = await ipcWorld(long(4096, last), { door: { limits: { outboxMessages: 16 } } })
    const [reader, sleeper] = [await enter(), await enter()]
    sleeper.socket.pause()
    reader.say({ type: "user_input", content: "much" })
    await last.arrived
    reader.say({ type: "sync_request" })
    await reader.until(() => reader.all("conversation_sync").length === 2)
    expect(reader.text()).toHaveLength(4096 * 1024)
    sleeper.socket.resume()
    await sleeper.until(() => sleeper.all("conversation_sync").length === 2)
    last.open()
    await sleeper.of("stream_end")
    expect(sleeper.text()).toBe(`${kilobyte.repeat(4096)}the end`)
    expect(sleeper.all("stream_chunk").length).toBeLessThan(reader.all("stream_chunk").length)
  })

  it("that never read are disconnected", async () => {
    const last = gate()
    const { viewer: enter, session } = await ipcWorld(long(4096, last), { door: { limits: { stalledMs: 200 } } })
    const [reader, dead] = [await enter(), await enter()]
    dead.socket.pause()
    reader.say({ type: "user_input", content: "much" })
    await last.arrived
    const ended = next(session, "turn.ended")
    last.open()
    await ended
    dead.socket.write("\n".repeat(10))
    await expect.poll(() => isCut(dead), { timeout: 30_000 }).toBe(true)
    await reader.of("stream_end")
  })

  it("may join in large numbers at once", async () => {
    const { viewer: enter } = await ipcWorld([[{ text: "hello" }]])
    const viewers = await Promise.all(Array.from({ length: 100 }, () => enter()))
    viewers[0]?.say({ type: "user_input", content: "hi" })
    for (const viewer of viewers) {
      await viewer.of("stream_end")
      expect(viewer.text()).toBe("hello")
    }
  })
})

/** Writing to a connection that the other side has closed fails. */
function isCut({ socket }: TestViewer): boolean {
  if (!socket.destroyed) socket.write("\n")
  return socket.destroyed
}

const by = { principal: "you", door: "ipc" }
const nothing = () => {}

function liveSession(port: HostPort, sessionId: SessionId): LiveSession {
  const childReady = async () => {}
  return new LiveSession({ sessionId, port, by, now: Date.now, childReady, onEvent: nothing, onOver: nothing })
}

describe("the sync", () => {
  it("includes the plan, and continues its text where a slow viewer stopped", async () => {
    const middle = gate()
    const { port, session } = await ipcWorld([[{ text: "1. Look " }, { gate: middle }, { text: "2. Leap" }]])
    await session.send({ type: "enter-plan" }, by)
    const live = liveSession(port, session.id)
    await live.join({ send: nothing })
    const ended = next(session, "turn.ended")
    await prompt(session, "how?")
    await middle.arrived
    const { turn } = live.position
    const frames = live.resyncFrames({ turn, offset: 3 })
    expect(frames.map(({ type }) => type)).toEqual([
      "conversation_sync",
      "task_update",
      "plan_mode_sync",
      "plan_mode_stream_chunk",
    ])
    expect(frames[3]?.line.toString()).toContain('"Look "')
    middle.open()
    await ended
    expect(live.position).toEqual({ turn: turn + 1, offset: 0 })
    live.close()
  })

  it("is encoded once until something changes", async () => {
    const { port, session } = await ipcWorld([[{ text: "hello" }]])
    const live = liveSession(port, session.id)
    await live.join({ send: nothing })
    const [before] = live.syncFrames
    expect(live.syncFrames[0]).toBe(before)
    const ended = next(session, "turn.ended")
    await prompt(session, "hi")
    await ended
    expect(live.syncFrames[0]).not.toBe(before)
    expect(live.syncFrames[0]?.line.toString()).toContain("hello")
    live.close()
  })
})
