import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it, type TestContext } from "vitest"
import type * as ProgramFiles from "./program-files.ts"
import { configSchemaFile, entryFile, launcherFile, moduleUrl, programFolder, version } from "./program-files.ts"

describe("the program's own files", () => {
  it("exist under the names that helper processes and threads are started by", () => {
    const modules = [
      "knowledge/extract/extract-thread",
      "knowledge/index/rebuild-thread",
      "knowledge/search/search-thread",
      "clients/extension/resolve-sdk",
    ]
    const files = [entryFile, launcherFile, configSchemaFile, ...modules.map(moduleUrl)]
    expect(files.filter((file) => !existsSync(file))).toEqual([])
  })

  it("have the version of package.json", () => {
    const manifest: unknown = JSON.parse(readFileSync(join(programFolder, "package.json"), "utf8"))
    expect(manifest).toMatchObject({ version: version() })
  })

  it("are data of the checkout, which change without a build, and code of the build that runs", async (test) => {
    const thread = "dist/command/thread.js"
    expect(await foundWhenBuilt(test, ["src"])).toEqual(["spec/schemas/config.json", "examples/shop", thread])
    expect(await foundWhenBuilt(test, [])).toEqual(["dist/schemas/config.json", "dist/shop", thread])
  })

  it("are found by this module only, so that a build may move every other one", () => {
    const modules = globSync("src/**/*.ts", { cwd: programFolder })
    const shipped = modules.filter((path) => !/\.test\.ts$|fixtures|\/testing\/|\/generated\//.test(path))
    const finding = shipped.filter((path) => findsFiles(readFileSync(join(programFolder, path), "utf8")))
    expect(finding.toSorted()).toEqual(["src/clients/extension/resolve-sdk.ts", "src/program/program-files.ts"])
  })
})

/** What this module finds once it is built into a folder that also has `others`. */
async function foundWhenBuilt({ onTestFinished }: TestContext, others: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-program-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const name of ["dist/command", ...others]) mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, "package.json"), '{"type":"module"}')
  const built = join(folder, "dist/command/main.js")
  writeFileSync(built, stripTypeScriptTypes(readFileSync(join(programFolder, "src/program/program-files.ts"), "utf8")))
  const files: typeof ProgramFiles = await import(/* @vite-ignore */ pathToFileURL(built).href)
  const found = [files.configSchemaFile, files.shopFolder, files.moduleUrl("app/thread").pathname]
  return found.map((path) => relative(folder, path))
}

/** `createRequire(import.meta.url)` finds packages, which works from any place. */
function findsFiles(text: string): boolean {
  return /import\.meta\.(url|dirname|filename)/.test(text.replaceAll("createRequire(import.meta.url)", ""))
}
