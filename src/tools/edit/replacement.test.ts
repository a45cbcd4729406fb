import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { MAX_TEXT_LENGTH, replaceEvery, replaceOnce, replacePiece } from "./replacement.ts"

const text = fc.array(fc.constantFrom("a", "b", "\n", "\r\n", "\r"), { maxLength: 12 }).map((parts) => parts.join(""))
const newPiece = fc.array(fc.constantFrom("a", "\n", "\r\n"), { maxLength: 12 }).map((parts) => parts.join(""))

describe("replacing one piece", () => {
  it("changes that piece and no character around it", () => {
    fc.assert(
      fc.property(text, text, newPiece, (before, after, put) => {
        const replaced = replaceOnce(`${before}<<a\r\nb>>${after}`, "<<a\nb>>", put)
        if (replaced.kind !== "replaced") throw new Error("the piece stands there once")
        expect(replaced.text.startsWith(before)).toBe(true)
        expect(replaced.text.endsWith(after)).toBe(true)
        const middle = replaced.text.slice(before.length, replaced.text.length - after.length)
        expect(middle.replaceAll("\r\n", "\n")).toBe(put.replaceAll("\r\n", "\n"))
      }),
    )
  })

  it("counts overlapping occurrences", () => {
    expect(replaceOnce("aaa", "aa", "b")).toEqual({ kind: "ambiguous", times: 2, lines: [1, 1] })
  })

  it("names at most the first twenty lines", () => {
    const found = replaceOnce("a\n".repeat(100_000), "a", "b")
    expect(found).toMatchObject({ kind: "ambiguous", times: 100_000 })
    expect(found.kind === "ambiguous" && found.lines).toHaveLength(20)
  })

  it("adds a carriage return to a file without any only if new_string has it explicitly", () => {
    expect(replaceOnce("a\nb", "a", "x\r\ny")).toEqual({ kind: "replaced", text: "x\r\ny\nb" })
    expect(replaceOnce("a\nb", "a\r\nb", "x\r\ny")).toEqual({ kind: "replaced", text: "x\ny" })
  })
})

describe("replacing every piece", () => {
  it("inserts the new piece as it is", () => {
    expect(replaceEvery("aba", "a", "$&$$")).toEqual({ kind: "replaced", text: "$&$$b$&$$", times: 2 })
  })

  it("does not make a text that is too long", () => {
    expect(replaceEvery("a".repeat(1000), "a", "b".repeat(MAX_TEXT_LENGTH / 1000 + 1))).toEqual({ kind: "too-long" })
  })
})

describe("a piece that differs in white space", () => {
  it("keeps the byte order mark at the start of the text only", () => {
    const replaced = replacePiece("\ufeff\tif (a)\n", "  if (a)", "  if (b)\n  c()")
    expect(replaced).toMatchObject({ kind: "replaced", text: "\ufeff\tif (b)\n\tc()\n" })
  })
})
