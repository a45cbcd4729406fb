import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { ConfigFault } from "./faults.ts"
import { settingSources } from "./setting-sources.ts"

let home: string
let cwd: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "turnhouse-sources-"))
  cwd = join(home, "shop")
  mkdirSync(cwd)
})
afterEach(() => rmSync(home, { recursive: true }))

const trust = { state: "trusted", folder: "", files: ["turnhouse.json"], warnings: [] } as const

async function sources() {
  const found = await settingSources({ env: {}, cwd, home, trust })
  return found.map(({ key, value, files }) => [key, value, files.map((file) => file.replace(`${home}/`, ""))])
}

it("has no settings without files", async () => {
  expect(await sources()).toEqual([])
})

it("names the file of each setting, and both where the project adds to a list", async () => {
  writeFileSync(join(home, "config.json"), '{ "model": "a/b", "tools": { "deny": ["bash"], "mode": "Core" } }')
  writeFileSync(join(cwd, "turnhouse.json"), '{ "model": "a/c", "tools": { "deny": ["write"] } }')
  expect(await sources()).toEqual([
    ["model", "a/c", ["config.json", "shop/turnhouse.json"]],
    ["tools.deny", ["bash", "write"], ["config.json", "shop/turnhouse.json"]],
    ["tools.mode", "Core", ["config.json"]],
  ])
})

it("throws for a file with a mistake, as commands do", async () => {
  writeFileSync(join(home, "config.json"), '{ "modle": "a/b" }')
  await expect(sources()).rejects.toThrow(ConfigFault)
})
