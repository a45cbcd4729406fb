// The viewer library against the session socket of a Turnhouse host.
import { describe, expect, it, onTestFinished } from "vitest"
import { gate } from "../../testing/gate.ts"
import { ipcWorld, type IpcWorld } from "../../testing/doors/ipc-world.ts"
import { until } from "./fixtures/agents.ts"
import { listAgents, Viewer, type AttachOptions } from "./index.ts"

async function attach({ path }: IpcWorld, options: AttachOptions = {}): Promise<Viewer> {
  const viewer = await Viewer.attach(path, options)
  onTestFinished(async () => void (await viewer.close()))
  return viewer
}

describe("at a Turnhouse session, a viewer", () => {
  it("sends a message and gets the answer; a viewer that joins mid-turn has the same state", async () => {
    const halfway = gate()
    const opened = await ipcWorld([[{ text: "one " }, { gate: halfway }, { text: "two" }]])
    const early = await attach(opened)
    const turn = early.say("count")
    await until(early, ({ partial }) => partial === "one ")
    const late = await attach(opened, { handshake: "new" })
    await until(late, ({ partial }) => partial === "one ")
    halfway.open()
    expect(await turn.done()).toEqual({ kind: "completed", text: "one two" })
    await until(late, ({ isBusy, messages }) => !isBusy && messages.length === 2)
    await late.sync()
    expect(late.state.messages).toEqual((await early.sync()).messages)
    expect(late.state.messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "count"],
      ["assistant", "one two"],
    ])
  })

  it("uses sealed frames, cancels, runs slash commands, and lists agents", async () => {
    const opened = await ipcWorld([[{ text: "one " }, { hang: true }], [{ text: "again" }]])
    const viewer = await attach(opened, { encrypted: true })
    const turn = viewer.say("count")
    await until(viewer, ({ partial }) => partial === "one ")
    await viewer.cancel()
    expect(await turn.done()).toEqual({ kind: "cancelled", text: "one " })
    expect(await viewer.slash("help")).toMatchObject({ isSuccess: true })
    expect(await viewer.slash("exec", ["ls"])).toMatchObject({ isSuccess: false, isBlocked: true })
    expect((await viewer.agents()).map(({ session_id: id }) => id)).toEqual([opened.session.id])
    expect((await listAgents(opened.folder)).map(({ session_id: id }) => id)).toEqual([opened.session.id])
    expect(await viewer.say("once more").text()).toBe("again")
  })

  it("gets failed turns and the end of the session", async () => {
    const opened = await ipcWorld([[{ error: { status: 400, message: "no luck" } }]])
    const [viewer, other] = [await attach(opened), await attach(opened)]
    expect(await viewer.say("try").done()).toMatchObject({ kind: "failed", reason: expect.stringContaining("no luck") })
    expect(await viewer.say(" ").done()).toMatchObject({ kind: "failed", reason: "user_input: content is empty" })
    await viewer.exit()
    expect(await other.ended).toMatchObject({ kind: "exited" })
    expect(await listAgents(opened.folder)).toEqual([])
  })

  it("follows its turns in plan mode, also through a sync; the main conversation is unchanged", async () => {
    const halfway = gate()
    const opened = await ipcWorld([[{ text: "1. Look " }, { gate: halfway }, { text: "2. Leap" }], [{ hang: true }]])
    const viewer = await attach(opened)
    expect(await viewer.slash("plan:mode", ["auth"])).toMatchObject({ isSuccess: true })
    const turn = viewer.say("how?")
    await until(viewer, ({ plan }) => plan?.partial === "1. Look ")
    await viewer.sync()
    halfway.open()
    expect(await turn.done()).toEqual({ kind: "completed", text: "1. Look 2. Leap" })
    await until(viewer, ({ plan }) => plan?.isBusy === false && plan.messages.length === 2)
    expect(viewer.state.messages).toEqual([])
    const stopped = viewer.say("and then?")
    await until(viewer, ({ plan }) => plan?.messages.length === 3)
    await viewer.cancel()
    expect(await stopped.done()).toMatchObject({ kind: "cancelled" })
    await viewer.slash("plan:mode:exit")
    await until(viewer, ({ plan }) => plan === undefined)
  })

  it("gets its waiting and queued messages delivered after the running turn", async () => {
    const halfway = gate()
    const opened = await ipcWorld([[{ text: "one" }, { gate: halfway }], [{ text: "two" }], [{ text: "three" }]])
    const viewer = await attach(opened)
    const first = viewer.say("first")
    await until(viewer, ({ partial }) => partial === "one")
    const second = viewer.say("second")
    await viewer.queue("third")
    halfway.open()
    expect(await first.text()).toBe("one")
    expect(await second.done()).toMatchObject({ kind: "completed" })
    await until(viewer, ({ isBusy, messages }) => !isBusy && messages.length >= 6)
    expect(viewer.state.messages.filter(({ role }) => role === "user")).toHaveLength(3)
  })
})
