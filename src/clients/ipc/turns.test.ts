import { describe, expect, it } from "vitest"
import { attach, startAgent, until } from "./fixtures/agents.ts"
import type { Behaviour } from "./fixtures/scripted-agent.ts"
import { IpcTurnFailed, type Turn } from "./index.ts"

async function piecesOf(turn: Turn): Promise<readonly string[]> {
  const pieces: string[] = []
  for await (const piece of turn) pieces.push(piece)
  return pieces
}

describe.for<Behaviour>(["well", "reference"])("with an agent that behaves like %s, a turn", (manner) => {
  const startPair = async () => {
    const agent = await startAgent()
    agent.behaviour = manner
    return { agent, viewer: await attach(agent) }
  }

  it("yields its text, its calls and its end", async () => {
    const { viewer } = await startPair()
    const turn = viewer.say("use what is there")
    expect((await piecesOf(turn)).join("")).toBe("Looking. what is there ")
    expect(await turn.done()).toEqual({ kind: "completed", text: "Looking. what is there " })
    expect(turn.calls).toEqual([
      {
        id: "c1",
        name: "read",
        server: undefined,
        input: { path: "a" },
        state: "done",
        progress: { message: "half", part: 0.5 },
        result: "content",
      },
    ])
  })

  it("ends as failed, and the next one is unaffected", async () => {
    const { viewer } = await startPair()
    const turn = viewer.say("fail out of luck")
    expect(await turn.done()).toEqual({ kind: "failed", text: "", reason: "out of luck" })
    await expect(turn.text()).rejects.toThrow(IpcTurnFailed)
    expect(await viewer.say("say again").text()).toBe("again ")
    expect(viewer.state).toMatchObject({ isBusy: false, partial: "" })
  })

  it("is distinguished from turns of other viewers and from the previous one", async () => {
    const { agent, viewer } = await startPair()
    agent.begin("another viewer's")
    agent.chunk("for them")
    agent.end()
    const turns = ["say one", "say one", "say two"].map((said) => viewer.say(said))
    expect(await Promise.all(turns.map((turn) => turn.text()))).toEqual(["one ", "one ", "two "])
  })
})

describe("a turn", () => {
  it("is cancelled by itself, by a signal, or by another viewer", async () => {
    const agent = await startAgent()
    const viewer = await attach(agent)
    const byHand = viewer.say("hang on")
    await byHand.cancel() // as soon as it runs
    expect(await byHand.done()).toEqual({ kind: "cancelled", text: "I begin" })
    const caller = new AbortController()
    const bySignal = viewer.say("hang on", { signal: caller.signal })
    for await (const _ of bySignal) caller.abort()
    expect(await bySignal.text()).toBe("I begin")
    const byAnother = viewer.say("hang on")
    await until(viewer, ({ partial }) => partial !== "")
    await (await attach(agent)).cancel()
    expect((await byAnother.done()).kind).toBe("cancelled")
  })

  it("fails when the agent refuses it, and ignores errors of other requests when accepted", async () => {
    const agent = await startAgent()
    const viewer = await attach(agent)
    const refused = viewer.say("refuse it")
    expect(await refused.done()).toEqual({ kind: "failed", text: "", reason: "I do not take that" })
    const waiting = viewer.say("silence")
    await agent.waitFor((received) =>
      received.some((message) => message.type === "user_input" && message.content === "silence"),
    )
    agent.send({ type: "error", message: "another viewer's", fatal: false })
    await viewer.sync()
    agent.begin("silence")
    agent.chunk("now you")
    agent.end()
    expect(await waiting.text()).toBe("now you")
  })

  it("starts when its message appears in the conversation", async () => {
    const agent = await startAgent()
    const viewer = await attach(agent)
    const first = viewer.say("hang on")
    await until(viewer, ({ partial }) => partial !== "")
    const second = viewer.say("silence")
    await agent.waitFor((received) => received.length === 2)
    agent.chunk(", and end")
    agent.end()
    agent.begin("silence")
    agent.chunk("now you")
    agent.end()
    expect(await first.text()).toBe("I begin, and end")
    expect(await second.text()).toBe("now you")
  })

  it("continues through queued messages and syncs", async () => {
    const agent = await startAgent()
    const viewer = await attach(agent)
    const turn = viewer.say("hang on")
    await until(viewer, ({ partial }) => partial !== "")
    agent.add("user", "besides")
    await viewer.sync()
    agent.chunk(", and end")
    agent.end()
    expect(await turn.text()).toBe("I begin, and end")
  })

  it("accepts a repetition from its beginning, also when the agent lost the end", async () => {
    const agent = await startAgent()
    const viewer = await attach(agent)
    const turn = viewer.say("hang on")
    await until(viewer, ({ partial }) => partial === "I begin")
    agent.send({ type: "stream_chunk", text: ", lost" })
    await until(viewer, ({ partial }) => partial === "I begin, lost")
    for (const text of ["I begin", "I begin"]) {
      agent.greetAgain()
      agent.send({ type: "stream_chunk", text })
    }
    agent.chunk(", and end")
    agent.end()
    expect(await turn.text()).toBe("I begin, and end")
    expect((await piecesOf(turn)).join("")).toBe("I begin, lost, and end")
    expect(viewer.state.messages.at(-1)?.content).toBe("I begin, and end")
  })

  it("recognises its message with appended files or redacted secrets", async () => {
    const agent = await startAgent()
    const viewer = await attach(agent)
    for (const echo of ["silence\n\n# Referenced Files\n", "silence", "sil‹redacted:KEY:12ab›"]) {
      const turn = viewer.say("silence", { files: ["a.txt"] })
      await agent.waitFor((received) => received.length > 0)
      expect(agent.received.splice(0)).toEqual([{ type: "user_input", content: "silence", context_files: ["a.txt"] }])
      agent.begin(echo)
      agent.chunk("done")
      agent.end()
      expect(await turn.text()).toBe("done")
    }
  })

  it("ends also without text", async () => {
    const agent = await startAgent()
    const viewer = await attach(agent)
    const turn = viewer.say("say")
    expect(await turn.done()).toEqual({ kind: "completed", text: "" })
    expect(() => turn[Symbol.asyncIterator]()).not.toThrow()
    expect(() => turn[Symbol.asyncIterator]()).toThrow("can be read once")
  })

  it("drops its text when its reader stops reading", async () => {
    const viewer = await attach(await startAgent())
    const turn = viewer.say("say one two three")
    for await (const piece of turn) if (piece !== "") break
    expect(await turn.text()).toBe("one two three ")
  })

  it("in a plan is lost when plan mode ends first, also during a loss", async () => {
    const echo = { role: "user", content: "silence", created_at: 1 } as const
    for (const isSeen of [true, false]) {
      const agent = await startAgent()
      const viewer = await attach(agent)
      agent.send({ type: "plan_mode_entered", plan_session_id: "plan-1", messages: [], status: "Plan Mode" })
      await until(viewer, ({ plan: open }) => open !== undefined)
      const turn = viewer.say("silence")
      agent.send({ type: "plan_mode_message_added", message: echo })
      await until(viewer, ({ plan: open }) => open?.messages.length === 1)
      if (isSeen) agent.send({ type: "plan_mode_exited", summary: null })
      else agent.greetAgain()
      agent.send({ type: "status_update", status: "Ready" })
      await expect(turn.done()).rejects.toThrow("left plan mode during the turn")
    }
  })
})
