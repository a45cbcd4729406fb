// The package on every version of Node that it promises to work with, and everything that is fetched from a registry.
import { execFileSync } from "node:child_process"
import { existsSync, globSync, mkdirSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openInput, Place } from "../e2e/place.ts"
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

describe("turnhouse install knowledge", () => {
  const home = join(place.root, "knowledge-home")
  const model = join(home, "cache/embedding-model-0.2.0")
  const start = (...args: readonly string[]) =>
    place.startOther(installed.program, args, { env: { ...npmEnvironment(), TURNHOUSE_HOME: home }, input: openInput })

  it("leaves nothing behind when it is interrupted", async () => {
    const installing = start("install", "knowledge")
    await waitFor(() => globSync("embedding-model-*.part", { cwd: join(home, "cache") }).length > 0)
    installing.signal("SIGINT")
    const { code, stderr } = await installing.ended
    expect({ code, stderr }).toEqual({ code: 130, stderr: "turnhouse: interrupted; nothing was installed\n" })
    expect(globSync("embedding-model*", { cwd: join(home, "cache") })).toEqual([])
  })

  it("replaces a half-written folder, then finds documents by meaning", async () => {
    mkdirSync(join(model, "node_modules"), { recursive: true, mode: 0o700 })
    const replaced = await start("install", "knowledge").ended
    expect(replaced).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("is incomplete (installed.json); replacing it"),
    })
    expect(existsSync(join(model, "installed.json"))).toBe(true)
    place.write("returns.md", "# Returns\n\nGoods can be sent back within 30 days.\n")
    expect((await start("knowledge", "add", "returns.md").ended).stdout).toContain("1 embedded")
  })

  it("replaces a damaged file, and says when there is nothing to do", async () => {
    rmSync(join(model, "node_modules/seedrandom/package.json"))
    expect((await start("install", "knowledge").ended).stderr).toContain(
      "is incomplete (node_modules/seedrandom/package.json)",
    )
    const again = await start("install", "knowledge").ended
    expect(again).toMatchObject({ code: 0, stderr: `the embedding model is already installed in ${model}\n` })
  })
})

function npm(args: readonly string[]): void {
  execFileSync("npm", [...args, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    stdio: "inherit",
  })
}

/** The npm of the user who runs the tests, with that user's configuration. */
function npmEnvironment(): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env
  const settings = Object.entries(process.env).filter(([name]) =>
    /^npm_config_(registry|userconfig|cache)$/i.test(name),
  )
  return { PATH, HOME, ...Object.fromEntries(settings.map(([name, value]) => [name, value ?? ""])) }
}

/** Looks at every turn of the event loop. */
async function waitFor(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}
