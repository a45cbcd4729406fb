import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { findModel, modelFolder, modelPackages } from "./model-packages.ts"

it("names its folder after the version of the packages", () => {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
  const version = basename(modelFolder("/home")).replace("embedding-model-", "")
  expect(manifest).toMatchObject({ devDependencies: Object.fromEntries(modelPackages.map((name) => [name, version])) })
})

it("uses the packages of the checkout before those of a home", () => {
  const home = mkdtempSync(join(tmpdir(), "turnhouse-model-"))
  onTestFinished(() => rmSync(home, { recursive: true }))
  mkdirSync(modelFolder(home), { recursive: true })
  expect(findModel(home).kind).toBe("program")
})
