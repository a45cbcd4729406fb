// Terminals that are small, dumb, silent or closed, and input that is very long.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { eventsOf } from "../e2e/printed.ts"
import { program } from "../e2e/turnhouse.ts"
import { Window } from "./window.ts"
import { newWindows, numberedWords, prompt, wordsIn } from "./windows.ts"

describe.concurrent("the screen", () => {
  it("takes a paste of 1 MB as one block, and sends it whole", async (test) => {
    const { place, open } = newWindows(test, [[{ text: "I have read it." }]])
    const window = open()
    await window.shows("idle")
    const pasted = `start\n${"0123456789abcde\n".repeat(62_500)}end`
    window.type(`\u001b[200~${pasted}\u001b[201~`)
    await window.until("the block", () => /62,?50\d lines/.test(window.text) || undefined)
    window.press("enter")
    await window.shows("I have read it.")
    const [admitted] = eventsOf(await place.log(await place.newest()), "prompt.admitted")
    expect(admitted?.text.length).toBe(pasted.length)
  })

  it("uses no colours with NO_COLOR, and says the same", async (test) => {
    const { open } = newWindows(test, [[{ text: "Plain **text** with `code`." }]])
    const window = open([], { env: { NO_COLOR: "1" } })
    await prompt(window, "say it")
    await window.shows("Plain **text** with `code`.", "idle")
    const colours = window.emulator.cells.flat().filter((cell) => cell.foreground ?? cell.background)
    expect(colours).toEqual([])
  })

  it("only adds lines when TERM is dumb", async (test) => {
    const { open } = newWindows(test, [[{ text: "An answer." }]])
    let output = ""
    const window = open([], { env: { TERM: "dumb" }, record: (text) => (output += text) })
    await window.shows("/help")
    window.type("say it\r")
    await window.shows("An answer.")
    window.press("ctrlD")
    expect(await window.ended).toBe(0)
    expect(output).not.toContain("\u001b")
  })

  it("works in 10 columns and 3 rows", async (test) => {
    const { open } = newWindows(test, [[{ text: numberedWords(30) }]])
    const window = open([], { columns: 10, rows: 3 })
    await prompt(window, "go")
    await window.until("the newest words", () => window.text.includes("w29") || undefined)
    window.resize({ columns: 80, rows: 24 })
    await window.until("all words", () => wordsIn(window.text) === numberedWords(30) || undefined)
    window.press("ctrlD")
    expect(await window.ended).toBe(0)
  })

  it("starts on a terminal that answers no queries", async (test) => {
    const { open } = newWindows(test, [[{ text: "An answer." }]])
    const window = open([], { answers: false })
    await prompt(window, "say it")
    await window.shows("An answer.")
    window.press("ctrlD")
    expect(await window.ended).toBe(0)
  })

  it("ends when its input is closed, and leaves the terminal as it was", async (test) => {
    const { place } = newWindows(test)
    const env = { ...place.env, TERM: "xterm-256color" }
    const window = new Window("/bin/sh", ["-c", `${program} <&-; echo "ended with $?"`], { cwd: place.folder, env })
    await window.shows("ended with ")
    expect(await window.ended).toBe(0)
    expect(window.emulator.isAlternate).toBe(false)
  })

  it("prints the report of a fault below the screen", async (test) => {
    const { place, open } = newWindows(test)
    const faulty = join(place.root, "faulty.mjs")
    writeFileSync(faulty, `process.on("SIGUSR2", () => { throw new Error("a fault of the test") })`)
    const window = open([], { env: { NODE_OPTIONS: `--import=${faulty}` } })
    await window.shows("idle")
    window.signal("SIGUSR2")
    expect(await window.ended).toBe(1)
    await window.shows("internal error", "a fault of the test")
    expect(window.emulator.isAlternate).toBe(false)
  })

  it("ends with the window of the terminal, and the turn goes on", async (test) => {
    const { place, open } = newWindows(test, [[{ text: numberedWords(40) }]], { delayMs: 30 })
    const window = open()
    await prompt(window, "count")
    await window.shows("w3")
    window.signal("SIGHUP")
    expect(await window.ended).toBe(129)
    const again = open(["attach", await place.newest()])
    await again.until("the end of the answer", () => wordsIn(again.text) === numberedWords(40) || undefined)
  })
})
