// A full disk, simulated by a limit on file sizes: an event that cannot be stored is not accepted, a result waits for
// space and reports it, and the home is intact afterwards.
import { describe, expect, it, type TestContext } from "vitest"
import { complaintOf, expectNoStack, noComplaint } from "./complaints.ts"
import { eventually } from "./eventually.ts"
import { expectIdle, expectValid } from "./history.ts"
import { endWriter } from "./log-writer.ts"
import { eventsOf, object } from "./printed.ts"
import { setFreeSpace } from "./room.ts"
import type { Running } from "./running.ts"
import { newPlace, type Place } from "./turnhouse.ts"

const waits = "cannot store a result yet"

/** With the next log writer, whose files may be as large as they like. */
async function homeAfterwards(place: Place): Promise<{ readonly damage: unknown; readonly answer: string }> {
  await endWriter(place.home)
  const { damage } = object((await place.run("verify", "--json")).stdout)
  const { stdout } = await place.run("run", "hello", "--model", place.script([[{ text: "Here." }]], {}, "after.json"))
  return { damage, answer: stdout }
}

const good = { damage: [], answer: "Here.\n" }

describe.concurrent("without room for the log itself", () => {
  it.for([0, 1, 8, 40, 64])("(%i blocks) nothing is accepted, and a sentence says why", async (blocks, test) => {
    const place = newPlace(test)
    const model = place.script([[{ text: "Never said." }]])
    const line = `ulimit -f ${blocks}; exec ${place.program} run hi --json --model ${model}`
    const refused = await place.startOther("/bin/sh", ["-c", line]).ended
    expect(complaintOf(refused, /cannot be (written|read or created)/)).toEqual(noComplaint(1))
    expect(await homeAfterwards(place)).toEqual(good)
  })
})

describe.concurrent("when the disk fills up while a tool runs", () => {
  it("its result waits, the program reports it, and continues when there is space", async (test) => {
    const { place, running } = await runOnFullDisk(test)
    setFreeSpace(place, "unlimited")
    const { code, stdout } = await running.ended
    expect(code).toBe(0)
    expect(eventsOf(stdout, "tool.ended").map(({ outcome }) => outcome)).toEqual(["done"])
    expect(place.read("effects")).toBe("x\n")
    expect(await homeAfterwards(place)).toEqual(good)
  })

  it("a kill leaves the call unsettled, and nothing is done twice", async (test) => {
    const { place, running } = await runOnFullDisk(test)
    running.signal("SIGKILL")
    expectNoStack(await running.ended)
    await endWriter(place.home) // the next one has space
    expect((await place.run("run", "--continue", "--yes")).code).toBe(0)
    const log = await place.log(await place.newest())
    expectValid(log)
    expectIdle(log)
    expect(eventsOf(log, "tool.unsettled")).toHaveLength(1)
    expect(place.read("effects")).toBe("x\n")
    expect(await homeAfterwards(place)).toEqual(good)
  })

  it("the program ends by itself, says that the prompt is stored, and the turn can be continued", async (test) => {
    const { place, running } = await runOnFullDisk(test)
    const { code, stderr } = await running.ended
    expect(code).toBe(1)
    const id = await place.newest()
    expect(stderr).toMatch(/the log cannot be written: .*turnhouse\.db.*\. The prompt is stored\./)
    expect(stderr).toContain(`resume the turn with 'turnhouse run --session ${id}'`)
    expect(stderr).not.toContain("Nothing was accepted")
    await endWriter(place.home) // the next one has space
    expect((await place.run("run", "--session", id, "--yes")).code).toBe(0)
    const log = await place.log(id)
    expectValid(log)
    expectIdle(log)
    expect(place.read("effects")).toBe("x\n")
  })

  it.for([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("one %s ends the program, though the interrupt cannot be stored", async ([signal, exitCode], test) => {
    const { place, running } = await runOnFullDisk(test)
    running.signal(signal)
    const ended = await running.ended
    expectNoStack(ended)
    expect(ended.code).toBe(exitCode)
    expect(await homeAfterwards(place)).toEqual(good)
  })
})

describe("with a background host and no room", () => {
  it("new reports why it failed", async (test) => {
    const place = newPlace(test)
    const refused = await place.startOther("/bin/sh", ["-c", `ulimit -f 0; exec ${place.program} new`]).ended
    expect(refused.stdout).toBe("")
    expect(refused.stderr).toMatch(/the background host did not start: .*(cannot be|no space|too large)/i)
    expectNoStack(refused)
  })

  it("ls does not list a live session as closed when its host cannot renew its lease", async (test) => {
    const place = newPlace(test)
    expect((await place.run("new", "--model", "offline/demo")).code).toBe(0)
    setFreeSpace(place, "1")
    const listed: string[] = []
    await eventually("the lease has run out", async () => {
      const { stdout } = await place.run("ls", "--all")
      listed.push(stdout)
      return stdout.includes("idle, host not responding") || undefined
    })
    expect(listed.filter((text) => text.includes("closed"))).toEqual([])
  })
})

/** A tool has done its work, and not a byte of its result can be stored. */
async function runOnFullDisk(test: TestContext): Promise<{ readonly place: Place; readonly running: Running }> {
  const place = newPlace(test)
  const command = "echo x>>effects; until [ -e go ]; do sleep 0.05; done"
  const model = place.script([[{ call: { tool: "bash", input: { command } } }], [{ text: "Seen." }]])
  const running = place.start(["run", "hi", "--yes", "--json", "--model", model])
  await eventually("the tool is at work", () => place.isWritten("effects") || undefined)
  setFreeSpace(place, "1")
  place.write("go", "")
  await running.says(waits)
  return { place, running }
}
