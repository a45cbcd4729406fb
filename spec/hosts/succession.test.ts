// A turn whose host dies, freezes, leaves or is replaced continues in the next host: nothing is done twice, and watchers
// get every event once.
import { describe, expect, it, type TestContext } from "vitest"
import type { StreamedStep } from "../../src/log/event-log.ts"
import { eventually } from "../e2e/eventually.ts"
import { expectIdle, expectValid, assistantTexts } from "../e2e/history.ts"
import { eventLines, eventsIn, eventsOf } from "../e2e/printed.ts"
import { Client } from "./client.ts"
import { newHostedPlace, signal, type HostedPlace } from "./hosted-place.ts"
import { effectsIn, openGate } from "./noting.ts"
import { isLeaving, logWith, newSession, startNotingTurn, prompt, turnEnded, type RunningTurn } from "./turns.ts"

const timeout = 120_000 // a busy machine takes its time to start processes
const words = ["The host goes away in the middle of", " this sentence."] as const

/** In the middle of an answer that only the next host ends; what was said is checkpointed. */
async function startStreaming(test: TestContext): Promise<RunningTurn> {
  const place = newHostedPlace(test)
  const steps = [[{ text: words[0] }, { hang: true }, { text: words[1] }]] as const
  const id = await newSession(place, "--model", place.script(steps))
  await prompt(place, id)
  await eventually("the first words are checkpointed", async () => {
    const loaded = await place.directory.load(id)
    return (loaded.kind === "ok" && loaded.value.streamed.some(hasText)) || undefined
  })
  return { place, id, host: await place.hostOtherThan() }
}

function hasText({ blocks }: StreamedStep): boolean {
  return blocks.map(({ text }) => text).join("") === words[0]
}

function newClient(test: TestContext, place: HostedPlace): Client {
  const client = new Client(place)
  test.onTestFinished(() => client.close())
  return client
}

function expectWhole(log: string): void {
  expectValid(log)
  expectIdle(log)
  expect(assistantTexts(log)).toEqual([words.join("")])
  expect(eventsOf(log, "turn.ended").map(({ reason }) => reason)).toEqual(["done"])
  expect(eventsOf(log, "turn.adopted").map(({ attempt }) => attempt)).toEqual([1])
}

function expectNotedOnce(place: HostedPlace, log: string): void {
  expectValid(log)
  expectIdle(log)
  expect(eventsOf(log, "tool.ended").map(({ outcome }) => outcome)).toEqual(["done"])
  expect(effectsIn(place)).toEqual(eventsOf(log, "tool.called").map(({ callId }) => callId))
  expect(assistantTexts(log).filter(Boolean)).toEqual(["Noted."])
}

describe.concurrent("a host that is killed", { timeout }, () => {
  it("is replaced without a watcher, and its successor finishes the turn", async (test) => {
    const { place, id, host } = await startStreaming(test)
    signal(host.pid, "SIGKILL")
    const next = await place.hostOtherThan(host)
    const log = await turnEnded(place, id)
    expectWhole(log)
    expect(eventsOf(log, "turn.adopted")).toMatchObject([{ host: next.hostId, attempt: 1 }])
    expect(place.sockets()).toEqual([`${next.hostId}.sock`]) // what the dead one left is gone
  })

  it("does not interrupt watchers: they get every event once and the rest of the turn", async (test) => {
    const { place, id, host } = await startStreaming(test)
    const printed = place.start(["log", "-f", "--json", id])
    await printed.event("step.started")
    const client = newClient(test, place)
    const [all, late] = [await client.watch(id), await client.watch(id, 3)]
    signal(host.pid, "SIGKILL")
    await Promise.all([printed.event("turn.ended"), all.heard("turn.ended"), late.heard("turn.ended")])
    const log = await place.stored(id)
    expectWhole(log)
    expect(eventLines(printed.stdout)).toEqual(eventLines(log))
    expect(all.events).toEqual(eventsIn(log))
    expect(late.events).toEqual(eventsIn(log).slice(3))
  })

  it("in the middle of an unsafe call leaves a call of unknown outcome, which is not repeated", async (test) => {
    const { place, id, host } = await startNotingTurn(test)
    signal(host.pid, "SIGKILL")
    await place.hostOtherThan(host)
    const log = await turnEnded(place, id)
    expectValid(log)
    expectIdle(log)
    expect(eventsOf(log, "tool.unsettled")).toHaveLength(1)
    expect(eventsOf(log, "tool.started")).toHaveLength(1)
    expect(effectsIn(place)).toHaveLength(1)
  })

  it("repeatedly by its own turn is replaced a limited number of times: then the turn is parked until a user resumes it", async (test) => {
    const place = newHostedPlace(test)
    const script = "[ -e calm ] || kill -9 $PPID; echo survived"
    const kill = { description: "Kills.", input: { type: "object" }, class: "read", run: ["sh", "-c", script] }
    place.config({ tools: { sandbox: "off", allow: ["kill"], define: { kill } } })
    const model = place.script([[{ call: { tool: "kill", input: {} } }], [{ text: "Well again." }]])
    const id = await newSession(place, "--model", model)
    await prompt(place, id)
    const log = await logWith(place, id, "turn.parked")
    expect(eventsOf(log, "turn.adopted").map(({ attempt }) => attempt)).toEqual([1, 2, 3])
    expect(eventsOf(log, "turn.parked")).toMatchObject([{ why: "adoption" }])
    const [session] = await place.sessions()
    expect(session).toMatchObject({ id, activity: "parked" })
    place.write("calm", "")
    expect(await place.run("run", "--session", id)).toMatchObject({ code: 0, stdout: "Well again.\n" })
    const after = await place.stored(id)
    expectValid(after)
    expectIdle(after)
  })
})

describe.concurrent("a host that leaves on command", { timeout }, () => {
  it("in the middle of an unsafe call stores its result, and the next host continues the turn", async (test) => {
    const { place, id, host } = await startNotingTurn(test)
    const client = newClient(test, place)
    const watching = await client.watch(id)
    signal(host.pid, "SIGTERM")
    await isLeaving(place, host)
    openGate(place)
    await watching.heard("turn.ended")
    const log = await place.stored(id)
    expectNotedOnce(place, log)
    expect(watching.events).toEqual(eventsIn(log))
    const { hostId } = await place.hostOtherThan(host)
    expect(eventsOf(log, "turn.adopted").map((adopted) => adopted.host)).toEqual([hostId])
  })

  it("leaves the rest of the turn to the next host that starts", async (test) => {
    const { place, id, host } = await startNotingTurn(test)
    const stopping = place.start(["host", "--stop"])
    await isLeaving(place, host)
    openGate(place)
    expect(await stopping.ended).toMatchObject({ code: 0, stderr: "" })
    await place.nothingRuns()
    expect(eventsOf(await place.stored(id), "tool.ended")).toMatchObject([{ outcome: "done" }])
    expect(eventsOf(await place.stored(id), "turn.ended")).toEqual([])
    await newSession(place)
    expectNotedOnce(place, await turnEnded(place, id))
  })

  it("by its replacement hands the turn over", async (test) => {
    const { place, id, host } = await startNotingTurn(test)
    const replacing = place.start(["host", "--replace"])
    await isLeaving(place, host)
    openGate(place)
    const replaced = await replacing.ended
    const next = await place.hostOtherThan(host)
    expect(replaced).toMatchObject({ code: 0, stdout: `${next.hostId}\n`, stderr: "" })
    expectNotedOnce(place, await turnEnded(place, id))
    await eventually("the old one is gone", () => !signal(host.pid, 0) || undefined)
  })

  it("lets the model finish its answer", async (test) => {
    const place = newHostedPlace(test)
    const model = place.script([[{ text: "First half," }, { delayMs: 4000 }, { text: " second half." }]])
    const id = await newSession(place, "--model", model)
    await prompt(place, id)
    expect((await place.run("host", "--stop")).code).toBe(0)
    const log = await place.stored(id)
    expect(eventsOf(log, "text.ended").map(({ text }) => text)).toEqual(["First half, second half."])
  })
})

describe.concurrent("a host that freezes", { timeout }, () => {
  it("is replaced when its lease has expired, and ends without writing to the log when it wakes", async (test) => {
    const { place, id, host } = await startStreaming(test)
    signal(host.pid, "SIGSTOP")
    const client = newClient(test, place)
    const watching = await client.watch(id)
    await watching.heard("turn.ended")
    const log = await place.stored(id)
    expectWhole(log)
    signal(host.pid, "SIGCONT")
    await eventually("it has ended", () => !signal(host.pid, 0) || undefined)
    expect(place.said()).toContain("another host has taken over the sessions; this one exits")
    expect(await place.stored(id)).toBe(log)
    expect(watching.events).toEqual(eventsIn(log))
    expect((await place.hostOtherThan(host)).hostId).toBe(eventsOf(log, "turn.adopted")[0]?.host)
  })

  it("in the middle of an unsafe call: the call is of unknown outcome, and its process is ended", async (test) => {
    const { place, id, host } = await startNotingTurn(test)
    signal(host.pid, "SIGSTOP")
    const client = newClient(test, place)
    const watching = await client.watch(id)
    await watching.heard("turn.ended")
    signal(host.pid, "SIGCONT")
    await eventually("it has ended", () => !signal(host.pid, 0) || undefined)
    const log = await place.stored(id)
    expectValid(log)
    expect(eventsOf(log, "tool.started")).toHaveLength(1)
    expect(eventsOf(log, "tool.unsettled")).toHaveLength(1)
    expect(effectsIn(place)).toHaveLength(1)
    expect(watching.events).toEqual(eventsIn(log))
  })

  it("does not lose what is sent to it: the next host gets it once", async (test) => {
    const place = newHostedPlace(test)
    const client = newClient(test, place)
    const id = await newSession(place, "--model", place.script([[{ text: "Yes." }]]))
    const watching = await client.watch(id)
    const host = await place.hostOtherThan()
    signal(host.pid, "SIGSTOP")
    const sent = await client.send(id, { type: "prompt", promptId: "prm_1", text: "Well?", ifBusy: "wait" })
    expect(sent).toEqual({ kind: "accepted", seq: expect.any(Number) })
    signal(host.pid, "SIGCONT")
    await watching.heard("turn.ended")
    await eventually("it has ended", () => !signal(host.pid, 0) || undefined)
    const log = await place.stored(id)
    expect(assistantTexts(log)).toEqual(["Yes."])
    expect(watching.events).toEqual(eventsIn(log))
  })

  it("and was not replaced continues when it wakes, also if other hosts ran meanwhile", async (test) => {
    const place = newHostedPlace(test)
    const model = place.script([[{ text: "Yes." }]])
    const id = await newSession(place, "--model", model)
    const host = await place.hostOtherThan()
    signal(host.pid, "SIGSTOP")
    await eventually("its lease has run out", async () => (await place.host()) === undefined || undefined)
    expect((await place.run("run", "go", "--model", model)).code).toBe(0)
    signal(host.pid, "SIGCONT")
    expect(await eventually("it is back", () => place.host())).toEqual(host)
    await newSession(place, "--model", model)
    await prompt(place, id)
    expect(assistantTexts(await turnEnded(place, id))).toEqual(["Yes."])
    expect(await place.host()).toEqual(host)
  })

  it("while idle is replaced, too, and ends when it wakes: there is one background host", async (test) => {
    const place = newHostedPlace(test)
    const sleeper = place.start(["host"])
    const host = await eventually("it is there", () => place.host())
    sleeper.signal("SIGSTOP")
    await newSession(place)
    sleeper.signal("SIGCONT")
    expect((await sleeper.ended).code).toBe(1)
    expect(await place.directory.hosts()).toMatchObject({ kind: "ok", value: [await place.hostOtherThan(host)] })
  })
})
