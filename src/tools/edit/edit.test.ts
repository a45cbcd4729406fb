import { readFileSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { workbenches } from "../fixtures/workbench.ts"

describe("edit", () => {
  const openBench = workbenches()

  it("replaces the only occurrence and shows a diff", async () => {
    const bench = openBench()
    bench.put("a.ts", "let a = 1\nlet b = 2\nlet c = 3\n")
    const result = await bench.call("edit", { path: "a.ts", old_string: "b = 2", new_string: "b = $&" })
    expect(result).toEqual({
      outcome: "done",
      output: "Changed a.ts.\n@@ line 2 @@\n let a = 1\n-let b = 2\n+let b = $&\n let c = 3",
      details: { path: "a.ts", diff: { added: 1, removed: 1, lines: expect.any(Array) } },
    })
    expect(bench.text("a.ts")).toBe("let a = 1\nlet b = $&\nlet c = 3\n")
  })

  it("says what it would change before it runs, where it would not fail", async () => {
    const bench = openBench()
    bench.put("a.ts", "a\nb\na\n")
    const changes = (old_string: string) =>
      bench.tool("edit").changes?.({ path: "a.ts", old_string, new_string: "x", replace_all: true }, bench.context())
    expect(await changes("a")).toEqual({
      kind: "changes",
      changes: [
        {
          path: "a.ts",
          added: 2,
          removed: 2,
          lines: [
            { sign: "-", at: 1, text: "a" },
            { sign: "+", at: 1, text: "x" },
            { sign: " ", at: 2, text: "b" },
            { sign: "-", at: 3, text: "a" },
            { sign: "+", at: 3, text: "x" },
          ],
        },
      ],
    })
    expect(await changes("c")).toEqual({ kind: "unknown" })
    expect(bench.text("a.ts")).toBe("a\nb\na\n")
  })

  it("reports count and lines when old_string occurs several times", async () => {
    const bench = openBench()
    bench.put("a.ts", "x\ny\nx\n  if (z) {\n")
    expect((await bench.call("edit", { path: "a.ts", old_string: "x", new_string: "z" })).output).toBe(
      "old_string occurs 2 times in a.ts (lines 1, 3); add lines around it until it occurs once, or set replace_all.",
    )
    expect((await bench.call("edit", { path: "a.ts", old_string: "nothing", new_string: "z" })).output).toBe(
      "old_string does not occur in a.ts.",
    )
    expect((await bench.call("edit", { path: "a.ts", old_string: "if (z) {\n\tq()", new_string: "z" })).output).toBe(
      "old_string does not occur in a.ts. The nearest lines are:\n     4\t  if (z) {\n     5\t",
    )
    expect(bench.text("a.ts")).toBe("x\ny\nx\n  if (z) {\n")
  })

  it("keeps the byte order mark and the line endings of the file", async () => {
    const bench = openBench()
    bench.put("a.txt", "\ufeffone\r\ntwo\r\nthree\r\n")
    await bench.call("read", { path: "a.txt" })
    const result = await bench.call("edit", { path: "a.txt", old_string: "one\ntwo\n", new_string: "1\n2\n2½\n" })
    expect(result.outcome).toBe("done")
    expect(bench.text("a.txt")).toBe("\ufeff1\r\n2\r\n2½\r\nthree\r\n")
  })

  it("does not change a file that another program changed since it was read", async () => {
    const bench = openBench()
    const file = bench.put("a.txt", "one\n")
    await bench.call("read", { path: "a.txt" })
    writeFileSync(file, "one\nmore\n")
    const input = { path: "a.txt", old_string: "one", new_string: "1" }
    expect((await bench.call("edit", input)).output).toMatch(/^a\.txt was changed by another program/)
    await bench.call("read", { path: "a.txt" })
    expect((await bench.call("edit", input)).outcome).toBe("done")
    expect((await bench.call("edit", { ...input, old_string: "1\n", new_string: "2\n" })).outcome).toBe("done")
    expect(bench.text("a.txt")).toBe("2\nmore\n")
  })

  it.each([["no change at all", { old_string: "x", new_string: "x" }, /are the same; nothing was done/]])(
    "refuses %s",
    async (_, strings, sentence) => {
      const bench = openBench()
      bench.put("a.txt", "x")
      const result = await bench.call("edit", { path: "a.txt", ...strings })
      expect(result.outcome).toBe("failed")
      expect(result.output).toMatch(sentence)
      expect(bench.text("a.txt")).toBe("x")
    },
  )

  it("refuses a binary file, and suggests a similar name for a missing one", async () => {
    const bench = openBench()
    bench.put("a.bin", Buffer.from([0x78, 0xff, 0x00]))
    const strings = { old_string: "x", new_string: "y" }
    expect((await bench.call("edit", { path: "a.bin", ...strings })).output).toBe(
      "a.bin is not text; nothing was done.",
    )
    expect((await bench.call("edit", { path: "b.bin", ...strings })).output).toBe(
      "b.bin does not exist. Did you mean a.bin?",
    )
  })

  it("replaces every occurrence with replace_all, and says how many", async () => {
    const bench = openBench()
    bench.put("a.ts", "old(1)\r\nkeep\r\nold(2)\r\n")
    const input = { path: "a.ts", old_string: "old(", new_string: "renamed(", replace_all: true }
    expect((await bench.call("edit", input)).output).toMatch(/^Changed a\.ts in 2 places\./)
    expect(bench.text("a.ts")).toBe("renamed(1)\r\nkeep\r\nrenamed(2)\r\n")
  })

  it("says that an edit cannot be made because of one before it", async () => {
    const bench = openBench()
    bench.put("a.ts", "one two three\n")
    const edits = [
      { old_string: "one two", new_string: "1 2" },
      { old_string: "two three", new_string: "2 3" },
    ]
    const { output } = await bench.call("edit", { path: "a.ts", edits })
    expect(output).toContain("The edits before it changed that place: join them into one. Nothing was done.")
  })

  it("refuses edits that let a file grow without end", async () => {
    const bench = openBench()
    bench.put("a.ts", "a".repeat(100_000))
    const double = { old_string: "a".repeat(1000), new_string: "a".repeat(8000), replace_all: true }
    const result = await bench.call("edit", { path: "a.ts", edits: Array.from({ length: 200 }, () => double) })
    expect(result.output).toBe("Edit 3 of 200: a.ts would become too large. Nothing was done.")
    expect(bench.text("a.ts")).toHaveLength(100_000)
  })

  it("makes several edits in order, or none of them", async () => {
    const bench = openBench()
    bench.put("a.ts", "one\ntwo\n")
    const first = { old_string: "one", new_string: "1" }
    const failing = await bench.call("edit", { path: "a.ts", edits: [first, { old_string: "three", new_string: "3" }] })
    expect(failing).toMatchObject({
      outcome: "failed",
      output: "Edit 2 of 2: old_string does not occur in a.ts. Nothing was done.",
    })
    expect(bench.text("a.ts")).toBe("one\ntwo\n")
    const edits = [first, { old_string: "1\ntwo", new_string: "1 and 2" }]
    expect((await bench.call("edit", { path: "a.ts", edits })).outcome).toBe("done")
    expect(bench.text("a.ts")).toBe("1 and 2\n")
  })

  it.each([
    ["nothing to do", { path: "a" }],
    ["no new text", { path: "a", old_string: "x" }],
    ["both forms", { path: "a", old_string: "x", new_string: "y", edits: [{ old_string: "x", new_string: "y" }] }],
  ])("is refused with %s", (_, input) => {
    const sentence = "edit needs either old_string and new_string, or edits."
    expect(openBench().tool("edit").problem(input)).toBe(sentence)
  })

  it("names the nearest field of an edit", () => {
    const input = { path: "a", edits: [{ old: "x", new_string: "y" }] }
    expect(openBench().tool("edit").problem(input)).toMatch(/^'edits\.0' of edit has no field 'old'; did you mean/)
  })

  it("finds lines with another indentation, and says so", async () => {
    const bench = openBench()
    bench.put("a.go", "func f() {\n\tif x {\n\t\ty()\n\t}\n}\n")
    const result = await bench.call("edit", {
      path: "a.go",
      old_string: "  if x {\n    y()\n  }",
      new_string: "  if x {\n    y()\n    if z {\n      w()\n    }\n  }",
    })
    expect(result.output).toContain(
      "[old_string was found at line 2 only by ignoring indentation; new_string got the indentation of the file.]",
    )
    expect(bench.text("a.go")).toBe("func f() {\n\tif x {\n\t\ty()\n\t\tif z {\n\t\t\tw()\n\t\t}\n\t}\n}\n")
  })

  it("does not guess between two places that differ in white space only", async () => {
    const bench = openBench()
    bench.put("a.ts", "  x()\n    x()\n")
    const result = await bench.call("edit", { path: "a.ts", old_string: "\tx()\n", new_string: "y()\n" })
    expect(result.output).toBe(
      "old_string occurs 2 times in a.ts if indentation is ignored (lines 1, 2); add lines around it until it occurs once.",
    )
  })

  it("shows the nearest lines when nothing matches", async () => {
    const bench = openBench()
    bench.put("a.ts", "const a = 1\nconst total = sum(prices)\nreturn total\n")
    const input = { path: "a.ts", old_string: "const total = sum(price)\nreturn 0\n", new_string: "x" }
    expect((await bench.call("edit", input)).output).toBe(
      "old_string does not occur in a.ts. The nearest lines are:\n     2\tconst total = sum(prices)\n     3\treturn total\n     4\t",
    )
  })

  it("says when old_string has the line numbers of a read", async () => {
    const bench = openBench()
    bench.put("a.ts", "one\ntwo\n")
    const input = { path: "a.ts", old_string: "     1\tone\n     2\ttwo", new_string: "x" }
    expect((await bench.call("edit", input)).output).toMatch(/has the line numbers that read shows: leave them out\.$/)
  })

  it.each([
    ["UTF-16", Buffer.from("\ufeffeins\r\nzwei\r\n", "utf16le"), Buffer.from("\ufeffeins\r\n2 → 3\r\n", "utf16le")],
    ["UTF-16 without a mark", Buffer.from("eins\nzwei\n", "utf16le"), Buffer.from("eins\n2 → 3\n", "utf16le")],
  ])("keeps the encoding %s", async (_, before, after) => {
    const bench = openBench()
    const file = bench.put("a.txt", before)
    await bench.call("read", { path: "a.txt" })
    const edited = await bench.call("edit", { path: "a.txt", old_string: "zwei", new_string: "2 → 3" })
    expect(edited.outcome).toBe("done")
    expect(readFileSync(file)).toEqual(after)
  })

  it("keeps Latin-1, and refuses a character that it does not have", async () => {
    const bench = openBench()
    const file = bench.put("a.txt", Buffer.from("caf\u00e9\n", "latin1"))
    expect((await bench.call("read", { path: "a.txt" })).output).toBe(
      "     1\tcafé\n[The file is Windows-1252 (Latin-1); edit and write keep that.]",
    )
    await bench.call("edit", { path: "a.txt", old_string: "café", new_string: "thé" })
    expect(readFileSync(file)).toEqual(Buffer.from("th\u00e9\n", "latin1"))
    const refused = await bench.call("edit", { path: "a.txt", old_string: "thé", new_string: "→" })
    expect(refused.output).toMatch(/^a\.txt is Windows-1252 \(Latin-1\), which has no '→'; nothing was done\./)
    await bench.call("write", { path: "a.txt", content: "déjà\n" })
    expect(readFileSync(file)).toEqual(Buffer.from("d\u00e9j\u00e0\n", "latin1"))
  })
})
