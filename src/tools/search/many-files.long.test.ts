// A folder with very many files: every tool answers, in bounded memory and with a bounded result.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { limits } from "../../contract/limits.ts"
import { workbenches } from "../fixtures/workbench.ts"

const FILES = 100_000
const openBench = workbenches()

it(`lists and searches a folder with ${FILES.toLocaleString("en")} files`, { timeout: 600_000 }, async () => {
  const bench = openBench()
  const folder = join(bench.cwd, "many")
  mkdirSync(folder)
  for (let number = 0; number < FILES; number++) writeFileSync(join(folder, `f${number}.txt`), "needle\n")
  const before = process.memoryUsage().rss
  for (const [tool, input] of [
    ["ls", { path: "many" }],
    ["read", { path: "many" }],
    ["find", { pattern: "*.txt" }],
    ["find", { pattern: "*.txt", sort: "modified" }],
    ["grep", { pattern: "needle" }],
    ["grep", { pattern: "needle", output: "count" }],
  ] as const) {
    const { outcome, output } = await bench.call(tool, input)
    expect(outcome).toBe("done")
    expect(output).toMatch(/more entries;|more; make|There are more matches/)
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(limits.toolOutputBytes)
  }
  expect((await bench.call("read", { path: "many/nothing" })).output).toMatch(/does not exist/)
  expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 * 1024)
})
