// The packed tarball, installed in an empty folder and used with an empty home.
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
import { openInput, Place, type StartOptions } from "../e2e/place.ts"
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
  it("has less than 5.5 MB, and neither TypeScript nor tests", () => {
    expect(statSync(installed.tarball).size).toBeLessThan(5_500_000)
    const files = globSync("**", { cwd: installed.folder })
    expect(files.filter((file) => /(?<!\.d)\.ts$|\.test\.|^(src|spec|scripts|bench|lint)\//.test(file))).toEqual([])
    expect(files).toEqual(
      expect.arrayContaining([
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "bin/turnhouse",
        "dist/third-party-licences.txt",
        "dist/web/docs/index.html",
      ]),
    )
  })

  it("has every file that its exports name, and the types of each library", () => {
    const manifest = object(readFileSync(join(installed.folder, "package.json"), "utf8"))
    const targets = Object.entries(object(JSON.stringify(manifest["exports"]))).flatMap(([name, target]) =>
      name === "./package.json" ? [] : Object.entries(object(JSON.stringify(target))),
    )
    expect(targets.map(([condition]) => condition).filter((condition) => condition === "types")).toHaveLength(9)
    expect(targets.filter(([, file]) => !existsSync(join(installed.folder, String(file))))).toEqual([])
    expect(manifest).not.toHaveProperty("private")
  })

  it("lists the libraries that the checkout resolves", () => {
    const { exports } = object(readFileSync(join(checkout, "package.json"), "utf8"))
    const { compilerOptions } = object(readFileSync(join(checkout, "tsconfig.json"), "utf8"))
    const paths = Object.keys(object(JSON.stringify(object(JSON.stringify(compilerOptions))["paths"])))
    const names = Object.keys(object(JSON.stringify(exports))).filter((name) => name !== "./package.json")
    const widgets = ["turnhouse/widget", "turnhouse/widget-react"] // of web/, which the tests of src/ do not import
    expect(names.map((name) => name.replace(".", "turnhouse")).toSorted()).toEqual([...paths, ...widgets].toSorted())
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

  it("serves the documentation", async () => {
    const server = start(["serve", "--port", "0"], { input: openInput })
    const address = await server.until("its address", () => /listening on (\S+)/.exec(server.stdout)?.[1])
    const page = await fetch(`${address}/docs/`)
    server.signal("SIGTERM")
    await server.ended
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<h1>Turnhouse documentation</h1>")])
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

  it("reads a configuration with comments", async () => {
    const config = place.write("commented.json", '// the colours\n{ "theme": "dark" }\n')
    const { code, stderr } = await start(["mcp", "ls", "--config", config]).ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
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

describe("docs/embedding.md", () => {
  it("contains the example that is run here", () => {
    const example = readFileSync(join(checkout, "examples/embedded-host.ts"), "utf8")
    expect(readFileSync(join(checkout, "docs/embedding.md"), "utf8")).toContain(example)
  })
})
