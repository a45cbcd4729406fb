// What a new user does first, on the offline demo: a turn with a tool, a diff and an approval; leaving; coming back.
import { describe, expect, it } from "vitest"
import { eventsOf } from "../e2e/printed.ts"
import { killHost } from "../e2e/hosts.ts"
import { newWindows, numberedWords, prompt, wordsIn } from "./windows.ts"

describe("the first turns of a new user", () => {
  it("asks before a file is changed, shows the diff, and says how to come back", async (test) => {
    const { place, open } = newWindows(test)
    place.write("colours.txt", "red\n")
    const window = open()
    await prompt(window, "read colours.txt")
    await window.shows("colours.txt has 1 line")
    await prompt(window, "write blue to colours.txt")
    await window.shows("approve", "colours.txt", "waiting for approval", "y yes")
    expect(place.read("colours.txt")).toBe("red\n")
    window.type("y")
    await window.shows("+1 −1", "I wrote colours.txt.")
    expect(place.read("colours.txt")).toBe("blue\n")
    await window.shows("idle")
    window.press("ctrlD")
    expect(await window.ended).toBe(0)
    await window.shows("Come back: turnhouse attach ")
    expect(window.emulator.isAlternate).toBe(false)
    expect(window.emulator.cursor).toBeDefined()
  })

  it("continues in the picker and after attach with the same transcript", async (test) => {
    const { place, open } = newWindows(test)
    place.write("notes.txt", "alpha\nbeta\n")
    const first = open(["read notes.txt"])
    await first.shows("beta", "idle")
    first.press("ctrlD")
    expect(await first.ended).toBe(0)
    const picker = open(["attach"])
    await picker.shows("read notes.txt", "idle")
    picker.press("enter")
    await picker.shows("you  read notes.txt", "beta")
    const id = await place.newest()
    const second = open(["attach", id])
    await second.shows("you  read notes.txt", "beta")
    await picker.shows("2 viewing")
    await second.shows("2 viewing")
    expect(transcript(second.text)).toBe(transcript(picker.text))
  })
})

describe("a host that is killed in mid-answer", () => {
  it("is replaced, and the answer ends without a gap or a repetition in all windows", async (test) => {
    const all = numberedWords(300)
    const { place, open } = newWindows(test, [[{ text: all }]], { delayMs: 20 })
    const first = open([], { rows: 50 })
    await prompt(first, "count")
    await first.shows("w20")
    const id = await place.newest()
    const second = open(["attach", id], { rows: 50 })
    await second.shows("w45")
    killHost(place.home)
    await first.shows("reconnect", "w299", "idle")
    await second.shows("w299", "idle")
    expect(wordsIn(first.text)).toBe(all)
    expect(wordsIn(second.text)).toBe(all)
    const log = await place.log(id)
    const stored = eventsOf(log, "text.ended").map(({ text }) => text)
    expect(stored.join("")).toBe(all)
    expect(eventsOf(log, "turn.ended")).toMatchObject([{ reason: "done" }])
  })
})

/** Between the rules: without the header and the status line, which tell the windows apart. */
function transcript(screen: string): string {
  return screen.split("\n").slice(2, -4).join("\n")
}
