// The approval card of `run`: answered with single keys at a terminal that can move its cursor.
import { existsSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { expectIdle } from "./history.ts"
import { eventsOf } from "./printed.ts"
import type { Running } from "./running.ts"
import { newPlace, program } from "./turnhouse.ts"

const env = { TERM: "xterm", NO_COLOR: "1" }
const bash = (command: string) => ({ call: { tool: "bash", input: { command } } })
const told = (toolResult: string) => ({ expect: { toolResult } })

/** Waits until a card that has this text takes keys, then presses one. */
async function press(terminal: Running, shown: string, key: string): Promise<void> {
  const ready = () => {
    const at = terminal.stdout.indexOf(shown)
    return at >= 0 && terminal.stdout.includes("y yes", at) ? true : undefined
  }
  await terminal.until(`the card with '${shown}'`, ready)
  terminal.write(key)
}

describe.concurrent("the approval card", () => {
  it("y runs the call; a also runs later calls that match the pattern, without asking", async (test) => {
    const place = newPlace(test)
    const model = place.script([[bash("touch made")], [bash("mkdir one")], [bash("mkdir two")], [{ text: "Made." }]])
    const terminal = place.onTerminal(`${program} run go --model ${model}`, { env })
    await press(terminal, "touch made", "y")
    await press(terminal, 'always for "mkdir *"', "a")
    const { code, stdout } = await terminal.ended
    expect(code).toBe(0)
    expect(stdout).toContain("Made.")
    expect(["made", "one", "two"].filter((name) => existsSync(place.path(name)))).toEqual(["made", "one", "two"])
    const log = await place.log(await place.newest())
    expect(eventsOf(log, "approval.requested")).toHaveLength(2)
    expect(eventsOf(log, "policy.granted")).toMatchObject([{ tool: "bash", pattern: "mkdir *", scope: "session" }])
  })

  it("f allows such calls in the folder, also for the next session", async (test) => {
    const place = newPlace(test)
    const run = (name: string) =>
      `${program} run go --model ${place.script([[bash(`mkdir ${name}`)], [{ text: "Made." }]], {}, `${name}.json`)}`
    const terminal = place.onTerminal(run("one"), { env })
    await press(terminal, "f always in this folder", "f")
    expect((await terminal.ended).code).toBe(0)
    expect((await place.onTerminal(run("two"), { env }).ended).code).toBe(0)
    expect(existsSync(place.path("two"))).toBe(true)
  })

  it("e edits the command in place, shows the changed call, and runs it when it is approved", async (test) => {
    const place = newPlace(test)
    const model = place.script([[bash("touch made")], [told("changed the arguments"), { text: "Made." }]])
    const terminal = place.onTerminal(`${program} run go --model ${model}`, { env })
    await press(terminal, "touch made", "e")
    await terminal.prints("Change the command")
    terminal.write("-by-me\r")
    await press(terminal, "approve the changed call", "y")
    const { code, stdout } = await terminal.ended
    expect(code).toBe(0)
    expect(stdout).toContain("● bash touch made-by-me")
    expect([existsSync(place.path("made")), existsSync(place.path("made-by-me"))]).toEqual([false, true])
  })

  it("e opens the editor of the user for other calls; bad JSON leaves the call unchanged", async (test) => {
    const place = newPlace(test)
    place.write("edit.sh", 'grep -q first "$1" && echo "{" > "$1"; sed -i s/first/second/ "$1"')
    const write = { call: { tool: "write", input: { path: "made", content: "first\n" } } }
    const model = place.script([[write], [{ text: "Made." }]])
    const editors = { VISUAL: `sh ${place.path("edit.sh")}`, EDITOR: "false" }
    const terminal = place.onTerminal(`${program} run go --model ${model}`, { env: { ...env, ...editors } })
    await press(terminal, "+ first", "e")
    await terminal.prints("The text is not valid JSON; the call is unchanged.")
    place.write("edit.sh", 'sed -i s/first/second/ "$1"')
    const since = terminal.stdout.length
    await terminal.until("the card", () => terminal.stdout.includes("y yes", since) || undefined)
    terminal.write("e")
    await press(terminal, "+ second", "y")
    expect((await terminal.ended).code).toBe(0)
    expect(place.read("made")).toBe("second\n")
  })

  it("n asks for a reason, which the model gets; Escape leads back to the card", async (test) => {
    const place = newPlace(test)
    const model = place.script([[bash("touch made")], [told("Denied by"), told("use make"), { text: "I was told." }]])
    const terminal = place.onTerminal(`${program} run go --model ${model}`, { env })
    await press(terminal, "touch made", "n")
    await terminal.prints("Why?")
    terminal.write("\u001b")
    const since = terminal.stdout.length
    await terminal.until("the card again", () => terminal.stdout.includes("y yes", since) || undefined)
    terminal.write("n")
    await terminal.until("the question again", () => terminal.stdout.includes("Why?", since) || undefined)
    terminal.write("use make\r")
    const { code, stdout } = await terminal.ended
    expect(code).toBe(3)
    expect(stdout).toContain("I was told.")
    expect(existsSync(place.path("made"))).toBe(false)
  })

  it("is not answered by keys typed before it, nor by a paste, and goes away when another client answers", async (test) => {
    const place = newPlace(test)
    const model = place.script([[bash("touch made")], [{ text: "I was told." }]])
    const terminal = place.onTerminal(`${program} run go --model ${model}`, { env })
    terminal.write("y")
    await press(terminal, "touch made", "\u001b[200~y\u001b[201~")
    const since = terminal.stdout.length
    await terminal.until("the card again", () => terminal.stdout.includes("y yes", since) || undefined)
    terminal.write("yy")
    await terminal.until("keys are ignored", () => terminal.stdout.includes("│ …", since) || undefined)
    expect(existsSync(place.path("made"))).toBe(false)
    const { approvalId } = eventsOf(await place.log(await place.newest()), "approval.requested")[0] ?? {}
    expect((await place.run("approve", approvalId ?? "", "--deny")).code).toBe(0)
    const { code, stdout } = await terminal.ended
    expect(code).toBe(3)
    expect(stdout).toMatch(/✗ denied by .* via approve, \d\d:\d\d:\d\d · bash touch made/)
    expect(existsSync(place.path("made"))).toBe(false)
  })

  it.for([
    ["Ctrl-C interrupts the turn", "\u0003", 130, "void"],
    ["Ctrl-D denies", "\u0004", 3, "denied"],
  ] as const)("%s, and the terminal is as before", async ([, key, code, outcome], test) => {
    const place = newPlace(test)
    const model = place.script([[bash("touch made")], [{ text: "I was told." }]])
    const line = `${program} run go --model ${model}; echo "code $?"; stty -a`
    const terminal = place.onTerminal(line, { env })
    await press(terminal, "touch made", key)
    const { stdout } = await terminal.ended
    expect(stdout).toContain(`code ${code}`)
    expect(stdout).toMatch(/ icanon /)
    expect(stdout.lastIndexOf("\u001b[?2004l")).toBeGreaterThan(stdout.lastIndexOf("\u001b[?2004h"))
    const log = await place.log(await place.newest())
    expectIdle(log)
    expect(eventsOf(log, "approval.decided").map((decided) => decided.outcome)).toEqual([outcome])
    expect(existsSync(place.path("made"))).toBe(false)
  })
})
