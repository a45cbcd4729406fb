// Conformance cases 25 and 54: hosts that are killed in mid-turn.
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { eventually } from "../e2e/eventually.ts"
import { expectValid } from "../e2e/history.ts"
import { killHosts } from "../e2e/hosts.ts"
import { eventsOf } from "../e2e/printed.ts"
import { newPlace } from "../e2e/turnhouse.ts"
import {
  bash,
  receivesText,
  newAgent,
  newSessionIn,
  sendPrompt,
  startAgent,
  allowAllTools,
  permissivePlace,
  turn,
  turnFrom,
} from "./agents.ts"
import { of, reattach, textOf } from "./raw-viewer.ts"

describe.concurrent("25: kill -9 in mid-turn and a restart", () => {
  it("the old token is refused, the one from disk accepted, the history complete, the tool reported and not repeated", async (test) => {
    const once = "echo ran >> ran.txt; sleep 1000"
    const agent = await newAgent(test, [[{ text: "Before." }], [{ text: "Now. " }, bash(once)], [{ text: "After." }]])
    const viewer = await agent.viewer(test)
    await turn(viewer, "first")
    await sendPrompt(viewer, "second")
    await eventually("the tool is at work", () => agent.place.isWritten("ran.txt") || undefined)
    const { token } = agent
    const added = of(viewer.frames, "message_added").map(({ message }) => message)
    agent.running.signal("SIGKILL")
    await agent.running.ended

    const again = await startAgent(agent.place, [agent.id])
    const old = await again.connect(test)
    await old.send(reattach(token))
    expect(await old.response()).toMatchObject({ accepted: false, error: "Invalid session token" })
    const next = await again.viewer(test, reattach(again.token))
    const messages = async () => (await next.sync()).messages
    expect((await messages()).slice(0, added.length)).toEqual(added)
    await eventually("the turn is over", async () => !(await next.sync()).is_busy || undefined)
    const text = (await messages()).map(({ role, content }) => `${role}: ${content}`).join("\n")
    expect(text).toMatch(/system: The outcome of bash is unknown/)
    expect(text).toContain("After.")
    expect(readFileSync(agent.place.path("ran.txt"), "utf8")).toBe("ran\n")
    expectValid(await agent.place.log(agent.id))
  })

  it("a prompt without tools that was not answered is answered once", async (test) => {
    const pieces = Array.from({ length: 200 }, (_, index) => `${index} `)
    const agent = await newAgent(test, [[{ chunks: pieces }]], { delayMs: 5 })
    const viewer = await agent.viewer(test)
    await sendPrompt(viewer, "a question")
    await receivesText(viewer, "80 ")
    agent.running.signal("SIGKILL")
    await agent.running.ended
    const again = await startAgent(agent.place, [agent.id])
    const next = await again.viewer(test)
    await eventually("it is answered", async () => !(await next.sync()).is_busy || undefined)
    const { messages } = await next.sync()
    expect(messages.map(({ content }) => content)).toEqual(["a question", pieces.join("")])
    expect(eventsOf(await agent.place.log(agent.id), "turn.ended")).toHaveLength(1)
  })
})

describe.concurrent("a host that is killed", () => {
  it("54: no agent is orphaned: parent and child are restored, and the child keeps working", async (test) => {
    const place = permissivePlace(test)
    const parent = await newSessionIn(place, "--model", "offline/demo:0")
    const viewer = await parent.viewer(test)
    const { new_session_id: childId } = await viewer.ask("agent_spawned", { type: "spawn_agent", reason: "helper" })
    const child = parent.other(childId)
    await turn(await child.viewer(test), "help")
    const before = { parent: parent.token, child: child.token }
    killHosts(place.home)
    await viewer.closed
    const { code } = await place.run("run", "--session", parent.id, "--detach", "help")
    expect(code).toBe(0)
    await child.restarted(before.child)
    const again = await child.viewer(test, reattach(child.token))
    expect(of(again.frames, "conversation_sync")[0]?.messages.length).toBeGreaterThan(0)
    expect(textOf(await turn(again, "help"))).not.toBe("")
    expect(child.metadata["parent_agent_id"]).toBe(parent.id)
    expect(parent.token).not.toBe(before.parent)
  })

  it("a turn of the background host continues in the next one, and no text is missing or repeated", async (test) => {
    const place = newPlace(test)
    place.config(allowAllTools)
    const pieces = Array.from({ length: 200 }, (_, index) => `${index} `)
    const session = await newSessionIn(place, "--model", place.script([[{ chunks: pieces }]], { delayMs: 10 }))
    const viewer = await session.viewer(test)
    await sendPrompt(viewer, "go")
    await receivesText(viewer, "50 ")
    const { token } = session
    killHosts(place.home)
    await viewer.closed
    expect((await place.run("new", "--json")).code).toBe(0) // the first command that needs a host starts one
    await session.restarted(token)
    const next = await session.viewer(test)
    const isBusy = of(next.frames, "conversation_sync")[0]?.is_busy === true
    if (isBusy) await turnFrom(next, 0)
    const { messages } = await next.sync()
    expect(messages.at(-1)).toMatchObject({ role: "assistant", content: pieces.join("") })
  })
})
