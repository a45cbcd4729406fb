// Resizing at any moment leaves nothing behind: what the emulator shows equals a full repaint.
import { expect, it } from "vitest"
import type { Emulator, EmulatorSize } from "./emulator.ts"
import type { Window } from "./window.ts"
import { newWindows, prompt } from "./windows.ts"

const sizes: readonly EmulatorSize[] = [
  { columns: 200, rows: 50 },
  { columns: 20, rows: 8 },
  { columns: 61, rows: 3 },
  { columns: 133, rows: 30 },
  { columns: 10, rows: 3 },
  { columns: 400, rows: 12 },
  { columns: 37, rows: 41 },
  { columns: 80, rows: 24 },
]

const paragraph = [
  "## Totals 日本語",
  "A paragraph with **bold**, `code`, 👍 and enough words that it is wrapped at every width that is tried here.",
  "| item | before | after |\n|---|--:|--:|\n| refund | 17.99 | 18.00 |\n| 日本語 | 1 | 2 |",
  "```ts\nexport const rate = 0.19 // the rate\n```",
  "- one\n- two",
].join("\n\n")

it("draws the same as a full repaint after resizes while a model writes", async (test) => {
  const text = Array.from({ length: 12 }, (_, at) => `${paragraph}\n\nPart ${at} ends.`).join("\n\n")
  const { open } = newWindows(test, [[{ text }]], { delayMs: 4 })
  const window = open()
  await prompt(window, "write")
  await window.shows("Totals")
  for (let round = 0; round < 3; round += 1)
    for (const size of sizes) {
      const { frames } = window.emulator
      window.resize(size)
      await window.until("another frame", () => window.emulator.frames > frames || undefined)
    }
  await window.shows("Part 11 ends.", "idle")
  const [shown, repainted] = await beforeAndAfterRepaint(window)
  expect(shown).toEqual(repainted)
  for (const size of sizes) {
    const { fullFrames } = window.emulator
    window.resize(size)
    await window.until("a frame of this size", () => window.emulator.fullFrames > fullFrames || undefined)
    const [resized, again] = await beforeAndAfterRepaint(window)
    expect(resized).toEqual(again)
  }
})

interface Painted {
  readonly text: string
  readonly cells: Emulator["cells"]
  readonly cursor: Emulator["cursor"]
}

/** What is shown, and the same after a full repaint. If a newer state was drawn in between, they are taken again. */
async function beforeAndAfterRepaint(window: Window): Promise<readonly [Painted, Painted]> {
  for (;;) {
    const { frames } = window.emulator
    const before = painted(window)
    await window.repaint()
    if (window.emulator.frames === frames + 1) return [before, painted(window)]
  }
}

function painted({ emulator: { text, cells, cursor } }: Window): Painted {
  return { text, cells, cursor }
}
