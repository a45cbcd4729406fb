// A session's socket outlives its host: every session that has not ended has one while a host of its home runs, and connecting
// to it opens the session.
import { existsSync } from "node:fs"
import { describe, expect, it, type TestContext } from "vitest"
import { eventually } from "../e2e/eventually.ts"
import { openInput } from "../e2e/place.ts"
import { eventsOf } from "../e2e/printed.ts"
import { Agent, turn } from "../ipc/agents.ts"
import { textOf, type RawViewer } from "../ipc/raw-viewer.ts"
import { newHostedPlace, signal, type HostedPlace } from "./hosted-place.ts"
import { logWith, newSession, prompt, turnEnded } from "./turns.ts"

const timeout = 120_000 // a busy machine takes its time to start processes

/** As soon as a host accepts a viewer there. */
function viewerOf(test: TestContext, place: HostedPlace, id: string): Promise<RawViewer> {
  const agent = new Agent(place, id)
  return eventually("a viewer is accepted", () => agent.viewer(test).catch(() => undefined))
}

async function ownerOf(place: HostedPlace, id: string): Promise<number | undefined> {
  const found = await place.directory.find(id)
  return found.kind === "ok" ? found.value.owner?.pid : undefined
}

function noOwner(place: HostedPlace, id: string): Promise<true> {
  return eventually("the session is closed", async () => (await ownerOf(place, id)) === undefined || undefined)
}

describe.concurrent("the socket of a session", { timeout }, () => {
  it("exists after the host was replaced, for idle sessions and for those waiting for approval", async (test) => {
    const place = newHostedPlace(test)
    place.config({ tools: { sandbox: "off" } })
    const idle = await newSession(place, "--model", "offline/demo:0")
    const call = { tool: "bash", input: { command: "echo made >> made" } }
    const asking = await newSession(place, "--model", place.script([[{ call }], [{ text: "Made." }]]))
    await prompt(place, asking)
    await logWith(place, asking, "approval.requested")
    const before = await place.hostOtherThan()
    expect(await place.run("host", "--replace")).toMatchObject({ code: 0 })
    const after = await place.hostOtherThan(before)
    await eventually("the old host has ended", () => !signal(before.pid, 0) || undefined)
    expect(textOf(await turn(await viewerOf(test, place, idle), "help"))).not.toBe("")
    expect(await ownerOf(place, idle)).toBe(after.pid)
    const viewer = await viewerOf(test, place, asking)
    expect(await viewer.slash("approve")).toMatchObject({ success: true })
    const log = await turnEnded(place, asking)
    expect(eventsOf(log, "approval.decided")).toMatchObject([{ outcome: "approved", by: { door: "ipc" } }])
    expect(place.read("made")).toBe("made\n")
  })

  it("is served by the next host while the old one is frozen", async (test) => {
    const place = newHostedPlace(test)
    const id = await newSession(place, "--model", "offline/demo:0")
    const frozen = await place.hostOtherThan()
    const { token } = new Agent(place, id)
    signal(frozen.pid, "SIGSTOP")
    await newSession(place) // starts the next host when the lease of the frozen one has run out
    await eventually("the next host has the socket", () => new Agent(place, id).token !== token || undefined)
    expect(textOf(await turn(await viewerOf(test, place, id), "help"))).not.toBe("")
    signal(frozen.pid, "SIGCONT")
    await eventually("the frozen host has ended", () => !signal(frozen.pid, 0) || undefined)
    expect(new Agent(place, id).exists).toBe(true)
  })

  it("stays when the host closes the session, and connecting without a handshake opens nothing", async (test) => {
    const place = newHostedPlace(test)
    const host = place.start(["host", "--close-after", "1"])
    await eventually("the host is there", () => place.host())
    const id = await newSession(place, "--model", "offline/demo:0")
    const agent = new Agent(place, id)
    await noOwner(place, id)
    await agent.connect(test)
    expect(await ownerOf(place, id)).toBeUndefined()
    expect(textOf(await turn(await agent.viewer(test), "help"))).not.toBe("")
    expect(await ownerOf(place, id)).toBe(host.pid)
  })

  it("appears for closed sessions when the only host is a child of another program", async (test) => {
    const place = newHostedPlace(test)
    const id = await newSession(place, "--model", "offline/demo:0")
    expect(await place.run("host", "--stop")).toMatchObject({ code: 0 })
    expect(new Agent(place, id).exists).toBe(false)
    const child = place.start(["rpc", "--model", "offline/demo:0"], { input: openInput })
    await child.prints('"ready"')
    expect(textOf(await turn(await viewerOf(test, place, id), "help"))).not.toBe("")
    expect(await ownerOf(place, id)).toBe((await place.hostOtherThan()).pid)
  })

  it("is removed when the session has ended or was deleted", async (test) => {
    const place = newHostedPlace(test)
    const ids = [await newSession(place), await newSession(place)] as const
    const [ended, removed] = ids
    const before = await place.hostOtherThan()
    expect(await place.run("host", "--replace")).toMatchObject({ code: 0 })
    await eventually("the old host has ended", () => !signal(before.pid, 0) || undefined)
    const isThere = (id: string) => existsSync(new Agent(place, id).socket)
    await eventually("they have sockets", () => ids.every(isThere) || undefined)
    expect(await place.run("stop", ended)).toMatchObject({ code: 0 })
    expect(await place.run("rm", removed, "--yes")).toMatchObject({ code: 0 })
    await eventually("the sockets are gone", () => !ids.some(isThere) || undefined)
    expect(await place.host()).toBeDefined()
  })
})
