// Ctrl-C, SIGTERM and closed pipes: the turn ends, the exit code says why, and the session can be continued.
import { existsSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { eventually } from "./eventually.ts"
import { expectIdle, expectValid, assistantTexts } from "./history.ts"
import { eventsOf } from "./printed.ts"
import { uniqueSleepSeconds, runningWith } from "./processes.ts"
import { newPlace, program, type Place } from "./turnhouse.ts"

const signals = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const

async function expectContinued(place: Place, ...options: readonly string[]): Promise<string> {
  const again = await place.run("run", "--continue", "--yes", ...options, "and now?")
  expect({ code: again.code, stderr: again.stderr }).toMatchObject({ code: 0 })
  const log = await place.log(await place.newest())
  expectValid(log)
  expectIdle(log)
  return log
}

describe.concurrent("in the middle of a text", () => {
  it.for(signals)("%s interrupts the turn and ends with %i", async ([signal, exitCode], test) => {
    const place = newPlace(test)
    const model = place.script([[{ text: "I begin" }, { hang: true }], [{ text: "Again." }]])
    const running = place.start(["run", "go", "--model", model])
    await running.prints("I begin")
    running.signal(signal)
    const { code, stdout, stderr } = await running.ended
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: "I begin\n" })
    expect(stderr).toContain("interrupted")
    const log = await expectContinued(place)
    expect(eventsOf(log, "turn.ended").map(({ reason }) => reason)).toEqual(["interrupted", "done"])
    expect(eventsOf(log, "text.ended")[0]).toMatchObject({ text: "I begin", interrupted: true })
    expect(assistantTexts(log)[0]).toBe("I begin")
  })
})

describe.concurrent("before the model has said a word", () => {
  it("SIGINT ends the turn and the program", async (test) => {
    const place = newPlace(test)
    const [silent, answering] = [place.script([[{ hang: true }]]), place.script([[{ text: "Hello." }]])]
    const running = place.start(["run", "go", "--json", "--model", silent])
    await running.event("step.started")
    running.signal("SIGINT")
    const { code, stderr } = await running.ended
    expect({ code, stderr }).toEqual({ code: 130, stderr: "" })
    const log = await expectContinued(place, "--model", answering)
    expect(eventsOf(log, "turn.ended").map(({ reason }) => reason)).toEqual(["interrupted", "done"])
  })
})

describe.concurrent("in the middle of a tool", () => {
  it.for(signals)("%s ends the tool and the turn", async ([signal, exitCode], test) => {
    const nap = uniqueSleepSeconds()
    const place = newPlace(test)
    const command = `sleep ${nap} & setsid sleep ${nap} & wait`
    const model = place.script([[{ call: { tool: "bash", input: { command } } }], [{ text: "Again." }]])
    const running = place.start(["run", "go", "--yes", "--model", model])
    await eventually("the tool is at work", () => runningWith(nap).length >= 3 || undefined)
    running.signal(signal)
    const { code, stderr } = await running.ended
    expect(code).toBe(exitCode)
    expect(stderr).toContain("interrupted")
    expect(runningWith(nap)).toEqual([])
    const log = await expectContinued(place)
    expect(eventsOf(log, "tool.ended")[0]?.outcome).toBe("cancelled")
    expect(eventsOf(log, "tool.unsettled")).toEqual([])
  })

  it("a second SIGINT does not wait for a tool that does not exit; the reaper kills it", async (test) => {
    const nap = uniqueSleepSeconds()
    const place = newPlace(test)
    const command = `trap '' TERM INT HUP; sleep ${nap}; sleep ${nap}; sleep ${nap}`
    const model = place.script([[{ call: { tool: "bash", input: { command } } }], [{ text: "Again." }]])
    const running = place.start(["run", "go", "--yes", "--json", "--model", model])
    await eventually("the tool is at work", () => runningWith(nap).length >= 2 || undefined)
    running.signal("SIGINT")
    expect((await running.event("turn.ended")).reason).toBe("interrupted")
    running.signal("SIGINT")
    const { code, stderr } = await running.ended
    expect({ code, stderr }).toEqual({ code: 130, stderr: "" })
    await eventually("the tool is gone", () => runningWith(nap).length === 0 || undefined)
    await expectContinued(place)
  })
})

describe.concurrent("while an approval request is pending", () => {
  it("SIGINT makes it void, and nothing runs", async (test) => {
    const place = newPlace(test)
    const model = place.script([[{ call: { tool: "bash", input: { command: "touch made" } } }], [{ text: "Again." }]])
    const running = place.start(["run", "go", "--wait", "1h", "--json", "--model", model])
    await running.event("approval.requested")
    running.signal("SIGINT")
    expect((await running.ended).code).toBe(130)
    const log = await expectContinued(place)
    expect(eventsOf(log, "approval.decided").map(({ outcome }) => outcome)).toEqual(["void"])
    expect(existsSync(place.path("made"))).toBe(false)
  })
})

describe.concurrent("a reader that goes away", () => {
  const long = Array.from({ length: 200 }, (_, index) => `line ${index}\n`)

  it("ends the program; the turn continues in the background", async (test) => {
    const place = newPlace(test)
    const running = place.start(["run", "go", "--model", place.script([[{ chunks: long }]], { delayMs: 10 })])
    await running.prints("line 1\n")
    running.stopReading("stdout")
    const { code, stderr } = await running.ended
    expect(code).toBe(141)
    expect(stderr).toContain("the session continues in the background")
    const resumed = await place.run("run", "--continue")
    expect(resumed.code).toBe(0)
    expect(assistantTexts(await place.log(await place.newest()))).toEqual([long.join("")])
  })

  it("may have read both stdout and stderr", async (test) => {
    const place = newPlace(test)
    const model = place.script([[{ chunks: long }]], { delayMs: 5 })
    const line = `{ ${program} run go --model ${model} 2>&1; echo "code $?" >code; } | head -1`
    const { code } = await place.startOther("/bin/sh", ["-c", line]).ended
    expect(code).toBe(0)
    expect(["code 0\n", "code 141\n"]).toContain(place.read("code")) // it may be done before the reader goes
  })

  it("may have read stderr alone: the answer is complete", async (test) => {
    const place = newPlace(test)
    const steps = [[{ call: { tool: "ls", input: {} } }, { call: { tool: "ls", input: {} } }], [{ text: "Done." }]]
    const running = place.start(["run", "go", "--model", place.script(steps, { delayMs: 20 })])
    running.stopReading("stderr")
    const { code, stdout } = await running.ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" })
  })

  it("may have read a long log", async (test) => {
    const place = newPlace(test)
    await place.run("run", "go", "--model", place.script([[{ text: "x".repeat(1_000_000) }]]))
    const id = await place.newest()
    const line = `{ ${program} log ${id} --json 2>errors; echo "code $?" >code; } | head -c 10`
    await place.startOther("/bin/sh", ["-c", line]).ended
    expect(place.read("errors")).toBe("")
    expect(["code 0\n", "code 141\n"]).toContain(place.read("code")) // it may be done before the reader goes
  })
})
