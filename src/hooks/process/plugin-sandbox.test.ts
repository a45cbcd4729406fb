import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { openSandbox } from "../../processes/sandbox.ts"
import { systemClock } from "./clock.ts"
import { Extension } from "./extension.ts"
import { extensionDeps, specOf, temporaryFolder, writeManifest } from "../fixtures/plugins.ts"
import { pluginStarter, type PluginSandboxOptions } from "./plugin-sandbox.ts"
import { SessionCommands } from "../commands/session-commands.ts"

const hookMs = 5000

function starterThat(more: Partial<PluginSandboxOptions> = {}) {
  const sandbox = openSandbox({ mode: "off", hidden: [], warn: () => {} })
  const folder = temporaryFolder()
  return pluginStarter({
    sandbox,
    cwd: folder,
    synaps: folder,
    isOwn: () => true,
    refusal: () => Promise.resolve(undefined),
    ...more,
  })
}

describe("a plugin whose files have changed since they were accepted", () => {
  it("is not restarted after its process has ended", async () => {
    let why: string | undefined
    const { prepare } = starterThat({ refusal: () => Promise.resolve(why) })
    const extension = new Extension(specOf({ manner: "exit after reply" }), extensionDeps({ prepare }))
    onTestFinished(() => extension.stop())
    expect(await extension.start()).toMatchObject({ kind: "started" })
    why = "its files have changed"
    const ask = () => extension.request("hook.handle", { kind: "x" }, { ms: hookMs, from: "written" })
    await ask()
    expect(await ask()).toEqual({ kind: "fault", reason: "its files have changed" })
    expect(extension.pid).toBeUndefined()
  })

  it("runs no command and provides no prompt", async () => {
    const root = temporaryFolder()
    const folder = writeManifest(root, "p", {})
    const starter = starterThat({ refusal: () => Promise.resolve("its files have changed") })
    const about = { plugin: "p", folder, description: "", usage: undefined }
    const program = { kind: "program", command: "touch", args: ["done"], env: {}, needs: undefined } as const
    const { processes } = extensionDeps()
    const commands = new SessionCommands(
      [
        { ...about, name: "p:go", ownName: "go", action: program },
        { ...about, name: "p:say", ownName: "say", action: { kind: "prompt", prompt: "Say.", skill: undefined } },
      ],
      [],
      { processes, owner: "s", starter, clock: systemClock, ms: 1000 },
    )
    const { signal } = new AbortController()
    const refused = { kind: "failed", why: "its files have changed" }
    expect(await commands.run("go", [], { signal, inPlan: false })).toEqual(refused)
    expect(await commands.run("say", [], { signal, inPlan: false })).toEqual(refused)
    expect(existsSync(join(folder, "done"))).toBe(false)
  })
})

describe("where a sandbox is required and does not work", () => {
  it("no program of a plugin is started", async () => {
    const bwrap = join(temporaryFolder(), "bwrap")
    writeFileSync(bwrap, "#!/bin/sh\nexit 1\n", { mode: 0o755 })
    const sandbox = openSandbox({ mode: "require", hidden: [], warn: () => {}, bwrap })
    const { prepare } = starterThat({ sandbox })
    for (const needs of [undefined, false] as const) {
      const prepared = await prepare({ command: "true", args: [], folder: "/", env: {}, needs })
      expect(prepared).toMatchObject({ kind: "refused", reason: expect.stringContaining("requires a sandbox") })
    }
  })
})
