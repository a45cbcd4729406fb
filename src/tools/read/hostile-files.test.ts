// Files that are huge, that change while they are read, or that lead nowhere: every call ends, and says why.
import { appendFileSync, mkdirSync, openSync, closeSync, ftruncateSync, symlinkSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { limits } from "../../contract/limits.ts"
import type { TextScrubber } from "../tool.ts"
import { workbenches, type Workbench } from "../fixtures/workbench.ts"

/** Calls `act` once, as soon as the tool has begun to show lines. */
function whileReading(act: () => void): TextScrubber {
  let isDone = false
  const once = () => {
    if (!isDone) act()
    isDone = true
  }
  return {
    text: (value) => value,
    stream: () => {
      once()
      return { push: (piece) => piece, end: () => "" }
    },
  }
}

function sparse(bench: Workbench, name: string, bytes: number): void {
  const file = openSync(join(bench.cwd, name), "w")
  ftruncateSync(file, bytes)
  closeSync(file)
}

describe("a hostile file", () => {
  const openBench = workbenches()

  it("of 2 GB is bounded for every tool", async () => {
    const bench = openBench()
    sparse(bench, "huge", 2 * 1024 ** 3)
    const before = process.memoryUsage().rss
    expect((await bench.call("read", { path: "huge" })).output).toMatch(/^huge is binary data of 2,147,483,648 bytes/)
    const edit = { path: "huge", old_string: "a", new_string: "b" }
    expect((await bench.call("edit", edit)).output).toMatch(/^huge is larger than/)
    expect((await bench.call("write", { path: "huge", content: "" })).output).toMatch(/^huge exists and was not read/)
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024)
  })

  it.each<[string, (path: string) => void]>([
    ["grows", (path) => appendFileSync(path, "more\n")],
    ["shrinks", (path) => truncateSync(path, 3000)],
  ])("that %s while it is read is shown with a notice, and not overwritten", async (_, change) => {
    const bench = openBench()
    const path = bench.put("log", `${"x".repeat(2500)}\n${"line\n".repeat(100_000)}`)
    const scrubber = whileReading(() => change(path))
    const { outcome, output } = await bench.call("read", { path: "log" }, { scrubber })
    expect(outcome).toBe("done")
    expect(output).toContain("[The file was changed while it was read; read it again before you rely on it.]")
    expect(output.length).toBeLessThanOrEqual(limits.toolOutputForModel)
  })

  it("behind a loop of links is reported by every tool", async () => {
    const bench = openBench()
    mkdirSync(join(bench.cwd, "folder"))
    symlinkSync("..", join(bench.cwd, "folder/up"))
    symlinkSync("two", join(bench.cwd, "one"))
    symlinkSync("one", join(bench.cwd, "two"))
    bench.put("folder/a.txt", "needle\n")
    for (const [tool, input] of [
      ["read", { path: "one" }],
      ["write", { path: "one/x", content: "" }],
      ["edit", { path: "one", old_string: "a", new_string: "b" }],
      ["grep", { pattern: "x", path: "one" }],
    ] as const)
      expect((await bench.call(tool, input)).outcome).toBe("failed")
    expect((await bench.call("grep", { pattern: "needle" })).output).toBe("folder/a.txt:1:needle")
    expect((await bench.call("read", { path: "folder/up/folder/up/folder/a.txt" })).output).toBe("     1\tneedle")
  })
})
