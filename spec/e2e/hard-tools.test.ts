// Tools that do not end, say too much, say nothing, or multiply.
import { describe, expect, it, type TestContext } from "vitest"
import { limits } from "../../src/contract/limits.ts"
import type { EventOf } from "../../src/contract/events.ts"
import { eventually } from "./eventually.ts"
import { eventsOf } from "./printed.ts"
import { uniqueSleepSeconds, peakMemoryOf, runningWith } from "./processes.ts"
import type { Running } from "./running.ts"
import { newPlace, program, type Place } from "./turnhouse.ts"

interface ToolRun {
  readonly place: Place
  readonly running: Running
  readonly ended: EventOf<"tool.ended">
}

async function bash(test: TestContext, command: string, timeout?: number): Promise<ToolRun> {
  const place = newPlace(test)
  const call = { call: { tool: "bash", input: timeout === undefined ? { command } : { command, timeout } } }
  const wait = { call: { tool: "bash", input: { command: "while [ ! -e seen ]; do sleep 0.05; done" } } }
  const model = place.script([[call], [wait], [{ text: "I see." }]])
  const running = place.start(["run", "go", "--yes", "--json", "--model", model])
  return { place, running, ended: await running.event("tool.ended") }
}

/** Until then the program is kept from ending, so that its processes and its memory can be looked at. */
async function expectFinished({ place, running }: ToolRun): Promise<void> {
  place.write("seen", "")
  const { code, stdout, stderr } = await running.ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  expect(eventsOf(stdout, "turn.ended").map(({ reason }) => reason)).toEqual(["done"])
}

function allGone(nap: string): Promise<true> {
  return eventually("its processes are gone", () => runningWith(nap).length === 0 || undefined)
}

/** Only a bound: half a gigabyte takes a minute on a machine that is busy with other things. */
const timeout = 300_000
const untilTimeout = timeout / 1000

describe.concurrent("a tool that", { timeout }, () => {
  it("never ends is ended with its children when its time is over", async (test) => {
    const nap = uniqueSleepSeconds()
    const run = await bash(test, `echo so far; sleep ${nap} & setsid sleep ${nap} & wait`, 4)
    expect(run.ended.outcome).toBe("failed")
    expect(run.ended.output).toMatch(/^so far\nThe command did not end in 4 s and was killed/)
    await allGone(nap)
    await expectFinished(run)
  })

  it("ignores SIGTERM is ended all the same", async (test) => {
    const nap = uniqueSleepSeconds()
    const run = await bash(test, `trap '' TERM INT HUP; sleep ${nap}; sleep ${nap}; sleep ${nap}`, 1)
    expect(run.ended.outcome).toBe("failed")
    await allGone(nap)
    await expectFinished(run)
  })

  it("prints half a gigabyte costs little memory, and its result is bounded", async (test) => {
    const run = await bash(test, "echo first; yes | head -c 500000000; echo last", untilTimeout)
    const peak = peakMemoryOf(run.running.pid)
    expect(peak).toBeGreaterThan(0)
    expect(peak).toBeLessThan(400 * 1024)
    expect(Buffer.byteLength(run.ended.output)).toBeLessThanOrEqual(limits.toolOutputBytes)
    expect(run.ended.output).toMatch(/^first\n/)
    expect(run.ended.output).toMatch(/last$/)
    expect(run.ended.output).toContain("bytes left out")
    await expectFinished(run)
  })

  it("prints one endless line is bounded too", async (test) => {
    const run = await bash(test, "head -c 50000000 /dev/zero | tr '\\0' x")
    expect(Buffer.byteLength(run.ended.output)).toBeLessThanOrEqual(limits.toolOutputBytes)
    expect(peakMemoryOf(run.running.pid)).toBeLessThan(400 * 1024)
    await expectFinished(run)
  })

  it("prints bytes that are no text is stored as text", async (test) => {
    const run = await bash(test, "head -c 300000 /dev/urandom")
    expect(run.ended.output.isWellFormed()).toBe(true)
    expect(Buffer.byteLength(run.ended.output)).toBeLessThanOrEqual(limits.toolOutputBytes)
    await expectFinished(run)
  })

  it("multiplies is killed with all its processes when its time is over", async (test) => {
    const nap = uniqueSleepSeconds()
    const bomb = `b() { [ "$1" -gt 0 ] || { exec sleep ${nap}; }; b $(($1 - 1)) & b $(($1 - 1)) & wait; }; b 4`
    const run = await bash(test, bomb, 2)
    expect(run.ended.outcome).toBe("failed")
    await allGone(nap)
    await expectFinished(run)
  })

  it("closes its output and continues is not cut off", async (test) => {
    const run = await bash(test, "exec >&- 2>&-; sleep 0.5; touch done")
    expect(run.ended).toMatchObject({ outcome: "done", output: "(no output)" })
    expect(run.place.read("done")).toBe("")
    await expectFinished(run)
  })

  it("ends by a signal or a code says so", async (test) => {
    const [bySignal, byCode] = await Promise.all([bash(test, "kill -SEGV $$"), bash(test, "echo no; exit 7")])
    expect(bySignal.ended).toMatchObject({ outcome: "failed", output: expect.stringMatching(/SIGSEGV|exit code 139/) })
    expect(byCode.ended).toMatchObject({ outcome: "failed", output: "no\nexit code 7" })
  })

  it("wants input gets none and does not wait for it", async (test) => {
    const run = await bash(test, 'cat; read line; echo "got:$line"')
    expect(run.ended.output).toBe("got:")
    await expectFinished(run)
  })

  it("leaves a process behind does not keep the turn, and the program takes it along", async (test) => {
    const nap = uniqueSleepSeconds()
    const run = await bash(test, `sleep ${nap} & echo begun`)
    expect(run.ended).toMatchObject({ outcome: "done", output: expect.stringContaining("still running") })
    await expectFinished(run)
    await allGone(nap)
  })
})

describe.concurrent("what comes from a model", () => {
  const evil = "before\u001b]0;owned\u0007\u001b[2Jafter"

  it("cannot control a user's terminal", async (test) => {
    const place = newPlace(test)
    const command = `true ${evil}`
    const model = place.script([[{ text: evil }, { call: { tool: "bash", input: { command } } }], [{ text: "Done." }]])
    const terminal = place.onTerminal(`${program} run go --model ${model}`, { env: { TERM: "xterm", NO_COLOR: "1" } })
    await terminal.prints("y yes")
    terminal.write("n")
    await terminal.prints("Why?")
    terminal.write("\r")
    const { stdout } = await terminal.ended
    expect(stdout).toContain("after")
    expect(stdout).not.toContain("\u001b]0;")
    expect(stdout).not.toContain("\u001b[2J")
    const shown = await place.onTerminal(`${program} log ${await place.newest()}`).ended
    expect(shown.stdout).not.toContain("\u001b]0;")
    const listed = await place.onTerminal(`${program} ls`).ended
    expect(listed.stdout).not.toContain("\u001b]0;")
  })

  it("is handed on unchanged in a pipe", async (test) => {
    const place = newPlace(test)
    expect((await place.run("run", "go", "--model", place.script([[{ text: evil }]]))).stdout).toBe(`${evil}\n`)
  })
})
