// A session is open in one process at a time. Other processes reach it there: they watch it, prompt it and end it.
import { describe, expect, it, type TestContext } from "vitest"
import { eventually, inTurn } from "./eventually.ts"
import { expectIdle, expectValid, assistantTexts } from "./history.ts"
import { eventsOf, object } from "./printed.ts"
import { uniqueSleepSeconds, runningWith } from "./processes.ts"
import type { Running } from "./running.ts"
import { newPlace, type Place } from "./turnhouse.ts"

const steps = [[{ text: "I hold it" }, { hang: true }, { text: " no more." }] as const, [{ text: "Mine now." }]]

async function held(test: TestContext): Promise<{ place: Place; first: Running; id: string }> {
  const place = newPlace(test)
  const first = place.start(["run", "go", "--json", "--model", place.script(steps)])
  await first.prints("it")
  const id = await place.newest()
  await eventually("the text is checkpointed", async () => (await place.log(id)).includes("text.streamed") || undefined)
  return { place, first, id }
}

describe.concurrent("a session that is open in another process", () => {
  it("is prompted there by a second one: one session, one history", async (test) => {
    const { place, first, id } = await held(test)
    const second = place.start(["run", "me too", "--session", id, "--json"])
    expect((await second.event("prompt.admitted")).text).toBe("me too")
    const host = { role: "run", pid: first.pid }
    expect((await place.sessions())[0]).toMatchObject({ id, host, waitingPrompts: 1 })
    expect((await place.run("run", "--session", id, "--detach", "and I")).stdout).toBe(`${id}\n`)
    first.signal("SIGINT")
    expect((await first.ended).code).toBe(130)
    const { code, stdout } = await second.ended // it was in the other process, which has gone, and went on elsewhere
    expect(code).toBe(0)
    expect(stdout).toContain("Mine now.")
    const log = await eventually("all is answered", async () => {
      const stored = await place.log(id)
      return eventsOf(stored, "turn.ended").length === 3 ? stored : undefined
    })
    expectValid(log)
    expectIdle(log)
    expect(eventsOf(log, "prompt.admitted").map(({ text }) => text)).toEqual(["go", "me too", "and I"])
    expect((await place.run("verify")).code).toBe(0)
  })

  it("is interrupted there by Ctrl-C in the second one, whose own words are taken back if they still wait", async (test) => {
    const { place, first, id } = await held(test)
    const second = place.start(["run", "me too", "--session", id, "--json"])
    await second.event("prompt.admitted")
    second.signal("SIGINT")
    expect((await second.ended).code).toBe(130)
    const third = place.start(["run", "--session", id, "--json"]) // follows the turn of the first
    await third.prints("text.streamed")
    third.signal("SIGINT")
    expect((await third.ended).code).toBe(130)
    expect((await first.ended).code).toBe(130)
    const log = await place.log(id)
    expectIdle(log)
    expect(eventsOf(log, "prompt.withdrawn")).toHaveLength(1)
    expect(eventsOf(log, "turn.ended").map(({ reason }) => reason)).toEqual(["interrupted"])
  })

  it("can be listed, read, exported and verified meanwhile", async (test) => {
    const { place, first, id } = await held(test)
    expect((await place.run("ls")).stdout).toMatch(/ busy /)
    const [listed] = await place.sessions()
    expect(listed).toMatchObject({ id, activity: "busy", host: { role: "run", pid: first.pid } })
    expect((await place.run("log", id)).code).toBe(0)
    expect((await place.run("export", id, place.path("half.ndjson"))).code).toBe(0)
    expect((await place.run("verify", place.path("half.ndjson"))).code).toBe(0)
    expect(object((await place.run("verify", "--json")).stdout)).toMatchObject({ damage: [], findings: [] })
  })

  it("is taken over at once when that process was killed", async (test) => {
    const { place, first, id } = await held(test)
    first.signal("SIGKILL")
    await first.ended
    expect((await place.run("run", "--session", id)).code).toBe(0)
    expectIdle(await place.log(id))
  })

  it("is taken over when that process sleeps for too long, and it notices when it wakes", async (test) => {
    const { place, first, id } = await held(test)
    first.signal("SIGSTOP")
    const second = await eventually("the lease has run out", async () => {
      const tried = await place.run("run", "--session", id, "--json")
      return tried.code === 4 ? undefined : tried
    })
    expect(second.code).toBe(0)
    const log = await place.log(id)
    first.signal("SIGCONT")
    const { code, stderr } = await first.ended
    expect(code).toBe(1)
    expect(stderr).toBe(`turnhouse: Session ${id} was taken over by another host; this one must not write to it.\n`)
    expect(await place.log(id)).toBe(log)
    expectValid(log)
    expect(assistantTexts(log)).toEqual(["I hold it no more."])
  })
})

describe.concurrent("stop, of a session that is open in another process,", () => {
  it("ends it there, and its tools", async (test) => {
    const nap = uniqueSleepSeconds()
    const place = newPlace(test)
    const model = place.script([[{ call: { tool: "bash", input: { command: `sleep ${nap}` } } }]])
    const running = place.start(["run", "go", "--yes", "--model", model])
    await eventually("the tool is at work", () => runningWith(nap)[0])
    const id = await place.newest()
    expect(await place.run("stop", id)).toMatchObject({ code: 0, stdout: `session ${id} has ended\n`, stderr: "" })
    await eventually("the tool is gone", () => runningWith(nap).length === 0 || undefined)
    expect((await running.ended).code).toBe(130) // interrupted, by a command and not by a signal
    const log = await place.log(id)
    expectValid(log)
    expect(eventsOf(log, "turn.ended").map(({ reason }) => reason)).toEqual(["interrupted"])
    expect(eventsOf(log, "session.ended")).toHaveLength(1)
  })

  it("does not wait for a process that is frozen: it takes the session over, and its tools are gone", async (test) => {
    const nap = uniqueSleepSeconds()
    const place = newPlace(test)
    const model = place.script([[{ call: { tool: "bash", input: { command: `sleep ${nap}` } } }]])
    const frozen = place.start(["run", "go", "--yes", "--model", model])
    await eventually("the tool is at work", () => runningWith(nap)[0])
    const id = await place.newest()
    frozen.signal("SIGSTOP")
    expect(await place.run("stop", id)).toMatchObject({ code: 0, stdout: `session ${id} has ended\n` })
    expect(runningWith(nap)).toEqual([])
    frozen.signal("SIGCONT")
    expect((await frozen.ended).code).not.toBe(0)
    const log = await place.log(id)
    expectValid(log)
    expect(eventsOf(log, "session.ended")).toHaveLength(1)
  })

  it("ends a session whose host was killed in the middle of a turn", async (test) => {
    const { place, first, id } = await held(test)
    first.signal("SIGKILL")
    await first.ended
    expect((await place.run("stop", id)).code).toBe(0)
    const log = await place.log(id)
    expectIdle(log)
    expect(eventsOf(log, "turn.ended").map(({ reason }) => reason)).toEqual(["interrupted"])
  })
})

describe.concurrent("many processes in one home", () => {
  it("work side by side, each in its session", async (test) => {
    const place = newPlace(test)
    const model = place.script([[{ call: { tool: "ls", input: {} } }], [{ text: "Done." }]])
    const all = await Promise.all(Array.from({ length: 6 }, () => place.run("run", "go", "--model", model)))
    expect(all.map(({ code, stdout }) => ({ code, stdout }))).toEqual(all.map(() => ({ code: 0, stdout: "Done.\n" })))
    expect(await place.sessions()).toHaveLength(6)
    expect((await place.run("verify")).code).toBe(0)
  })

  it("come and go without disturbing each other", async (test) => {
    const place = newPlace(test)
    await place.run("run", "go", "--model", place.script([[{ text: "Done." }]]))
    const id = await place.newest()
    const commands = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? ["ls"] : ["log", id, "--head"]))
    const ended = await inTurn(commands, 6, (args) => place.run(...args))
    expect(ended.filter(({ code }) => code !== 0).map(({ stderr }) => stderr)).toEqual([])
  })

  it("prompt the same session: all prompts are answered in one session", async (test) => {
    const place = newPlace(test)
    const answers = Array.from({ length: 7 }, () => [{ text: "Yes." }, { delayMs: 100 }])
    await place.run("run", "go", "--model", place.script(answers))
    const id = await place.newest()
    const all = await Promise.all(Array.from({ length: 5 }, () => place.run("run", "again", "--session", id)))
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0])
    const log = await place.log(id)
    expectValid(log)
    expectIdle(log)
    expect(eventsOf(log, "turn.ended")).toHaveLength(6)
  })
})

describe.concurrent("a prompt for a session with a turn that was left open", () => {
  it("waits until that turn is over, and is then answered", async (test) => {
    const { place, first, id } = await held(test)
    first.signal("SIGKILL")
    await first.ended
    const { code, stdout } = await place.run("run", "--session", id, "and the next")
    expect(code).toBe(0)
    expect(stdout).toContain("Mine now.")
    expectIdle(await place.log(id))
  })
})
