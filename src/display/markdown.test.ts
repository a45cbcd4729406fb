import fc from "fast-check"
import { lexer } from "marked"
import { describe, expect, it } from "vitest"
import { markdownLines } from "./markdown.ts"
import { columnsOf, lineText, plain, wrapSpans } from "./spans.ts"

const shown = (text: string, hasColour = false) => markdownLines(lexer(text), { width: 40, hasColour }).map(lineText)

describe("markdown on a terminal", () => {
  it.each([
    ["# Title\ntext", ["# Title", "", "text"]],
    ["one\ntwo", ["one", "two"]],
    ["- a\n- b\n  1. c", ["• a", "• b", "  1. c"]],
    ["9. a\n10. b", [" 9. a", "10. b"]],
    ["- [x] a\n- [ ] b", ["• [x] a", "• [ ] b"]],
    ["> quoted", ["│ quoted"]],
    ["```\n\ta  b\n```", ["      a  b"]],
    ["a **b** `c`", ["a **b** `c`"]],
    ["[here](https://a.example)", ["here (https://a.example)"]],
    ["https://a.example", ["https://a.example"]],
    ["![cat](cat.png)", ["[image: cat] (cat.png)"]],
    ["a &lt; b", ["a < b"]],
    ["| a | b |\n|---|--:|\n| one | 2 |", ["a        b", "────  ────", "one      2"]],
  ])("shows %j as %j", (text, lines) => {
    expect(shown(text)).toEqual(lines)
  })

  it("uses colours instead of marks where the terminal has them", () => {
    expect(shown("a **b** `c`", true)).toEqual(["a b c"])
    expect(markdownLines(lexer("**b**"), { width: 40, hasColour: true })).toEqual([[{ text: "b", styles: ["bold"] }]])
  })

  it("breaks lines at the width of the terminal, wide characters included", () => {
    expect(shown(`${"word ".repeat(10)}日本語日本語日本語日本語`)).toEqual([
      "word word word word word word word word",
      "word word 日本語日本語日本語日本語",
    ])
    expect(shown("日".repeat(30))).toEqual(["日".repeat(20), "日".repeat(10)])
  })

  it("lets no control character of the text reach the terminal", () => {
    const piece = fc.constantFrom(
      "\u001b[2J",
      "\u001b]0;t\u0007",
      "\u009b1m",
      "\r",
      "\b",
      "*",
      "`",
      "|",
      "\n",
      "a",
      "[",
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        expect(shown(pieces.join("")).join("")).not.toMatch(/\p{Cc}/u)
      }),
    )
  })

  it("never makes a line of text wider than the terminal", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "日", " ", "é", "\n", "👍", "-", "."), maxLength: 120 })
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 30 }), (source, width) => {
        const lines = wrapSpans([plain(source)], width)
        for (const line of lines) expect(columnsOf(lineText(line))).toBeLessThanOrEqual(width)
        const letters = (all: string) => all.replaceAll(/\s/g, "")
        expect(
          letters(
            lines
              .flat()
              .map((span) => span.text)
              .join(""),
          ),
        ).toBe(letters(source))
      }),
    )
  })
})

it("wraps a line of 10 million characters in linear time", () => {
  expect(wrapSpans([plain("x".repeat(10_000_000))], 100)).toHaveLength(100_000)
  expect(wrapSpans([plain("é日".repeat(50_000))], 99)).toHaveLength(1516)
})
