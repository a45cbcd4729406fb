import { execFileSync } from "node:child_process"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { limits } from "../../contract/limits.ts"
import { markedPids } from "../../processes/fixtures/marked.ts"
import { workbenches, type Workbench } from "../fixtures/workbench.ts"
import { globMatcher } from "../../contract/text/glob.ts"

function fill(bench: Workbench): void {
  bench.put(".gitignore", "build/\n*.log\n")
  bench.put("src/a.ts", "one\nneedle a\nthree\n")
  bench.put("src/deep/b.test.ts", "needle b\n")
  bench.put("src/c.md", "needle c\n")
  bench.put(".config/d.ts", "needle d\n")
  bench.put("build/e.ts", "needle e\n")
  bench.put("f.log", "needle f\n")
  bench.put(".git/g.ts", "needle g\n")
}

describe("grep", () => {
  const openBench = workbenches()

  it("finds lines in files that are not ignored and not in .git", async () => {
    const bench = openBench()
    fill(bench)
    expect(await bench.call("grep", { pattern: "need.e" })).toEqual({
      outcome: "done",
      output: [
        ".config/d.ts:1:needle d",
        "src/a.ts:2:needle a",
        "src/c.md:1:needle c",
        "src/deep/b.test.ts:1:needle b",
      ].join("\n"),
      details: { matches: 4, truncated: false },
    })
  })

  it.each([
    ["*.ts", ".config/d.ts src/a.ts src/deep/b.test.ts"],
    ["src/**/*.ts", "src/a.ts src/deep/b.test.ts"],
    ["*.{md,log}", "src/c.md"],
    ["!*.ts", "src/c.md"],
    ["src/{a.ts,c.md}", "src/a.ts src/c.md"],
  ])("searches only files that match %s, and still obeys .gitignore", async (include, expected) => {
    const bench = openBench()
    fill(bench)
    const { output } = await bench.call("grep", { pattern: "needle", include })
    expect(output.split("\n").map((line) => line.split(":")[0])).toEqual(expected.split(" "))
  })

  it("shows lines around a match, and paths relative to the working folder", async () => {
    const bench = openBench()
    fill(bench)
    const around = "src/a.ts-1-one\nsrc/a.ts:2:needle a\nsrc/a.ts-3-three"
    expect((await bench.call("grep", { pattern: "needle a", path: "src", context: 1 })).output).toBe(around)
    expect((await bench.call("grep", { pattern: "needle a", path: "src/a.ts", context: 1 })).output).toBe(around)
    expect((await bench.call("grep", { pattern: "needle a" }, { cwd: join(bench.cwd, "src/deep") })).output).toBe(
      "Nothing matches.",
    )
    const outside = await bench.call("grep", { pattern: "needle c", path: ".." }, { cwd: join(bench.cwd, "src/deep") })
    expect(outside.output).toBe(`${bench.cwd}/src/c.md:1:needle c`)
  })

  it("treats a pattern that looks like an option as a pattern", async () => {
    const bench = openBench()
    bench.put("a.txt", "--files\n")
    expect((await bench.call("grep", { pattern: "--files" })).output).toBe("a.txt:1:--files")
  })

  it("reports what is wrong with a pattern or a glob", async () => {
    const bench = openBench()
    const bad = await bench.call("grep", { pattern: "(" })
    expect(bad.outcome).toBe("failed")
    expect(bad.output).toContain("unclosed group")
    expect((await bench.call("grep", { pattern: "x", include: "[z-a]" })).outcome).toBe("failed")
    expect((await bench.call("grep", { pattern: "x", path: "nowhere" })).output).toBe("nowhere does not exist.")
  })

  it("stops after 500 matches and cuts long lines", async () => {
    const bench = openBench()
    bench.put("many.txt", "needle\n".repeat(100_000))
    const many = await bench.call("grep", { pattern: "needle" })
    expect(many.output.split("\n")).toHaveLength(501)
    expect(many.output).toMatch(/\[There are more matches; make the pattern or the path narrower\.\]$/)
    expect(many.details).toEqual({ matches: 500, truncated: true })
    bench.put("many.txt", `needle ${"x".repeat(1_000_000)}\n`)
    const long = await bench.call("grep", { pattern: "needle" })
    expect(long.output.length).toBeLessThan(700)
  })

  it("keeps output with context lines within the limit of all tools", async () => {
    const bench = openBench()
    bench.put("wide.txt", `needle\n${`${"x".repeat(400)}\n`.repeat(20)}`.repeat(500))
    const { output } = await bench.call("grep", { pattern: "needle", context: 20 })
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(limits.toolOutputBytes)
  })

  it.skipIf(process.getuid?.() === 0)("reports that files could not be read", async () => {
    const bench = openBench()
    chmodSync(bench.put("closed.txt", "needle"), 0)
    expect((await bench.call("grep", { pattern: "needle" })).output).toBe(
      "Nothing matches.\n[Some files could not be read.]",
    )
  })

  it("refuses a FIFO without blocking", async () => {
    const bench = openBench()
    execFileSync("mkfifo", [join(bench.cwd, "fifo")])
    expect((await bench.call("grep", { pattern: "x", path: "fifo" })).output).toBe(
      "fifo is a FIFO, not a regular file.",
    )
    expect((await bench.call("grep", { pattern: "x" })).output).toBe("Nothing matches.")
  })

  it("ends its process when the call is cancelled", async () => {
    const bench = openBench()
    bench.put("a.txt", "needle")
    const controller = new AbortController()
    const running = bench.call("grep", { pattern: "needle" }, { signal: controller.signal })
    controller.abort()
    expect(await running).toEqual({ outcome: "failed", output: "The call was cancelled." })
    expect(await markedPids(bench.mark)).toEqual([])
  })
})

describe("find", () => {
  const openBench = workbenches()

  it.each([
    [{ pattern: "*.ts" }, ".config/d.ts src/a.ts src/deep/b.test.ts"],
    [{ pattern: "**/*.test.ts" }, "src/deep/b.test.ts"],
    [{ pattern: "src/*" }, "src/a.ts src/c.md src/deep/"],
    [{ pattern: "d*", type: "directory" }, "src/deep/"],
    [{ pattern: "d*", type: "file" }, ".config/d.ts"],
    [{ pattern: "src/" }, "src/"],
    [{ pattern: "*.md", path: "src" }, "src/c.md"],
    [{ pattern: "*.rs" }, "Nothing matches."],
    [{ pattern: "*.log" }, "Nothing matches."],
  ])("%j", async (input, expected) => {
    const bench = openBench()
    fill(bench)
    const { outcome, output } = await bench.call("find", input)
    expect(outcome).toBe("done")
    expect(output.replaceAll("\n", " ")).toBe(expected)
  })

  it("shows the first 500 paths in order and counts the rest", async () => {
    const bench = openBench()
    for (let index = 0; index < 600; index++) bench.put(`f${String(index).padStart(3, "0")}`, "")
    const lines = (await bench.call("find", { pattern: "f*" })).output.split("\n")
    expect(lines).toHaveLength(501)
    expect(lines[499]).toBe("f499")
    expect(lines[500]).toBe("[100 more; make the pattern or the path narrower.]")
  })
})

describe("a glob", () => {
  it.each([
    ["*.ts", "deep/a.ts", true],
    ["*.ts", "a.tsx", false],
    ["a?c", "abc", true],
    ["a?c", "a/c", false],
    ["src/*.ts", "src/deep/a.ts", false],
    ["src/**", "src/deep/a.ts", true],
    ["**/a.ts", "a.ts", true],
    ["**/**/a.ts", "x/y/a.ts", true],
    ["./src/*.ts", "src/a.ts", true],
    ["{a,b}.{ts,js}", "b.js", true],
    ["a,b", "a,b", true],
    ["[!a]x", "bx", true],
    ["[!a]x", "ax", false],
    ["[a-c]x", "bx", true],
    [String.raw`\*`, "*", true],
    [String.raw`\*`, "a", false],
    ["(a|b)+$", "(a|b)+$", true],
    ["{a", "{a", false],
    ["a}", "a}", true],
  ])("%s and %s: %s", (glob, path, expected) => {
    expect(globMatcher(glob)?.(path)).toBe(expected)
  })

  it("is rejected when it is invalid", () => {
    expect(globMatcher("[z-a]")).toBeUndefined()
  })
})
