import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, it, onTestFinished, vi } from "vitest"
import type { Config } from "../../contract/config.ts"
import { providerChecks } from "../doctor/providers.ts"
import { runChecks } from "../doctor/run-checks.ts"
import { checkModel, modelWarnings } from "./check-model.ts"

afterEach(() => void vi.unstubAllEnvs())

function contextWith(config: Config) {
  const home = mkdtempSync(join(tmpdir(), "turnhouse-names-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return { home, cwd: home, config, ownPlaces: [], serverFiles: new Map(), trusted: true, warnings: [] }
}

const agents: Config["agents"] = {
  shop: { model: "acme/one", models: ["offline/demo", "antropic/two"], fallback: ["anthropic/claude-sonnet-5"] },
}

it("a server names every model of its agents whose provider is unknown or has no key", async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", "")
  const warnings = await modelWarnings(contextWith({ agents }))
  expect(warnings).toEqual([
    expect.stringMatching(/^agents\.shop\.model: model "acme\/one": no provider named "acme"\./),
    expect.stringMatching(/^agents\.shop\.models\.1: .* Did you mean anthropic\/two\?$/),
    expect.stringMatching(/^agents\.shop\.fallback\.0: .*Provider anthropic has no key: set ANTHROPIC_API_KEY/),
  ])
})

it("doctor reports them with what to change", async () => {
  const { home } = contextWith({})
  const config: Config = { fallback: ["acme/one", "anthropic/claude-sonet-5"] }
  const found = await runChecks(providerChecks(config, { ANTHROPIC_API_KEY: "k-0123456789", HOME: home }, home), 5000)
  expect(found.filter(({ subject }) => subject === "model")).toEqual([
    expect.objectContaining({ level: "problem", todo: 'change "fallback.0" or add its provider' }),
    expect.objectContaining({ level: "warning", todo: 'check "fallback.1"' }),
  ])
  expect(found.filter(({ subject }) => subject === "models")).toEqual([
    expect.objectContaining({ level: "ok", what: expect.stringMatching(/^data of \d{4}-\d\d-\d\d/) }),
  ])
})

it("a session is refused for its model before its fallback, which is named as such", async () => {
  const context = contextWith({ model: "acme/one", fallback: ["acme/two"] })
  await expect(checkModel(undefined, context)).rejects.toThrow(/^model "acme\/one"/)
  await expect(checkModel("offline/demo", context)).rejects.toThrow(
    /^"fallback" of the configuration: model "acme\/two"/,
  )
})
