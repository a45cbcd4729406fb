import { writeFileSync } from "node:fs"
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
      details: { path: "a.ts" },
    })
    expect(bench.text("a.ts")).toBe("let a = 1\nlet b = $&\nlet c = 3\n")
  })

  it("reports count and lines when old_string occurs several times", async () => {
    const bench = openBench()
    bench.put("a.ts", "x\ny\nx\n  if (z) {\n")
    expect((await bench.call("edit", { path: "a.ts", old_string: "x", new_string: "z" })).output).toBe(
      "old_string occurs 2 times in a.ts (lines 1, 3); add lines around it until it occurs once.",
    )
    expect((await bench.call("edit", { path: "a.ts", old_string: "nothing", new_string: "z" })).output).toBe(
      "old_string does not occur in a.ts.",
    )
    expect((await bench.call("edit", { path: "a.ts", old_string: "if (z) {\n\tq()", new_string: "z" })).output).toBe(
      "old_string does not occur in a.ts. Line 4 is like its first line: compare white space and what follows.",
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
    bench.put("a.bin", Buffer.from([0x78, 0xff]))
    const strings = { old_string: "x", new_string: "y" }
    expect((await bench.call("edit", { path: "a.bin", ...strings })).output).toBe(
      "a.bin is not UTF-8 text; nothing was done.",
    )
    expect((await bench.call("edit", { path: "b.bin", ...strings })).output).toBe(
      "b.bin does not exist. Did you mean a.bin?",
    )
  })
})
