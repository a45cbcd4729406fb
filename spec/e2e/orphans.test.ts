// When a host is killed, the processes of its tools exit soon after, even if they try to survive.
import { describe, expect, it } from "vitest"
import { eventually } from "./eventually.ts"
import { expectIdle, expectValid } from "./history.ts"
import { eventsOf } from "./printed.ts"
import { uniqueSleepSeconds, runningWith } from "./processes.ts"
import { newPlace } from "./turnhouse.ts"

interface Tool {
  readonly what: string
  readonly command: (nap: string) => string
  /** Processes that must be there before the host is killed. */
  readonly processes: number
}

const tools: readonly Tool[] = [
  { what: "sleeps", processes: 1, command: (nap) => `sleep ${nap}` },
  { what: "forks", processes: 3, command: (nap) => `sleep ${nap} & sleep ${nap} & sleep ${nap} & wait` },
  {
    what: "forks twice into sessions of their own",
    processes: 2,
    command: (nap) => `setsid sh -c 'setsid sleep ${nap} & exec sleep ${nap}' & wait`,
  },
  {
    what: "ignores every polite signal",
    processes: 2,
    command: (nap) => `trap '' TERM HUP INT QUIT; sleep ${nap}; sleep ${nap}`,
  },
  { what: "closes its output", processes: 1, command: (nap) => `exec <&- >&- 2>&-; sleep ${nap}` },
  { what: "clears its environment", processes: 1, command: (nap) => `env -i sleep ${nap} & wait` },
  { what: "prints for ever", processes: 2, command: (nap) => `sleep ${nap} & exec yes ${nap}` },
]

describe.concurrent("after a kill -9 of the host nothing is left of a tool that", () => {
  it.for(tools)("$what", async ({ command, processes }, test) => {
    const nap = uniqueSleepSeconds()
    const place = newPlace(test)
    const steps = [[{ call: { tool: "bash", input: { command: command(nap) } } }], [{ text: "I see." }]]
    const running = place.start(["run", "go", "--json", "--yes", "--model", place.script(steps)])
    await running.event("tool.started")
    await eventually("the tool is at work", () => runningWith(nap).length >= processes || undefined)
    running.signal("SIGKILL")
    await running.ended
    await eventually("all of it is gone", () => runningWith(nap).length === 0 || undefined)

    expect((await place.run("run", "--continue", "--yes")).code).toBe(0)
    const log = await place.log(await place.newest())
    expectValid(log)
    expectIdle(log)
    expect(eventsOf(log, "tool.unsettled")).toHaveLength(1)
  })

  it("runs in a background shell, and the next host stores that the shell is gone", async (test) => {
    const nap = uniqueSleepSeconds()
    const place = newPlace(test)
    const bash = (more: object) => ({ call: { tool: "bash", input: { command: `sleep ${nap}`, ...more } } })
    const steps = [[bash({ run_in_background: true })], [bash({})], [{ text: "I see." }]]
    const running = place.start(["run", "go", "--json", "--yes", "--model", place.script(steps)])
    await running.event("shell.started")
    await running.until("the second call", () => eventsOf(running.stdout, "tool.started").length === 2 || undefined)
    await eventually("both are at work", () => runningWith(nap).length >= 2 || undefined)
    running.signal("SIGKILL")
    await running.ended
    await eventually("all of it is gone", () => runningWith(nap).length === 0 || undefined)

    expect((await place.run("run", "--continue", "--yes")).code).toBe(0)
    const log = await place.log(await place.newest())
    expect(eventsOf(log, "shell.ended")).toMatchObject([{ shellId: "bash_1", outcome: "lost" }])
    expect(runningWith(nap)).toEqual([])
  })

  it("was put into the background by a command that has ended", async (test) => {
    const nap = uniqueSleepSeconds()
    const place = newPlace(test)
    const command = `setsid sleep ${nap} & sleep ${nap} & disown -a; echo left behind`
    const call = { call: { tool: "bash", input: { command } } }
    const model = place.script([[call], [{ text: "And now I wait." }, { hang: true }]])
    const running = place.start(["run", "go", "--json", "--yes", "--model", model])
    expect((await running.event("tool.ended")).output).toContain("left behind")
    await running.prints("wait.")
    expect(runningWith(nap).length).toBeGreaterThanOrEqual(2)
    running.signal("SIGKILL")
    await running.ended
    await eventually("all of it is gone", () => runningWith(nap).length === 0 || undefined)
  })
})

describe.concurrent("a host that ends by itself", () => {
  it("takes along what its tools left in the background", async (test) => {
    const nap = uniqueSleepSeconds()
    const place = newPlace(test)
    const command = `setsid sleep ${nap} & echo left behind`
    const steps = [[{ call: { tool: "bash", input: { command } } }], [{ text: "Done." }]]
    const { code, stdout } = await place.run("run", "go", "--yes", "--model", place.script(steps))
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" })
    expect(runningWith(nap)).toEqual([])
  })
})
