// The package on every version of Node that it promises to work with, and everything that is fetched from a registry.
import { execFileSync } from "node:child_process"
import { basename, dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Place } from "../e2e/place.ts"
import { installPackage, nodeFolder, type Installed } from "./installed.ts"
import { clientsPrint, compileLibraries, runClients, runEngine } from "./libraries.ts"
import { tryCommand, working } from "./try-command.ts"

const versions = ["20.20.2", "22.23.3", "24.21.0", "26.10.0"]
const system = "/usr/bin:/bin"
const place = new Place()
let installed: Installed

beforeAll(() => {
  installed = installPackage()
  place.open({ bare: true })
})
afterAll(async () => {
  await place.close()
  installed.remove()
})

describe("on every supported Node", () => {
  it.each(versions)("the command runs what the README shows where the Node of the machine is %s", async (version) => {
    const empty = new Place().open({ bare: true })
    try {
      const found = await tryCommand(empty, installed.program, `${nodeFolder(version)}:${system}`)
      expect(found).toEqual(working)
    } finally {
      await empty.close()
    }
  })

  it("the client libraries run, and the engine on Node 24 and 26", async () => {
    expect(compileLibraries(installed.project)).toEqual({ nodenext: "", bundler: "" })
    expect(await runClients(place, installed, versions)).toEqual(versions.map(() => clientsPrint))
    for (const version of versions.slice(2))
      expect(await runEngine(place, installed, version)).toEqual([
        "engine true function\ntesting function function\n",
        expect.stringContaining('name is "demo-app"'),
      ])
  })
})

describe("npm", () => {
  it("installs it globally and runs it with npx, with the registry's packages", () => {
    const prefix = join(place.root, "prefix")
    npm(["install", "--global", `--prefix=${prefix}`, installed.tarball])
    const version = /^turnhouse \d+\.\d+\.\d+\n$/
    expect(execFileSync(join(prefix, "bin/turnhouse"), ["--version"], { encoding: "utf8" })).toMatch(version)
    const options = { encoding: "utf8", cwd: dirname(installed.tarball) } as const
    expect(execFileSync("npx", ["--yes", `./${basename(installed.tarball)}`, "--version"], options)).toMatch(version)
  })
})

function npm(args: readonly string[]): void {
  execFileSync("npm", [...args, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    stdio: "inherit",
  })
}
