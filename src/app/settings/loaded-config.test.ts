import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import type { Config } from "../../contract/config.ts"
import { startHost, type HostOptions } from "../compose.ts"

const caller = { principal: "tester", door: "run" }

/** The models of two sessions, created one after the other, when the file says `file` and the command has read `loaded`. */
async function modelsOfTwo(loaded: Config, file: Config, options: HostOptions): Promise<readonly unknown[]> {
  const home = mkdtempSync(join(tmpdir(), "loaded-config-"))
  writeFileSync(join(home, "config.json"), JSON.stringify(file))
  const context = {
    home,
    cwd: home,
    config: loaded,
    warnings: [],
    ownPlaces: [],
    serverFiles: new Map(),
    trusted: false,
  }
  const running = await startHost(context, options)
  onTestFinished(async () => {
    await running.close()
    rmSync(home, { recursive: true })
  })
  const models: unknown[] = []
  for (const origin of ["run", "run"] as const) {
    const created = await running.ownPort.create({ cwd: home, origin }, caller)
    if (created.kind === "refused") throw new Error(created.refusal.code)
    const opened = await running.host.opened(created.handle.sessionId)
    models.push(opened.kind === "opened" ? opened.session.state.model : opened.refusal.code)
  }
  return models
}

const loaded = { model: "offline/plain" }
const file = { model: "offline/other" }

it("uses the configuration that the command has read for its first session, and the files as they are for the next", async () => {
  const options = { role: "run", approvalWaitMs: undefined }
  expect(await modelsOfTwo(loaded, file, options)).toEqual(["offline/plain", "offline/other"])
})

it("reads the configuration files for every session of a persistent host", async () => {
  const options = { role: "serve", approvalWaitMs: undefined, isPersistent: true }
  expect(await modelsOfTwo(loaded, file, options)).toEqual(["offline/other", "offline/other"])
})
