import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cpuMsOf } from "../../testing/cpu-time.ts"
import { fileDiffOf } from "../../contract/rules/file-diff.ts"
import { decisionDiff, diffText, fileDiff } from "./line-diff.ts"

const lineDiff = async (before: string, after: string) => diffText(await fileDiff(before, after))

describe("the diff of a file", () => {
  it("numbers removed lines as in the old file and all others as in the new one", async () => {
    const diff = await fileDiff("1\n2\n3\n", "0\n1\n3\nfour\n")
    expect(diff).toMatchObject({ added: 2, removed: 1 })
    expect(diff.lines).toEqual([
      { sign: "+", at: 1, text: "0" },
      { sign: " ", at: 2, text: "1" },
      { sign: "-", at: 2, text: "2" },
      { sign: " ", at: 3, text: "3" },
      { sign: "+", at: 4, text: "four" },
    ])
    expect(fileDiffOf({ diff: JSON.parse(JSON.stringify(diff)) })).toEqual(diff)
    expect(fileDiffOf({ diff: { added: 1, removed: 0, lines: [{ sign: "?" }] } })).toBeUndefined()
  })

  it("shows the changed lines with two lines of context", async () => {
    const diff = await lineDiff("1\n2\n3\n4\n5\n6\n", "1\n2\n3\nfour\n5\n6\n")
    expect(diff).toBe("@@ line 4 @@\n 2\n 3\n-4\n+four\n 5\n 6")
  })

  it("keeps unchanged lines between two changes", async () => {
    expect(await lineDiff("a\nb\nc\nd\n", "A\nb\nc\nD\n")).toBe("@@ line 1 @@\n-a\n+A\n b\n c\n-d\n+D")
  })

  it("for a decision leaves out lines between changes that are far apart, and says how many", async () => {
    const text = (first: string, last: string) => [first, ..."bcdefgh".split(""), last].join("\n")
    const diff = await decisionDiff(text("a", "i"), text("A", "I"))
    expect(diff).toEqual({
      added: 2,
      removed: 2,
      lines: [
        { sign: "-", at: 1, text: "a" },
        { sign: "+", at: 1, text: "A" },
        { sign: " ", at: 2, text: "b" },
        { sign: " ", at: 3, text: "c" },
        { sign: "…", omitted: 3, unchanged: true },
        { sign: " ", at: 7, text: "g" },
        { sign: " ", at: 8, text: "h" },
        { sign: "-", at: 9, text: "i" },
        { sign: "+", at: 9, text: "I" },
      ],
    })
    expect(fileDiffOf({ diff: JSON.parse(JSON.stringify(diff)) })).toEqual(diff)
    const long = await decisionDiff("", "x\n".repeat(5000))
    expect(long.lines).toHaveLength(201)
    expect(long.lines[100]).toEqual({ sign: "…", omitted: 4800 })
  })

  it("limits the number of lines and their length", async () => {
    const long = await lineDiff("", `${"x".repeat(5000)}\n`.repeat(5000))
    expect(long.split("\n")).toHaveLength(62)
    expect(long).toContain("[… 4940 lines of this change are not shown …]")
    expect(long.length).toBeLessThan(62 * 210)
  })

  it("shows texts that differ too much as the old block and then the new one, in bounded time", async () => {
    const numbered = (sign: string, count: number) => Array.from({ length: count }, (_, at) => `${sign}${at}`)
    const text = (sign: string) => ["same", ...numbered(sign, 50_000), "end"].join("\n")
    let lines: readonly string[] = []
    const used = await cpuMsOf(async () => (lines = (await lineDiff(text("a"), text("b"))).split("\n")))
    expect(used).toBeLessThan(2000)
    expect(lines.slice(0, 3)).toEqual(["@@ line 2 @@", " same", "-a0"])
    expect(lines.slice(-2)).toEqual(["+b49999", " end"])
  })

  it("adds up: unchanged and removed lines are the old text, unchanged and added lines the new one", async () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(lines, lines, async (old, now) => {
        const diff = await lineDiff(`first\n${old.join("\n")}\n`, `FIRST\n${now.join("\n")}\nlast\n`)
        const shown = diff.split("\n").slice(1)
        const kept = (signs: string) =>
          shown.filter((line) => signs.includes(line.charAt(0))).map((line) => line.slice(1))
        const asLines = (parts: string[]) => `${parts.join("\n")}\n`.split("\n").slice(0, -1)
        expect(kept(" -")).toEqual(["first", ...asLines(old)])
        expect(kept(" +")).toEqual(["FIRST", ...asLines(now), "last"])
      }),
    )
  })
})
