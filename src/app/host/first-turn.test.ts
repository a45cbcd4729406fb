import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it, onTestFinished } from "vitest"
import { createModelSource } from "../../models/registry.ts"
import { prepareFirstTurn } from "./first-turn.ts"

const source = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Modules that a fresh process loads for the second script after the first one. */
function modulesOf(before: string, counted: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "first-turn-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const script = `
    import { registerHooks } from "node:module"
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    const { createModelSource } = await import(${JSON.stringify(source("models/registry.ts"))})
    const { prepareFirstTurn } = await import(${JSON.stringify(source("app/host/first-turn.ts"))})
    const providers = { local: { type: "openai-compatible", baseURL: "http://127.0.0.1:9/v1" } }
    const registry = createModelSource({ config: { providers }, env: {} })
    ${before}
    const start = loaded.length
    ${counted}
    console.log(JSON.stringify(loaded.slice(start)))`
  const args = ["--input-type=module", "-e", script]
  const output = execFileSync(process.execPath, args, { encoding: "utf8", cwd: folder })
  const names: unknown = JSON.parse(output.trim())
  return Array.isArray(names) ? names.map(String) : []
}

it("leaves no module of the provider to the first turn", () => {
  const prepare = `await prepareFirstTurn(registry, ["local/m"])`
  const turn = `await registry.resolve("local/m"); await import(${JSON.stringify(source("app/environment/environment.ts"))})`
  expect(modulesOf("", turn).length).toBeGreaterThan(50)
  expect(modulesOf(prepare, turn)).toEqual([])
}, 60_000)

it("loads no price table for a model of a server on this machine", () => {
  const loaded = modulesOf("", `await registry.resolve("local/m")`)
  expect(loaded.filter((url) => url.includes("genai-prices"))).toEqual([])
}, 60_000)

it("does not reject for a model that cannot be used, and goes on", async () => {
  const registry = createModelSource({ config: {}, env: {}, localServers: [] })
  await expect(prepareFirstTurn(registry, ["unknown/model", "offline/demo"])).resolves.toBeUndefined()
})
