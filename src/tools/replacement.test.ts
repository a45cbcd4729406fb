import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { lineDiff } from "./line-diff.ts"
import { replaceOnce } from "./replacement.ts"

const text = fc.array(fc.constantFrom("a", "b", "\n", "\r\n", "\r"), { maxLength: 12 }).map((parts) => parts.join(""))
const newPiece = fc.array(fc.constantFrom("a", "\n", "\r\n"), { maxLength: 12 }).map((parts) => parts.join(""))

describe("replacing one piece", () => {
  it("changes that piece and not one character around it", () => {
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

  it("counts places that overlap", () => {
    expect(replaceOnce("aaa", "aa", "b")).toEqual({ kind: "ambiguous", times: 2, lines: [1, 1] })
  })

  it("names the first twenty lines of very many", () => {
    const found = replaceOnce("a\n".repeat(100_000), "a", "b")
    expect(found).toMatchObject({ kind: "ambiguous", times: 100_000 })
    expect(found.kind === "ambiguous" && found.lines).toHaveLength(20)
  })

  it("puts in a carriage return where a file has none only if it was meant", () => {
    expect(replaceOnce("a\nb", "a", "x\r\ny")).toEqual({ kind: "replaced", text: "x\r\ny\nb" })
    expect(replaceOnce("a\nb", "a\r\nb", "x\r\ny")).toEqual({ kind: "replaced", text: "x\ny" })
  })
})

describe("a look at a change", () => {
  it("shows the changed lines with two around them", () => {
    expect(lineDiff("1\n2\n3\n4\n5\n6\n", "1\n2\n3\nfour\n5\n6\n")).toBe("@@ line 4 @@\n 2\n 3\n-4\n+four\n 5\n 6")
  })

  it("keeps lines in common between two changes", () => {
    expect(lineDiff("a\nb\nc\nd\n", "A\nb\nc\nD\n")).toBe("@@ line 1 @@\n-a\n+A\n b\n c\n-d\n+D")
  })

  it("is bounded in lines and in their length", () => {
    const long = lineDiff("", `${"x".repeat(5000)}\n`.repeat(5000))
    expect(long.split("\n")).toHaveLength(62)
    expect(long).toContain("[… 4940 lines of this change are not shown …]")
    expect(long.length).toBeLessThan(62 * 210)
  })

  it("adds up: what is not removed and what is added make the new text", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 20 })
    fc.assert(
      fc.property(lines, lines, (old, now) => {
        const shown = lineDiff(`first\n${old.join("\n")}\n`, `FIRST\n${now.join("\n")}\nlast\n`)
          .split("\n")
          .slice(1)
        const kept = (signs: string) =>
          shown.filter((line) => signs.includes(line.charAt(0))).map((line) => line.slice(1))
        const asLines = (parts: string[]) => `${parts.join("\n")}\n`.split("\n").slice(0, -1)
        expect(kept(" -")).toEqual(["first", ...asLines(old)])
        expect(kept(" +")).toEqual(["FIRST", ...asLines(now), "last"])
      }),
    )
  })
})
