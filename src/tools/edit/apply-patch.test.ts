import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { pathDiffsOf } from "../../contract/rules/file-diff.ts"
import { workbenches } from "../fixtures/workbench.ts"

function patch(...lines: string[]) {
  return { input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") }
}

describe("apply_patch", () => {
  const openBench = workbenches()

  it("adds, updates, moves and deletes files in one call", async () => {
    const bench = openBench()
    bench.put("a.ts", "class A {\n  f() {\n    return 1\n  }\n}\n")
    bench.put("b.ts", "old\r\nkeep\r\n")
    bench.put("c.ts", "gone\n")
    const result = await bench.call(
      "apply_patch",
      patch(
        "*** Update File: a.ts",
        "@@ class A {",
        "@@ f() {",
        "-    return 1",
        "+    return 2",
        "*** Update File: b.ts",
        "*** Move to: sub/b.ts",
        "@@",
        "-old",
        "+new",
        " keep",
        "*** Delete File: c.ts",
        "*** Add File: sub/d.ts",
        "+one",
        "+two",
      ),
    )
    expect(result.outcome).toBe("done")
    expect(result.output).toMatch(/^Changed a\.ts\.\n@@ line 3 @@/)
    const counts = pathDiffsOf(result.details).map(({ path, added, removed }) => [path, added, removed])
    expect(counts).toEqual([
      ["a.ts", 1, 1],
      ["sub/b.ts", 2, 0],
      ["b.ts", 0, 2],
      ["c.ts", 0, 1],
      ["sub/d.ts", 2, 0],
    ])
    expect(bench.text("a.ts")).toBe("class A {\n  f() {\n    return 2\n  }\n}\n")
    expect(bench.text("sub/b.ts")).toBe("new\r\nkeep\r\n")
    expect(bench.text("sub/d.ts")).toBe("one\ntwo\n")
    expect(["b.ts", "c.ts"].filter((name) => existsSync(join(bench.cwd, name)))).toEqual([])
  })

  it.each([
    [
      "lines that do not occur",
      ["*** Update File: b.ts", "@@", "-nothing", "+x"],
      /b\.ts does not have these lines:\nnothing/,
    ],
    ["a missing file", ["*** Delete File: none.ts"], /^none\.ts does not exist\./],
    ["a file that exists", ["*** Add File: b.ts", "+x"], /^b\.ts exists already; update it instead\./],
    ["a forbidden path", ["*** Add File: ../home/x", "+x"], /is not for tools\./],
    ["a file named twice", ["*** Delete File: a.ts"], /^The patch names a file twice\./],
  ])("changes no file because of %s", async (_, lines, reason) => {
    const bench = openBench()
    bench.put("a.ts", "one\n")
    bench.put("b.ts", "two\n")
    const change = ["*** Update File: a.ts", "@@", "-one", "+1"]
    const { outcome, output } = await bench.call("apply_patch", patch(...change, ...lines))
    expect(outcome).toBe("failed")
    expect(output).toMatch(reason)
    expect(output).toMatch(/No file was changed\.$/)
    expect([bench.text("a.ts"), bench.text("b.ts")]).toEqual(["one\n", "two\n"])
  })

  it("does not change a file that another program changed since it was read", async () => {
    const bench = openBench()
    const file = bench.put("a.ts", "one\n")
    await bench.call("read", { path: "a.ts" })
    writeFileSync(file, "one\nmore\n")
    const { output } = await bench.call("apply_patch", patch("*** Update File: a.ts", "@@", "-one", "+1"))
    expect(output).toMatch(/^a\.ts was changed by another program since it was read/)
  })

  it("finds lines with other white space, appends at the end, and keeps the white space of context", async () => {
    const bench = openBench()
    bench.put("a.py", "def f():\n    x = 1  \n    return x\n")
    const lines = ["@@ def f():", " x = 1", "-return x", "+    return x + 1", "@@", "+# end", "*** End of File"]
    expect((await bench.call("apply_patch", patch("*** Update File: a.py", ...lines))).outcome).toBe("done")
    expect(bench.text("a.py")).toBe("def f():\n    x = 1  \n    return x + 1\n# end\n")
  })

  it.each([
    ["*** Update File: a", "The patch cannot be read: line 1: the first line must be"],
    ["*** Begin Patch\n*** Update File: a\n@@\n*oops\n*** End Patch", "line 4: a line of a change must begin with"],
    ["*** Begin Patch\n*** Update File: a\n@@\n-a", "line 5: "],
  ])("is refused before it runs if it cannot be read: %j", (input, reason) => {
    expect(openBench().tool("apply_patch").problem({ input })).toContain(reason)
  })

  it("changes a line of a file with very many lines", async () => {
    const bench = openBench()
    bench.put("long.txt", "a\n".repeat(200_000) + "b\n")
    const result = await bench.call("apply_patch", patch("*** Update File: long.txt", "@@", "-b", "+c"))
    expect(result.outcome).toBe("done")
    expect(bench.text("long.txt")).toBe("a\n".repeat(200_000) + "c\n")
  })

  it("keeps the line end of every line that it does not change", async () => {
    const bench = openBench()
    bench.put("mixed.txt", "a\r\nb\nc\r\nd")
    await bench.call("apply_patch", patch("*** Update File: mixed.txt", "@@", " a", "-b", "+B", "+B2", " c"))
    expect(bench.text("mixed.txt")).toBe("a\r\nB\nB2\nc\r\nd")
  })

  it("accepts an empty line behind a change that is not in the file", async () => {
    const bench = openBench()
    bench.put("a.txt", "a\nb\n")
    await bench.call("apply_patch", patch("*** Update File: a.txt", "@@", " a", "-b", "+c", ""))
    expect(bench.text("a.txt")).toBe("a\nc\n")
  })

  it("keeps mode and encoding of a file that it moves", async () => {
    const bench = openBench()
    writeFileSync(join(bench.cwd, "a.sh"), Buffer.from("# caf\u00e9\ntrue\n", "latin1"))
    chmodSync(join(bench.cwd, "a.sh"), 0o750)
    await bench.call("apply_patch", patch("*** Update File: a.sh", "*** Move to: b.sh", "@@", "-true", "+false"))
    expect(readFileSync(join(bench.cwd, "b.sh"), "latin1")).toBe("# caf\u00e9\nfalse\n")
    expect(statSync(join(bench.cwd, "b.sh")).mode & 0o777).toBe(0o750)
  })

  it("refuses to delete a symbolic link instead of deleting the file that it leads to", async () => {
    const bench = openBench()
    bench.put("a.txt", "a\n")
    symlinkSync("a.txt", join(bench.cwd, "link.txt"))
    const result = await bench.call("apply_patch", patch("*** Delete File: link.txt"))
    expect(result.output).toBe("link.txt is a symbolic link; move or delete it with bash. No file was changed.")
    expect(bench.text("a.txt")).toBe("a\n")
  })
})
