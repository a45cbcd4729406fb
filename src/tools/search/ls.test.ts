import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { workbenches } from "../fixtures/workbench.ts"

describe("ls", () => {
  const openBench = workbenches()

  it("lists names in order: folders with a slash, files with their size, links with their target", async () => {
    const bench = openBench()
    bench.put("b.txt", "12345")
    bench.put("folder/x", "")
    bench.put(".hidden", "")
    symlinkSync("b.txt", join(bench.cwd, "a-link"))
    expect((await bench.call("ls", {})).output).toBe(".hidden (0 bytes)\na-link -> b.txt\nb.txt (5 bytes)\nfolder/")
    expect((await bench.call("ls", { path: "b.txt" })).output).toBe("b.txt (5 bytes)")
  })

  it("prints one line per entry even if its name has a line break", async () => {
    const bench = openBench()
    bench.put("two\nlines", "")
    expect((await bench.call("ls", {})).output).toBe("two\\x0alines (0 bytes)")
  })

  it("shows the first thousand entries in order and counts the rest", async () => {
    const bench = openBench()
    mkdirSync(join(bench.cwd, "many"))
    const names = Array.from({ length: 1005 }, (_, index) => `f${String(index).padStart(4, "0")}`)
    for (const name of names.toReversed()) writeFileSync(join(bench.cwd, "many", name), "")
    const lines = (await bench.call("ls", { path: "many" })).output.split("\n")
    expect(lines).toHaveLength(1001)
    expect(lines[999]).toBe("f0999 (0 bytes)")
    expect(lines[1000]).toBe("[5 more entries; use find with a pattern to see some of them.]")
  })

  it("reports an empty and a missing folder", async () => {
    const bench = openBench()
    mkdirSync(join(bench.cwd, "empty"))
    expect((await bench.call("ls", { path: "empty" })).output).toBe("empty is empty.")
    expect((await bench.call("ls", { path: "empy" })).output).toBe("empy does not exist. Did you mean empty?")
  })
})
