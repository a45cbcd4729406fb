// Keys of the screen, on a real terminal.
import { describe, expect, it } from "vitest"
import { eventsOf } from "../e2e/printed.ts"
import { eventually } from "../e2e/eventually.ts"
import { untilLogged } from "../cli/live.ts"
import { newWindows, numberedWords, prompt } from "./windows.ts"

const hangs = [{ text: "I hold it" }, { hang: true }] as const

describe.concurrent("the screen", () => {
  it("interrupts with Esc, and goes back to an earlier prompt with Esc Esc", async (test) => {
    const { place, open } = newWindows(test, [hangs, [{ text: "Second answer." }]])
    const window = open()
    await prompt(window, "first question")
    await window.shows("I hold it")
    window.press("escape")
    await window.shows("Interrupted")
    await prompt(window, "second question")
    await window.shows("Second answer.")
    window.press("kittyEscape", "kittyEscape") // together: on a loaded machine the second could come too late
    await window.until(
      "the list of prompts",
      () => /first question[\s\S]*second question|second question[\s\S]*first question/.test(window.text) || undefined,
    )
    const id = await place.newest()
    expect(eventsOf(await place.log(id), "turn.ended").map(({ reason }) => reason)).toEqual(["interrupted", "done"])
  })

  it("clears the input with Ctrl-C, and leaves when it is pressed twice; the turn goes on", async (test) => {
    const { place, open } = newWindows(test, [[{ text: numberedWords(60) }]], { delayMs: 30 })
    const window = open()
    await prompt(window, "count")
    await window.shows("w3 ")
    window.type("half a thought")
    await window.shows("› half a thought")
    window.press("ctrlC")
    await window.hides("half a thought")
    window.press("ctrlC")
    await window.shows("ctrl-c again")
    window.press("ctrlC", "ctrlC") // the first alone leaves, unless it came too late on a loaded machine
    expect(await window.ended).toBe(0)
    await window.shows("Come back: turnhouse attach")
    await untilLogged(place, await place.newest(), "w59")
  })

  it("shows a queued prompt, takes it back for editing, and delivers it once", async (test) => {
    const { place, open } = newWindows(test, [hangs, [{ text: "Both are done." }]])
    const window = open()
    await prompt(window, "begin")
    await window.shows("I hold it")
    window.type("also this")
    window.press("enter")
    await window.shows("queued")
    window.press("up")
    await window.hides("queued")
    await window.shows("› also this")
    window.type(" and that")
    window.press("enter")
    await window.shows("also this and that", "queued")
    window.press("escape")
    await window.shows("Both are done.", "you  also this and that")
    const log = await place.log(await place.newest())
    const promoted = new Set(eventsOf(log, "prompt.promoted").map(({ promptId }) => promptId))
    const texts = eventsOf(log, "prompt.admitted").filter(({ promptId }) => promoted.has(promptId))
    expect(texts.map(({ text }) => text)).toEqual(["begin", "also this and that"])
  })

  it("removes an approval card that another window answered, and the call runs once", async (test) => {
    const steps = [[{ call: { tool: "bash", input: { command: "echo made > made.txt" } } }], [{ text: "It is done." }]]
    const { place, open } = newWindows(test, steps)
    const first = open()
    await prompt(first, "make it")
    await first.shows("y yes")
    const second = open(["attach", await place.newest()])
    await second.shows("y yes")
    second.type("y")
    await second.shows("It is done.")
    await first.shows("It is done.")
    await first.hides("y yes")
    expect(await eventually("the file", () => place.has("made.txt") || undefined)).toBe(true)
    expect(eventsOf(await place.log(await place.newest()), "approval.decided")).toHaveLength(1)
  })

  it("takes a key for a prompt, and not for an answer, while something is typed", async (test) => {
    const steps = [[{ call: { tool: "bash", input: { command: "echo made > made.txt" } } }], [{ text: "It is done." }]]
    const { place, open } = newWindows(test, steps)
    const window = open()
    await prompt(window, "make it")
    window.type("you wait")
    await window.shows("esc back to the answers", "› you wait")
    expect(place.has("made.txt")).toBe(false)
    window.press("escape")
    await window.shows("y yes")
    window.type("n")
    await window.hides("y yes")
    expect(place.has("made.txt")).toBe(false)
  })
})
