import { utimesSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../contract/values.ts"
import { ownFields } from "../../contract/rules/tool-spellings.ts"
import { workbenches } from "../fixtures/workbench.ts"

describe("grep", () => {
  const openBench = workbenches()

  it.each<[string, JsonValue, string]>([
    ["lines before a match", { pattern: "two", before: 1 }, "a.txt-1-one\na.txt:2:two"],
    ["lines after a match", { pattern: "two", after: 1 }, "a.txt:2:two\na.txt-3-Two (2)"],
    ["either case", { pattern: "TWO", ignore_case: true }, "a.txt:2:two\na.txt:3:Two (2)"],
    ["plain text", { pattern: "(2)", literal: true }, "a.txt:3:Two (2)"],
    ["matches across lines", { pattern: "one.two", multiline: true }, "a.txt:1:one\na.txt:2:two"],
    ["names of files", { pattern: "o", output: "files_with_matches" }, "a.txt\nb.txt"],
    ["counts", { pattern: "o", output: "count" }, "a.txt:3\nb.txt:1"],
    ["fields of Claude Code", { pattern: "two", "-A": 1, "-n": true, "-i": false }, "a.txt:2:two\na.txt-3-Two (2)"],
    [
      "a limit, and says that there are more",
      { pattern: "o", output_mode: "content", head_limit: 1, path: "a.txt" },
      "a.txt:1:one\n[There are more matches; make the pattern or the path narrower.]",
    ],
  ])("shows %s", async (_, input, expected) => {
    const bench = openBench()
    bench.put("a.txt", "one\ntwo\nTwo (2)\n")
    bench.put("b.txt", "none\n")
    const own = ownFields("grep", input)
    expect(bench.tool("grep").problem(own)).toBeUndefined()
    expect((await bench.call("grep", own)).output).toBe(expected)
  })
})

describe("find", () => {
  const openBench = workbenches()

  it("sorts by time of modification, and takes a limit", async () => {
    const bench = openBench()
    for (const [at, name] of ["c.txt", "a.txt", "b.txt"].entries())
      utimesSync(bench.put(name, ""), 1000 + at, 1000 + at)
    const input = { pattern: "*.txt", sort: "modified" }
    expect((await bench.call("find", input)).output).toBe("b.txt\na.txt\nc.txt")
    expect((await bench.call("find", { ...input, limit: 1 })).output).toBe(
      "b.txt\n[2 more; make the pattern or the path narrower.]",
    )
  })
})
