import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../contract/values.ts"
import { pathsOf } from "../built-in-tools.ts"
import { workbenches, type Workbench } from "../fixtures/workbench.ts"
import { realPathOf, displayPathOf } from "./paths.ts"

describe("the real path", () => {
  const openBench = workbenches()

  it("of a missing file continues from its nearest existing folder", () => {
    const bench = openBench()
    symlinkSync(bench.forbidden, join(bench.cwd, "link"))
    expect(realPathOf("link/new/file", bench.cwd)).toBe(join(bench.forbidden, "new/file"))
  })

  it("follows a link whose target does not exist yet", () => {
    const bench = openBench()
    symlinkSync("../home/new", join(bench.cwd, "link"))
    expect(realPathOf("link", bench.cwd)).toBe(join(bench.forbidden, "new"))
    expect(realPathOf("link/below", bench.cwd)).toBe(join(bench.forbidden, "new/below"))
  })

  it("is found when links form a cycle", () => {
    const bench = openBench()
    symlinkSync("b", join(bench.cwd, "a"))
    symlinkSync("a", join(bench.cwd, "b"))
    expect(realPathOf("a", bench.cwd)).toMatch(/\/[ab]$/)
  })

  it("is shown relative to the working folder only inside it", () => {
    expect(displayPathOf("/w/a/b", "/w")).toBe("a/b")
    expect(displayPathOf("/w", "/w")).toBe(".")
    expect(displayPathOf("/w/..a", "/w")).toBe("..a")
    expect(displayPathOf("/wa", "/w")).toBe("/wa")
  })

  it("is known for every call of a file tool before it runs", () => {
    const bench = openBench()
    symlinkSync(bench.forbidden, join(bench.cwd, "link"))
    expect(pathsOf("read", { path: "link/x" }, bench.cwd)).toEqual([join(bench.forbidden, "x")])
    expect(pathsOf("Write", { path: "/etc/x", content: "" }, bench.cwd)).toEqual(["/etc/x"])
    expect(pathsOf("grep", { pattern: "x" }, bench.cwd)).toEqual([bench.cwd])
    expect(pathsOf("bash", { command: "cat /etc/passwd" }, bench.cwd)).toEqual([])
    expect(pathsOf("read", { path: 5 }, bench.cwd)).toEqual([])
  })

  it("is the resource that serialises two calls that change a file", () => {
    const bench = openBench()
    bench.put("real.txt", "")
    symlinkSync("real.txt", join(bench.cwd, "link"))
    const file = `file:${join(bench.cwd, "real.txt")}`
    expect(bench.tool("write").resources({ path: "link", content: "" }, bench.cwd)).toEqual([file])
    expect(bench.tool("edit").resources({ path: "real.txt", old_string: "a", new_string: "b" }, bench.cwd)).toEqual([
      file,
    ])
    expect(bench.tool("read").resources({ path: "real.txt" }, bench.cwd)).toEqual([])
    expect(bench.tool("write").resources({ path: 5 }, bench.cwd)).toEqual([])
  })
})

describe("a folder that tools must not touch", () => {
  const openBench = workbenches()

  function fill(bench: Workbench): void {
    writeFileSync(join(bench.forbidden, "key"), "needle")
    symlinkSync(bench.forbidden, join(bench.cwd, "link"))
    symlinkSync(join(bench.forbidden, "new"), join(bench.cwd, "dangling"))
    mkdirSync(join(bench.cwd, "inner"))
    symlinkSync("../link/key", join(bench.cwd, "inner/key"))
  }

  it.for<[string, JsonValue]>([
    ["read", { path: "../home/key" }],
    ["read", { path: "link/key" }],
    ["read", { path: "inner/key" }],
    ["ls", { path: "link" }],
    ["write", { path: "link/key", content: "x" }],
    ["write", { path: "dangling", content: "x" }],
    ["write", { path: "link/deep/new", content: "x" }],
    ["edit", { path: "inner/key", old_string: "needle", new_string: "x" }],
    ["grep", { pattern: "needle", path: "link" }],
    ["grep", { pattern: "needle", path: "inner/key" }],
    ["find", { pattern: "*", path: "link/" }],
  ])("cannot be reached by %s, also not through links: %j", async ([tool, input]) => {
    const bench = openBench()
    fill(bench)
    const result = await bench.call(tool, input)
    expect(result.outcome).toBe("failed")
    expect(result.output).toMatch(/home.* is not for tools\.$/)
    expect(result.output).not.toContain("needle")
  })

  it("does not appear in a search that starts above it", async () => {
    const bench = openBench()
    fill(bench)
    bench.put("open.txt", "needle")
    const above = { path: ".." }
    expect((await bench.call("grep", { pattern: "needle", ...above })).output).toBe("open.txt:1:needle")
    expect((await bench.call("find", { pattern: "*", type: "file", ...above })).output).toBe("open.txt")
  })
})
