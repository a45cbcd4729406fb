// `turnhouse attach`: shows the history and live events of a session in another process, sends prompts to it and
// detaches.
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { withoutEscapes } from "../../src/contract/text/text.ts"
import { eventually } from "../e2e/eventually.ts"
import { expectIdle, expectValid } from "../e2e/history.ts"
import { eventLines, eventsOf } from "../e2e/printed.ts"
import { newPlace, openInput, program } from "../e2e/turnhouse.ts"
import { brokenOff, detachedTurn, untilLogged, logWith, madeSession, ownerOf } from "./live.ts"

/** As `brokenOff`, after a block that is complete: --plain prints whole blocks. */
const brokenOffLater = [[{ text: "I hold it.\n\nAnd" }, { hang: true }], [{ text: "Mine now." }]] as const
const asks = [{ call: { tool: "bash", input: { command: "echo made > made.txt" } } }]

describe.concurrent("attach, from a pipe,", () => {
  it("sends each line as a prompt, shows earlier and live turns, and waits for all answers", async (test) => {
    const place = newPlace(test)
    const id = await madeSession(place, [[{ text: "First." }], [{ text: "Second." }], [{ text: "Third." }]])
    await detachedTurn(place, id, "the beginning")
    await logWith(place, id, "turn.ended")
    const { code, stdout, stderr } = await place.start(["attach"], { input: "more\n\n//and more\n" }).ended
    expect(code).toBe(0)
    const said = ["the beginning", "First.", "more", "Second.", "/and more", "Third."]
    expect(stdout.split("\n").filter((line) => said.includes(line))).toEqual(said)
    expect(stdout + stderr).not.toContain("\u001b")
    const log = await place.log(id)
    expectIdle(log)
    expect(eventsOf(log, "prompt.admitted").map(({ by }) => by.door)).toEqual(["run", "attach", "attach"])
  })

  it("shows the requested number of turns, and says that there are earlier ones", async (test) => {
    const place = newPlace(test)
    const id = await madeSession(place, [[{ text: "First." }], [{ text: "Second." }]])
    for (const prompt of ["one", "two"]) await place.run("run", "--session", id, prompt)
    const { stdout, stderr } = await place.run("attach", id, "--turns", "1")
    expect(stdout).toContain("two\n\nassistant:\nSecond.\n")
    expect(stdout).not.toContain("First.")
    expect(stderr).toContain("earlier turns are not shown")
  })

  it("exits with the code of the last turn it started", async (test) => {
    const place = newPlace(test)
    const id = await madeSession(place, [[{ error: { message: "no more", status: 400 } }]])
    expect((await place.start(["attach", id], { input: "try\n" }).ended).code).toBe(1)
  })

  it("prints new events with --json as they are stored", async (test) => {
    const place = newPlace(test)
    const id = await madeSession(place, [[{ text: "First." }], [{ text: "Second." }]])
    await place.run("run", "--session", id, "one")
    const { code, stdout } = await place.start(["attach", id, "--json"], { input: "two\n" }).ended
    expect(code).toBe(0)
    const stored = eventLines(await place.log(id))
    expect(eventLines(stdout)).toEqual(stored.slice(-eventLines(stdout).length))
    expect(eventsOf(stdout, "prompt.admitted").map(({ text }) => text)).toEqual(["two"])
    expect(stdout).toContain('"text.delta"')
  })

  it("joins in the middle of a text, and survives the death of the host", async (test) => {
    const place = newPlace(test)
    const id = await madeSession(place, brokenOff)
    await detachedTurn(place, id, "go")
    await untilLogged(place, id, "text.streamed")
    const watching = place.start(["attach", id, "--watch"], { input: openInput })
    await watching.prints("I hold it")
    process.kill(await ownerOf(place, id), "SIGKILL")
    await watching.prints("no more.")
    await watching.prints("· session")
    watching.signal("SIGINT")
    expect((await watching.ended).code).toBe(0)
    expect(watching.stdout.match(/I hold it/g)).toHaveLength(1)
    const log = await place.log(id)
    expectValid(log)
    expectIdle(log)
  })
})

describe.concurrent("attach, at a terminal,", () => {
  it("shows a request with its exact arguments, and /approve answers it", async (test) => {
    const place = newPlace(test)
    const id = await madeSession(place, [asks, [{ text: "It is done." }]])
    const terminal = place.onTerminal(`${program} attach ${id} --plain`)
    await terminal.prints("/help")
    terminal.write("make it\r")
    await terminal.prints('"command": "echo made > made.txt"')
    terminal.write("/approve\r")
    await terminal.prints("It is done.")
    terminal.write("/quit\r")
    expect((await terminal.ended).code).toBe(0)
    expect(place.read("made.txt")).toBe("made\n")
    const [decided] = eventsOf(await place.log(id), "approval.decided")
    expect(decided).toMatchObject({ outcome: "approved", by: { door: "attach" } })
  })

  it.for(["house wire", "socket file"])("a plain y answers a request, over the %s", async (way, test) => {
    const place = newPlace(test)
    const id = await madeSession(place, [asks, [{ text: "It is done." }]])
    const target = way === "house wire" ? id : join(place.home, "sessions", `${id}.sock`)
    const terminal = place.onTerminal(`${program} attach ${target} --plain`)
    await terminal.prints("/help")
    terminal.write("make it\r")
    await terminal.prints("y, n or always")
    terminal.write("y\r")
    await terminal.prints("It is done.")
    terminal.write("/quit\r")
    expect((await terminal.ended).code).toBe(0)
    expect(place.read("made.txt")).toBe("made\n")
    const log = await place.log(id)
    expect(eventsOf(log, "approval.decided")).toMatchObject([{ outcome: "approved" }])
    expect(eventsOf(log, "prompt.admitted").map(({ text }) => text)).toEqual(["make it"])
  })

  it("/deny denies a request, and an unknown command is not sent", async (test) => {
    const place = newPlace(test)
    const id = await madeSession(place, [asks, [{ text: "Then not." }]])
    const terminal = place.onTerminal(`${program} attach ${id} --plain`)
    await terminal.prints("/help")
    terminal.write("/aprove\r")
    await terminal.prints("unknown command")
    terminal.write("/deny\r")
    await terminal.prints("no approval request is pending")
    terminal.write("make it\r")
    await terminal.prints("y, n or always answers")
    terminal.write("/deny\r")
    await terminal.prints("Then not.")
    terminal.write("\u0004")
    expect((await terminal.ended).code).toBe(0)
    expect(place.has("made.txt")).toBe(false)
    expect(eventsOf(await place.log(id), "prompt.admitted")).toHaveLength(1)
  })

  it("Ctrl-C interrupts a running turn, and detaches if none runs; the session stays", async (test) => {
    const place = newPlace(test)
    const id = await madeSession(place, brokenOffLater)
    const terminal = place.onTerminal(`exec ${program} attach ${id} --plain`) // a shell would exit with 130
    await terminal.prints("/help")
    terminal.write("go\r")
    await terminal.prints("I hold it")
    terminal.write("\u0003")
    await terminal.prints("interrupted")
    terminal.write("again\r")
    await terminal.prints("Mine now.")
    let code: number | undefined
    void terminal.ended.then((ended) => (code = ended.code))
    const press = () => {
      if (code === undefined) terminal.write("\u0003") // while the turn is not quite over it only interrupts
      return code
    }
    expect(await eventually("the viewer leaves", press, 250)).toBe(0)
    expect(await ownerOf(place, id)).toBeGreaterThan(0)
  })

  it("prints Markdown without its marks with --plain, and never moves the cursor", async (test) => {
    const place = newPlace(test)
    const id = await madeSession(place, [
      [{ text: "This is **bold** and `code`.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n" }],
    ])
    const terminal = place.onTerminal(`${program} attach ${id} --plain`)
    await terminal.prints("/help")
    terminal.write("go\r")
    await terminal.prints("· session")
    const shown = withoutEscapes(terminal.stdout)
    expect(shown).toContain("This is bold and code.")
    expect(shown).not.toContain("|---|")
    const moves = terminal.stdout.split("\u001b[").filter((rest, at) => at > 0 && !/^[\d;]*m/.test(rest))
    expect(moves).toEqual([]) // only colours
  })

  it("detaching does not end a turn, and other clients see who watches", async (test) => {
    const place = newPlace(test)
    const id = await madeSession(place, brokenOffLater)
    const watching = place.start(["attach", id, "--watch"], { input: openInput })
    await watching.says(`session ${id}`)
    const terminal = place.onTerminal(`${program} attach ${id} --plain`)
    await watching.says("2 watching: ")
    terminal.write("go\r")
    await terminal.prints("I hold it")
    terminal.write("/quit\r")
    expect((await terminal.ended).code).toBe(0)
    await watching.says("1 watching: ")
    await watching.prints("I hold it")
    expect((await place.sessions())[0]).toMatchObject({ id, activity: "busy" })
  })
})

describe.concurrent("attach with wrong arguments", () => {
  it.for([
    [["attach"], "no session in this folder"],
    [["attach", "0123456"], "No session has the id or name"],
    [["attach", "--turns", "0"], "--turns: '0' is not a number"],
  ] as const)("%o is refused with one line and exit code 2", async ([args, why], test) => {
    const { code, stderr, stdout } = await newPlace(test).run(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(/^turnhouse: [^\n]+\n$/)
    expect(stderr).toContain(why)
  })
})
