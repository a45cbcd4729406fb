// A closed terminal: the turn continues, a running tool is neither stopped nor repeated, and the answer can be read later.
import { describe, expect, it } from "vitest"
import { eventually } from "../e2e/eventually.ts"
import { expectIdle, expectValid, assistantTexts } from "../e2e/history.ts"
import { eventsOf } from "../e2e/printed.ts"
import { runningWith } from "../e2e/processes.ts"
import type { Running } from "../e2e/running.ts"
import { newHostedPlace, type HostedPlace } from "./hosted-place.ts"
import { configureNoting, effectsIn, noteCall, openGate } from "./noting.ts"
import { logWith, newSession, turnEnded } from "./turns.ts"

const timeout = 120_000 // a busy machine takes its time to start processes

/** The end of the program that has the terminal hangs it up, as the end of a terminal window does. */
async function close(terminal: Running): Promise<void> {
  terminal.signal("SIGKILL")
  await terminal.ended
}

async function onlySession(place: HostedPlace): Promise<string> {
  return eventually("there is a session", async () => {
    const listed = await place.directory.list()
    return listed.kind === "ok" ? listed.value[0]?.sessionId : undefined
  })
}

/** In the middle of a tool that has had its effect and runs until the gate is opened. */
async function startNoting(place: HostedPlace, ...args: readonly string[]): Promise<Running> {
  configureNoting(place, "gated")
  const model = place.script([[noteCall], [{ text: "Noted." }]])
  const terminal = place.onTerminal([place.program, "run", "go", "--model", model, ...args].join(" "))
  await eventually("the tool has had its effect", () => effectsIn(place)[0])
  return terminal
}

async function expectNotedOnce(place: HostedPlace, id: string): Promise<void> {
  const log = await turnEnded(place, id)
  expectValid(log)
  expectIdle(log)
  expect(eventsOf(log, "tool.started")).toHaveLength(1)
  expect(eventsOf(log, "tool.ended").map(({ outcome }) => outcome)).toEqual(["done"])
  expect(eventsOf(log, "turn.ended").map(({ reason }) => reason)).toEqual(["done"])
  expect(effectsIn(place)).toHaveLength(1)
  expect(assistantTexts(log).filter(Boolean)).toEqual(["Noted."])
}

describe.concurrent("closing the terminal of run", { timeout }, () => {
  it("neither stops nor repeats the running tool, and the background host finishes the turn", async (test) => {
    const place = newHostedPlace(test)
    await close(await startNoting(place))
    const id = await onlySession(place)
    await eventually("it is handed over", async () => (await ownerOf(place, id))?.endsWith("background") || undefined)
    const host = await place.hostOtherThan()
    openGate(place)
    await expectNotedOnce(place, id)
    expect(eventsOf(await place.stored(id), "turn.adopted")).toMatchObject([{ host: host.hostId }])
    const printed = await place.run("run", "--session", id)
    expect(printed).toMatchObject({ code: 0, stdout: "Noted.\n" })
  })

  it("lets the streaming answer finish", async (test) => {
    const place = newHostedPlace(test)
    const words = Array.from({ length: 40 }, (_, index) => `word${index} `)
    const model = place.script([[{ chunks: words }]], { delayMs: 25 })
    const terminal = place.onTerminal(`${place.program} run go --model ${model}`)
    await terminal.prints("word2 ")
    await close(terminal)
    const log = await turnEnded(place, await onlySession(place))
    expect(eventsOf(log, "turn.ended").map(({ reason }) => reason)).toEqual(["done"])
    expect(assistantTexts(log)).toEqual([words.join("")])
  })

  it("leaves an approval open, which another command can answer", async (test) => {
    const place = newHostedPlace(test)
    place.config({ tools: { sandbox: "off" } })
    const call = { tool: "bash", input: { command: "echo made >> made" } }
    const model = place.script([[{ call }], [{ text: "Made." }]])
    const terminal = place.onTerminal(`${place.program} run go --model ${model}`)
    await terminal.prints("y yes")
    await close(terminal)
    const id = await onlySession(place)
    const { approvalId } = eventsOf(await logWith(place, id, "approval.requested"), "approval.requested")[0] ?? {}
    await eventually("the background host has it", async () => (await ownerOf(place, id)) === "host" || undefined)
    expect(await place.run("approve", approvalId ?? "")).toMatchObject({ code: 0 })
    const log = await turnEnded(place, id)
    expect(eventsOf(log, "approval.decided")).toMatchObject([{ outcome: "approved", by: { door: "approve" } }])
    expect(assistantTexts(log).filter(Boolean)).toEqual(["Made."])
    expect(place.read("made")).toBe("made\n")
  })

  it("keeps the turn in the process of run if only that process has the provider's key", async (test) => {
    const place = newHostedPlace(test)
    await newSession(place) // starts a background host whose environment has no key
    configureNoting(place, "gated")
    const model = place.script([[noteCall], [{ text: "Noted." }]])
    const env = { ANTHROPIC_API_KEY: "a-key-of-this-terminal" }
    const running = place.start(["run", "go", "--json", "--model", model], { env })
    const { sessionId: id } = await running.event("session.created")
    await running.event("tool.started")
    running.signal("SIGHUP")
    await running.says("finishes the turn in the background")
    openGate(place)
    await expectNotedOnce(place, id)
    expect(eventsOf(await place.stored(id), "turn.adopted")).toEqual([])
  })
})

describe.concurrent("closing the terminal of attach", { timeout }, () => {
  it("does not affect the turn that was started there", async (test) => {
    const place = newHostedPlace(test)
    configureNoting(place, "gated")
    const id = await newSession(place, "--model", place.script([[noteCall], [{ text: "Noted." }]]))
    const terminal = place.onTerminal(`${place.program} attach ${id} --plain`)
    await terminal.prints("/help")
    terminal.write("go\r")
    await eventually("the tool has had its effect", () => effectsIn(place)[0])
    await close(terminal)
    await eventually("attach has ended", () => runningWith(id).length === 0 || undefined)
    openGate(place)
    await expectNotedOnce(place, id)
    expect(await ownerOf(place, id)).toBe("host")
  })
})

async function ownerOf(place: HostedPlace, id: string): Promise<string | undefined> {
  const found = await place.directory.find(id)
  return found.kind === "ok" ? found.value.owner?.role : undefined
}
