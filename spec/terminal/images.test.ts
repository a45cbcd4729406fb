import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { pngFile } from "../../src/tools/fixtures/images.ts"
import { newWindows, prompt } from "./windows.ts"

const CELL = "\u001b[6;20;10t"
const PLACEHOLDER = "\u{10eeee}"

it("draws the image of a result with placeholders, and removes it when the window is left", async (test) => {
  const { place, open } = newWindows(test, [
    [{ call: { tool: "read", input: { path: "shot.png" } } }],
    [{ text: "It is black." }],
  ])
  writeFileSync(join(place.folder, "shot.png"), pngFile(100, 60))
  let raw = ""
  const window = open([], {
    answers: false,
    env: { TERM: "xterm-kitty" },
    record: (text) => {
      if (!raw.includes("a=q") && (raw + text).includes("a=q")) window.type(`\u001b_Gi=31;OK\u001b\\${CELL}`)
      raw += text
    },
  })
  await prompt(window, "look")
  await window.shows("It is black.")
  await window.until("the image", () => window.text.includes(PLACEHOLDER) || undefined)
  const rows = window.emulator.lines.filter((line) => line.includes(PLACEHOLDER))
  expect(rows.map((line) => line.split(PLACEHOLDER).length - 1)).toEqual([10, 10, 10])
  window.press("ctrlD")
  await window.ended
  expect(raw).toMatch(/_Ga=d,d=I,i=\d+,q=2/)
})
