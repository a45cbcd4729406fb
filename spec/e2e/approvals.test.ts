// What can change files or other state asks first. Without an approver the call is refused, and the model gets the reason.
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { expectIdle, expectValid } from "./history.ts"
import { eventsOf } from "./printed.ts"
import { newPlace, program, type Place } from "./turnhouse.ts"

const call = { call: { tool: "bash", input: { command: "touch made" } } }

/** The second step fails unless the model is told this about its call. */
function approvalScript(place: Place, resultText: string): string {
  return place.script([[call], [{ expect: { toolResult: resultText } }, { text: "I was told." }]])
}

describe.concurrent("without a terminal", () => {
  it("refuses an unsafe call, reports it to the model, and exits with 3", async (test) => {
    const place = newPlace(test)
    const { code, stdout, stderr } = await place.run(
      "run",
      "go",
      "--model",
      approvalScript(place, "no approver is connected"),
    )
    expect({ code, stdout }).toEqual({ code: 3, stdout: "I was told.\n" })
    expect(stderr).toContain("⊘ bash touch made: It needs an approval")
    expect(existsSync(place.path("made"))).toBe(false)
    const log = await place.log(await place.newest())
    expectValid(log)
    expect(eventsOf(log, "approval.decided").map(({ outcome }) => outcome)).toEqual(["expired"])
    expect(eventsOf(log, "tool.started")).toEqual([])
  })

  it("--yes runs it", async (test) => {
    const place = newPlace(test)
    expect(await place.run("run", "go", "--yes", "--model", approvalScript(place, "no output"))).toMatchObject({
      code: 0,
      stdout: "I was told.\n",
    })
    expect(existsSync(place.path("made"))).toBe(true)
  })

  it("--yes is stored as policy and not as the user", async (test) => {
    const place = newPlace(test)
    expect((await place.run("run", "go", "--yes", "--model", approvalScript(place, "no output"))).code).toBe(0)
    const id = await place.newest()
    const log = await place.log(id)
    expect(eventsOf(log, "session.created")).toMatchObject([{ preset: "careful" }])
    expect(eventsOf(log, "approval.decided")).toMatchObject([{ by: { principal: "policy:--yes", door: "run" } }])
    expect((await place.run("log", id)).stdout).toContain("approved by policy (--yes)")
  })

  it.for(["confirm", "approve"])("--yes does not answer what tools.%s lists; --allow-tool does", async (list, test) => {
    const place = newPlace(test)
    place.config({ tools: { [list]: ["ba*"] } })
    const refused = await place.run("run", "go", "--yes", "--model", approvalScript(place, "no person can be asked"))
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining("--allow-tool bash\n") })
    expect(existsSync(place.path("made"))).toBe(false)
    const [denied] = eventsOf(await place.log(await place.newest()), "approval.decided")
    expect(denied).toMatchObject({ outcome: "denied", by: { principal: "policy:unattended" } })
    const model = approvalScript(place, "no output")
    const allowed = await place.run("run", "go", "--allow-tool", "x", "--allow-tool", "b*h", "--model", model)
    expect(allowed.code).toBe(0)
    const [decided] = eventsOf(await place.log(await place.newest()), "approval.decided")
    expect(decided).toMatchObject({ outcome: "approved", by: { principal: "policy:--allow-tool" } })
  })

  it("--yes does not answer after untrusted text; --allow-untrusted does, together with it", async (test) => {
    const place = newPlace(test)
    await place.run("knowledge", "add", place.write("returns.md", "# Returns\nSend it back within 30 days."))
    const search = { call: { tool: "knowledge_search", input: { query: "returns" } } }
    const model = place.script([[search], [call], [{ text: "Done." }]])
    const refused = await place.run("run", "go", "--yes", "--allow-tool", "bash", "--model", model)
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringMatching(/Untrusted text .* --allow-untrusted\n/) })
    expect(existsSync(place.path("made"))).toBe(false)
    expect((await place.run("run", "go", "--yes", "--allow-untrusted", "--model", model)).code).toBe(0)
    const [decided] = eventsOf(await place.log(await place.newest()), "approval.decided")
    expect(decided).toMatchObject({ by: { principal: "policy:--yes --allow-untrusted" } })
  })

  it("no flag answers when the outcome of an earlier call is unknown", async (test) => {
    const place = newPlace(test)
    const nap = { call: { tool: "bash", input: { command: "sleep 300" } } }
    const model = place.script([[nap], [call], [{ text: "Done." }]])
    const first = place.start(["run", "go", "--yes", "--json", "--model", model])
    await first.event("tool.started")
    first.signal("SIGKILL")
    await first.ended
    const flags = ["--yes", "--allow-tool", "*", "--allow-untrusted"]
    const second = await place.run("run", "--session", await place.newest(), ...flags)
    expect(second.stderr).toMatch(/outcome of an earlier bash call is unknown\. Only a user can approve it/)
    expect(second.code).toBe(3)
    expect(existsSync(place.path("made"))).toBe(false)
  })

  it("--yes does not overrule what the configuration denies", async (test) => {
    const place = newPlace(test)
    place.config({ tools: { deny: ["execute_command"] } })
    const { code } = await place.run("run", "go", "--yes", "--model", approvalScript(place, "denies bash"))
    expect(code).toBe(3)
    expect(existsSync(place.path("made"))).toBe(false)
  })

  it("--wait waits for an answer and then refuses", async (test) => {
    const place = newPlace(test)
    const model = approvalScript(place, "was not answered in time")
    expect((await place.run("run", "go", "--wait", "1s", "--model", model)).code).toBe(3)
    const log = await place.log(await place.newest())
    const [requested] = eventsOf(log, "approval.requested")
    expect(requested?.expiresAt).toBeTypeOf("number")
    expect(eventsOf(log, "approval.decided").map(({ outcome }) => outcome)).toEqual(["expired"])
  })

  it("a file outside the folder asks, reading it too", async (test) => {
    const place = newPlace(test)
    const read = { call: { tool: "read", input: { path: "/etc/hostname" } } }
    const model = place.script([
      [read],
      [{ expect: { toolResult: "no approver is connected" } }, { text: "I was told." }],
    ])
    expect(await place.run("run", "go", "--model", model)).toMatchObject({ code: 3, stdout: "I was told.\n" })
  })

  it("the home of Turnhouse is closed to file tools, even with --yes", async (test) => {
    const place = newPlace(test)
    writeFileSync(join(place.home, "secret.txt"), "the treasure")
    const read = { call: { tool: "read", input: { path: join(place.home, "secret.txt") } } }
    const write = { call: { tool: "write", input: { path: join(place.home, "config.json"), content: "{}" } } }
    const model = place.script([[read, write], [{ text: "I was told." }]])
    await place.run("run", "go", "--yes", "--model", model)
    const log = await place.log(await place.newest())
    expect(log).not.toContain("the treasure")
    expect(existsSync(join(place.home, "config.json"))).toBe(false)
  })

  it("run --yes answers a request that was pending when its host was killed", async (test) => {
    const place = newPlace(test)
    const running = place.start(["run", "go", "--wait", "1h", "--json", "--model", approvalScript(place, "no output")])
    await running.event("approval.requested")
    running.signal("SIGKILL")
    await running.ended
    expect((await place.run("ls")).stdout).toContain("asking, left open")
    expect((await place.run("run", "--continue", "--yes")).code).toBe(0)
    expect(existsSync(place.path("made"))).toBe(true)
    const log = await place.log(await place.newest())
    expect(eventsOf(log, "approval.requested")).toHaveLength(1)
  })

  it("run without a terminal does not wait for a request that was left pending at a terminal", async (test) => {
    const place = newPlace(test)
    const line = `exec ${program} run go --model ${approvalScript(place, "no person can be asked")}`
    const terminal = place.onTerminal(line)
    await terminal.prints("y yes")
    terminal.signal("SIGKILL")
    await terminal.ended
    const resumed = await place.run("run", "--continue")
    expect(resumed).toMatchObject({ code: 3, stderr: expect.not.stringContaining("Warning") })
    expectIdle(await place.log(await place.newest()))
  })
})

describe.concurrent("at a terminal that cannot move its cursor", () => {
  const env = { TERM: "dumb" }

  it.for([["y"], ["yes"], ["Y"]])("%s lets the call run", async ([answer], test) => {
    const place = newPlace(test)
    const terminal = place.onTerminal(`${program} run go --model ${approvalScript(place, "no output")}`, { env })
    await terminal.prints("Allow this? [y/N]")
    expect(terminal.stdout).toContain('"command": "touch made"')
    terminal.write(`${answer}\r`)
    const { code, stdout } = await terminal.ended
    expect(code).toBe(0)
    expect(stdout).toContain("I was told.")
    expect(existsSync(place.path("made"))).toBe(true)
  })

  it.for([["n"], [""], ["yep"], ["maybe"]])("'%s' does not", async ([answer], test) => {
    const place = newPlace(test)
    const terminal = place.onTerminal(`${program} run go --model ${approvalScript(place, "Denied by")}`, { env })
    await terminal.prints("Allow this? [y/N]")
    terminal.write(`${answer}\r`)
    const { code, stdout } = await terminal.ended
    expect(code).toBe(3)
    expect(stdout).toContain("I was told.")
    expect(existsSync(place.path("made"))).toBe(false)
    const log = await place.log(await place.newest())
    expect(eventsOf(log, "approval.decided").map(({ outcome }) => outcome)).toEqual(["denied"])
  })

  it("two calls are asked about one after the other", async (test) => {
    const place = newPlace(test)
    const other = { call: { tool: "bash", input: { command: "touch other" } } }
    const terminal = place.onTerminal(
      `${program} run go --model ${place.script([[call, other], [{ text: "Well." }]])}`,
      { env },
    )
    await terminal.prints("Allow this? [y/N]")
    terminal.write("n\r")
    await terminal.until("the second question", () => terminal.stdout.split("Allow this?")[2])
    terminal.write("y\r")
    expect((await terminal.ended).code).toBe(3)
    const made = ["made", "other"].filter((name) => existsSync(place.path(name)))
    expect(made).toHaveLength(1)
  })

  it("Ctrl-C at the question interrupts the turn", async (test) => {
    const place = newPlace(test)
    const terminal = place.onTerminal(`${program} run go --model ${approvalScript(place, "never")}`, { env })
    await terminal.prints("Allow this? [y/N]")
    terminal.write("\u0003")
    expect((await terminal.ended).code).toBe(130)
    const log = await place.log(await place.newest())
    expectIdle(log)
    expect(eventsOf(log, "approval.decided").map(({ outcome }) => outcome)).toEqual(["void"])
    expect(existsSync(place.path("made"))).toBe(false)
  })

  it("the end of input at the question is a no, not a hang", async (test) => {
    const place = newPlace(test)
    const terminal = place.onTerminal(`${program} run go --model ${approvalScript(place, "Denied by")}`, { env })
    await terminal.prints("Allow this? [y/N]")
    terminal.write("\u0004")
    expect((await terminal.ended).code).toBe(3)
    expectIdle(await place.log(await place.newest()))
    expect(existsSync(place.path("made"))).toBe(false)
  })
})
