// The language server of the TypeScript that this repository uses.
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { workbenches } from "../fixtures/workbench.ts"

const tsc = fileURLToPath(new URL("../../../node_modules/.bin/tsc", import.meta.url))
const typescript = { command: [process.execPath, tsc, "--lsp", "--stdio"], files: ["**/*.ts"], timeout: 60 }
const config = JSON.stringify({ compilerOptions: { strict: true, noEmit: true, types: [] }, include: ["src"] })
const typeError = "Type 'number' is not assignable to type 'string'. (ts 2322)"

describe("the language server of TypeScript", () => {
  const openBench = workbenches({ languageServers: { typescript } })

  it("reports new errors after an edit, then nothing once they are fixed", async () => {
    const bench = openBench()
    bench.put("tsconfig.json", config)
    bench.put("src/a.ts", "export const old: string = 1\nexport const a: string = ''\n")
    const broken = await bench.call("edit", {
      path: "src/a.ts",
      old_string: "a: string = ''",
      new_string: "a: string = 2",
    })
    expect(broken.output).toBe(
      [
        "Changed src/a.ts.",
        "@@ line 2 @@",
        " export const old: string = 1",
        "-export const a: string = ''",
        "+export const a: string = 2",
        "[typescript reports 1 new error after this change:]",
        `src/a.ts:2:14: error: ${typeError}`,
        "[typescript: 1 earlier error remains: src/a.ts:1]",
      ].join("\n"),
    )
    const fixed = await bench.call("edit", { path: "src/a.ts", old_string: "a: string = 2", new_string: "a = 2" })
    expect(fixed.output).toMatch(/\n\+export const a = 2\n\[typescript: 1 earlier error remains: src\/a\.ts:1\]$/)
    const clean = await bench.call("edit", { path: "src/a.ts", old_string: "old: string", new_string: "old" })
    expect(clean.output).toMatch(/\+export const old = 1\n.*$/)
    expect(clean.output).not.toContain("typescript")
  })

  it("reports every file of a patch, also errors in one that another one causes", async () => {
    const bench = openBench()
    bench.put("tsconfig.json", config)
    bench.put("src/a.ts", "export const a = 'one'\n")
    bench.put("src/gone.ts", "export {}\n")
    const input = [
      "*** Begin Patch",
      "*** Update File: src/a.ts",
      "@@",
      "-export const a = 'one'",
      "+export const a = 1",
      "*** Add File: src/b.ts",
      "+import { a } from './a'",
      "+export const b: string = a",
      "+export const c: string = 3",
      "*** Delete File: src/gone.ts",
      "*** End Patch",
    ].join("\n")
    const { outcome, output } = await bench.call("apply_patch", { input })
    expect(outcome).toBe("done")
    expect(output).toContain("reports 2 errors after this change:]\n")
    expect(output).toContain(`src/b.ts:2:14: error: ${typeError}\nsrc/b.ts:3:14: error: ${typeError}`)
    const written = await bench.call("write", {
      path: "src/c.ts",
      content: "import './gone'\nimport { b } from './b'\nb.none\n",
    })
    expect(written.output).toMatch(/^Created src\/c\.ts \(\d+ bytes\)\.\n\[typescript reports 2 errors after/)
    expect(written.output).toContain("src/c.ts:3:3: error: Property 'none' does not exist on type 'string'. (ts 2339)")
  })

  it("sees what a command has changed in a file that was edited before", async () => {
    const bench = openBench()
    bench.put("tsconfig.json", config)
    await bench.call("write", { path: "src/a.ts", content: "export const a = 1\n" })
    bench.put("src/a.ts", "export const renamed = 1\n")
    const { output } = await bench.call("write", {
      path: "src/b.ts",
      content: "import { renamed } from './a'\nexport { renamed }\n",
    })
    expect(output).toBe("Created src/b.ts (49 bytes).")
  })

  it("is not started for other files and for files outside of the folder", async () => {
    const bench = openBench()
    expect((await bench.call("write", { path: "a.txt", content: "x" })).output).toBe("Created a.txt (1 bytes).")
    expect((await bench.call("write", { path: "../b.ts", content: "x y" })).output).toMatch(
      /^Created .*b\.ts \(3 bytes\)\.$/,
    )
    expect(bench.processes.groups.size).toBe(0)
  })
})
