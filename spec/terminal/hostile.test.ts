// Text from outside cannot act on the terminal: move the cursor, set the title, write the clipboard, ask the terminal
// something or hide other text.
import { mkdirSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { newWindows, prompt } from "./windows.ts"
import type { Window } from "./window.ts"

const attacks = [
  "\u001b]52;c;aGlqYWNr\u0007", // clipboard
  "\u001b]0;hijacked\u0007",
  "\u001b]2;hijacked\u001b\\",
  "\u001b]8;;http://example.com\u001b\\link\u001b]8;;\u001b\\",
  "\u001b[2J\u001b[1;1H", // erases the screen
  "\u001b[?1049l\u001b[?25l",
  "\u001b[8m", // hides what follows
  "\u001bP$qm\u001b\\", // asks for a setting
  "\u001b_Gf=100;AAAA\u001b\\",
  "\u001b[c\u001b[6n",
  "\u001bc",
  "\u009b2J\u009d0;hijacked\u009c\u0090q\u009c",
  "\u0007\b\b\b\r\v\f\u0085\u2028",
  "\u202e\u2066\u200b\u200e\u00ad\u{e0041}",
  `e${"\u0301".repeat(3000)}`,
].join("")
const hostile = `before ${attacks} after`

describe.concurrent("text from outside", () => {
  it("of a model, a tool and a file cannot act on the terminal", async (test) => {
    const steps = [
      [
        { reasoning: hostile },
        { text: `${hostile}\n\n\`\`\`sh\n${hostile}\n\`\`\`\n\n` },
        { call: { tool: "ls", input: {} } },
      ],
      [{ call: { tool: "read", input: { path: "evil.txt" } } }],
      [{ text: "The end of the answer." }],
    ]
    const { place, open } = newWindows(test, steps)
    const invalid = Buffer.concat([Buffer.from(hostile), Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80, 10])])
    writeFileSync(place.path("evil.txt"), invalid)
    mkdirSync(place.path("a\u001b]0;hijacked\u0007\u001b[2Jb"))
    const window = open([], { rows: 60 })
    await prompt(window, "go")
    await window.shows("The end of the answer.", "idle")
    window.press("ctrlO")
    await window.until("what was folded", () => window.text.split("after").length > 2 || undefined)
    expect(stateOf(window)).toEqual(untouched)
  })

  it("in a title cannot act on the terminal, nor in the picker and the approval card", async (test) => {
    const steps = [[{ call: { tool: "bash", input: { command: `echo ${hostile}` } } }], [{ text: "Done." }]]
    const { place, open } = newWindows(test, steps)
    const title = hostile.replaceAll("\u0301", "")
    const { code, stderr } = await place.run("run", "--detach", title)
    expect(stderr + code).toMatch(/0$/)
    const window = open(["attach", await place.newest()])
    await window.shows("y yes")
    expect(stateOf(window)).toEqual(untouched)
    window.press("ctrlP")
    await window.shows("sessions")
    expect(window.emulator.titles).toEqual([])
    expect(window.emulator.clipboard).toEqual([])
  })

  it("of 10 MB on one line is shown in part, and the screen stays usable", async (test) => {
    const line = [{ chunks: ["x".repeat(5_000_000), "y".repeat(5_000_000)] }, { text: " END" }]
    const { open } = newWindows(test, [line], { maxOutput: 20_000_000, contextWindow: 40_000_000 })
    const window = open()
    await prompt(window, "go")
    await window.until("the end", () => window.text.includes("END") || undefined)
    await window.shows("idle")
    window.type("still here")
    await window.shows("› still here")
    expect(stateOf(window)).toEqual(untouched)
  })
})

interface TerminalState {
  readonly titles: readonly string[]
  readonly clipboard: readonly string[]
  readonly bells: number
  readonly isAlternate: boolean
  readonly hasHeader: boolean
  readonly hasStatus: boolean
  /** Rows between the cursor and the last row. */
  readonly cursorFromEnd: number | undefined
  readonly hidden: string | undefined
}

const untouched: TerminalState = {
  titles: [],
  clipboard: [],
  bells: 0,
  isAlternate: true,
  hasHeader: true,
  hasStatus: true,
  cursorFromEnd: 2,
  hidden: undefined,
}

function stateOf({ emulator }: Window): TerminalState {
  const { titles, clipboard, bells, isAlternate, lines, cursor, size, text } = emulator
  return {
    titles,
    clipboard,
    bells,
    isAlternate,
    hasHeader: lines[0]?.startsWith(" turnhouse  ") === true,
    hasStatus: /idle|waiting/.test(lines.at(-1) ?? ""),
    cursorFromEnd: cursor === undefined ? undefined : size.rows - 1 - cursor.row,
    hidden: /(?!\n)[\p{Cc}\p{Bidi_Control}\u200b\u00ad]/u.exec(text)?.[0],
  }
}
