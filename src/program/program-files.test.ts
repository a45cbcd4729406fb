import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
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

  it("are found by this module only, so that a build may move every other one", () => {
    const modules = globSync("src/**/*.ts", { cwd: programFolder })
    const shipped = modules.filter((path) => !/\.test\.ts$|fixtures|\/testing\/|\/generated\//.test(path))
    const finding = shipped.filter((path) => findsFiles(readFileSync(join(programFolder, path), "utf8")))
    expect(finding.toSorted()).toEqual(["src/clients/extension/resolve-sdk.ts", "src/program/program-files.ts"])
  })
})

/** `createRequire(import.meta.url)` finds packages, which works from any place. */
function findsFiles(text: string): boolean {
  return /import\.meta\.(url|dirname|filename)/.test(text.replaceAll("createRequire(import.meta.url)", ""))
}
