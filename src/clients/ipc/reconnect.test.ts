import { describe, expect, it } from "vitest"
import { attach, startAgent, until } from "./fixtures/agents.ts"
import { IpcLost, type ViewerEvent } from "./index.ts"

const reconnect = { firstDelayMs: 1, mostDelayMs: 20, attempts: 200 }

describe("a reconnecting viewer", () => {
  it("has the same state as one that was always connected, and nothing twice", async () => {
    const agent = await startAgent()
    const viewer = await attach(agent, { reconnect })
    const turn = viewer.say("hang on")
    const pieces: string[] = []
    const reading = (async () => {
      for await (const piece of turn) pieces.push(piece)
    })()
    await until(viewer, ({ partial }) => partial === "I begin")
    agent.drop()
    agent.chunk(", go on")
    await until(viewer, ({ partial }) => partial === "I begin, go on")
    agent.chunk(", and end")
    agent.end()
    await reading
    expect(pieces.join("")).toBe("I begin, go on, and end")
    expect(await turn.done()).toEqual({ kind: "completed", text: "I begin, go on, and end" })
    expect(viewer.state.messages.map(({ content }) => content)).toEqual(["hang on", "I begin, go on, and end"])
    expect(agent.received.filter(({ type }) => type === "user_input")).toHaveLength(1)
  })

  it("reads the new token of a restarted agent, and reports loss and return", async () => {
    const agent = await startAgent()
    const events: ViewerEvent["kind"][] = []
    const viewer = await attach(agent, { reconnect, onEvent: ({ kind }) => kind !== "message" && events.push(kind) })
    const before = viewer.token
    const back = new Promise<void>((resolve) => viewer.onEvent(({ kind }) => kind === "reattached" && resolve()))
    await agent.restart()
    await back
    expect(viewer.token).toBe(agent.token)
    expect(viewer.token).not.toBe(before)
    expect(await viewer.say("say hello").text()).toBe("hello ")
    expect(new Set(events)).toEqual(new Set(["lost", "reattached"]))
    expect(events.filter((kind) => kind === "reattached")).toHaveLength(1)
  })

  it("gets the end of a turn that ended meanwhile", async () => {
    const agent = await startAgent()
    const viewer = await attach(agent, { reconnect })
    const turn = viewer.say("hang on")
    await until(viewer, ({ partial }) => partial !== "")
    agent.drop()
    agent.end()
    expect(await turn.done()).toEqual({ kind: "completed", text: "I begin" })
    expect(viewer.state).toMatchObject({ partial: "", isBusy: false })
  })

  it("does not repeat a message that may have arrived", async () => {
    const agent = await startAgent()
    const viewer = await attach(agent, { reconnect })
    const turn = viewer.say("silence")
    await agent.waitFor((received) => received.length === 1)
    agent.drop()
    await expect(turn.done()).rejects.toThrow(IpcLost)
    expect(agent.received).toHaveLength(1)
  })

  it("gives up after the configured attempts", async () => {
    const agent = await startAgent()
    const delays: (number | undefined)[] = []
    const viewer = await attach(agent, {
      reconnect: { ...reconnect, attempts: 3 },
      onEvent: (event) => event.kind === "lost" && delays.push(event.delayMs),
    })
    await agent.stop()
    expect(await viewer.ended).toMatchObject({ kind: "lost", fault: { name: "IpcNotReachable" } })
    expect(delays).toHaveLength(4)
    expect(delays.at(-1)).toBeUndefined()
    await expect(viewer.cancel()).rejects.toThrow(IpcLost)
  })

  it("can be closed while it is reconnecting", async () => {
    const agent = await startAgent()
    const viewer = await attach(agent, { reconnect: { firstDelayMs: 60_000, mostDelayMs: 60_000 } })
    const lost = new Promise<void>((resolve) => viewer.onEvent(({ kind }) => kind === "lost" && resolve()))
    agent.drop()
    await lost
    expect(await viewer.close()).toEqual({ kind: "closed" })
  })
})
