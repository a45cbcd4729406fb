import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { replaceLoosely } from "./loose-match.ts"

describe("a loose match", () => {
  it("takes typographic characters for plain ones", () => {
    expect(replaceLoosely("say “it’s” – now", 'say "it\'s" - now', "x")).toEqual({
      kind: "replaced",
      text: "x",
      line: 1,
      ignoring: "typographic characters",
    })
  })

  it("ignores white space at the end of lines before it ignores indentation", () => {
    expect(replaceLoosely("a  \n b\nc\n", "a\n b\n", "x\n")).toMatchObject({
      text: "x\nc\n",
      ignoring: "white space at the end of lines",
    })
  })

  it("keeps the last line of a text without a line feed", () => {
    expect(replaceLoosely("a\n  b", "b \n", "c\n")).toMatchObject({ kind: "replaced", text: "a\n  c\n" })
    expect(replaceLoosely("a\n  b", "\tb", "\tc")).toMatchObject({ kind: "replaced", text: "a\n  c" })
  })

  it.each([
    ["    if a\n      b\n", "if a\n  b\n", "if a\n  c\n  d\n", "    if a\n      c\n      d\n"],
    ["  if a\n    b\n", "\tif a\n\t\tb\n", "\tif a\n\t\tif c\n\t\t\td\n", "  if a\n    if c\n      d\n"],
    ["\t\tx\n\t\ty\n", "        x\n        y\n", "    z\n        x\n", "\tz\n\t\tx\n"],
  ])("puts the new text at the indentation of the file: %j", (text, oldPiece, newPiece, expected) => {
    expect(replaceLoosely(text, oldPiece, newPiece)).toMatchObject({ kind: "replaced", text: expected })
  })

  it("is none where the lines are not indented alike", () => {
    expect(replaceLoosely("  a\n      b\n", "a\nb\n", "x\n")).toEqual({ kind: "none" })
  })

  it("is none for white space alone", () => {
    expect(replaceLoosely("a\n\n\nb", " \n ", "x")).toEqual({ kind: "none" })
  })

  it("changes only the lines that match", () => {
    const line = fc.constantFrom("a", "  b", "\tc", "", "  d  ")
    fc.assert(
      fc.property(fc.array(line), fc.array(line), (before, after) => {
        const text = [...before, "   <<unique>> ", ...after].join("\n")
        const replaced = replaceLoosely(text, "\t<<unique>>", "\tnew")
        expect(replaced).toMatchObject({ text: [...before, "   new", ...after].join("\n") })
      }),
    )
  })
})
