// Budgets of the start of the built program, in files and kilobytes of code that a process reads. They are counts, so they hold at any
// load; a command that needs more is a deliberate decision.
import { readFileSync, statSync } from "node:fs"
import { basename } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { beforeAll, describe, expect, it, type TestContext } from "vitest"
import { needBuild } from "./built.ts"
import type { Json } from "./e2e/printed.ts"
import { newPlace } from "./e2e/turnhouse.ts"
import { hello, startServer } from "./provider-server/connect.ts"

/** Runs first in the process, and writes what was loaded when it exits. */
const counter = `
import { registerHooks } from "node:module"
import { appendFileSync } from "node:fs"
const loaded = []
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
const ofNode = () => process.moduleLoadList.map((name) => "node:" + name.split(" ").at(-1))
process.on("exit", () => appendFileSync(process.env.MODULE_LIST, [...loaded, ...ofNode()].join("\\n")))
`

/** Names of the files that a command loads, and how much they are together. */
async function loadedBy(test: TestContext, args: readonly string[], input = "", config: Json = {}) {
  const place = newPlace(test)
  if (Object.keys(config).length > 0) place.config(config)
  const env = {
    NODE_OPTIONS: `--import=${pathToFileURL(place.write("counter.mjs", counter)).href}`,
    MODULE_LIST: place.path("modules.txt"),
  }
  const { code, stderr } = await place.start(args, { input, env }).ended
  if (code !== 0) throw new Error(stderr)
  const urls = readFileSync(place.path("modules.txt"), "utf8").split("\n")
  const paths = urls.filter((url) => url.startsWith("file:")).map((url) => fileURLToPath(url))
  const bytes = paths.reduce((total, path) => total + statSync(path).size, 0)
  const ofNode = urls.filter((url) => url.startsWith("node:"))
  return { files: paths.map((path) => basename(path)), kB: Math.ceil(bytes / 1000), ofNode }
}

/** Stages that only a process with sessions of its own needs (scripts/build/chunks.ts). */
const heavy = /^(engine|doors|server|turn)-/

beforeAll(needBuild, 600_000)

describe("the code loaded by", () => {
  it("rpc: nothing of a server or of a provider for the offline model", async (test) => {
    const input = '{"type":"get_state","id":"q"}\n{"type":"shutdown"}\n'
    const { files, kB } = await loadedBy(test, ["rpc", "--model", "offline/demo:0"], input)
    expect(files.filter((name) => /^(server|client|view|screen)-/.test(name))).toEqual([])
    expect(files.length).toBeLessThanOrEqual(21)
    expect(kB).toBeLessThanOrEqual(3000)
  })

  it("run: nothing of a server or of a provider for the offline model", async (test) => {
    const { files, kB } = await loadedBy(test, ["run", "--model", "offline/demo:0", "hello"])
    expect(files.filter((name) => name.startsWith("server-"))).toEqual([])
    expect(files.length).toBeLessThanOrEqual(20)
    expect(kB).toBeLessThanOrEqual(3000)
  })

  it("a turn with a provider: not the platform's HTTP client, which takes as long to load as Node", async (test) => {
    const server = await startServer(hello)
    const providers = { local: { type: "openai-compatible", baseURL: `${server.url}/v1`, apiKey: "k" } }
    const { ofNode } = await loadedBy(test, ["run", "hello"], "", { model: "local/m", providers })
    expect(ofNode).toContain("node:_http_client")
    expect(ofNode.filter((name) => /undici|^node:tls$/.test(name))).toEqual([])
  })

  it("commands that only read: nothing of the engine", async (test) => {
    const [version, list] = [await loadedBy(test, ["--version"]), await loadedBy(test, ["ls"])]
    expect([...version.files, ...list.files].filter((name) => heavy.test(name))).toEqual([])
    expect(version.files.length).toBeLessThanOrEqual(4)
    expect(list.files.length).toBeLessThanOrEqual(9)
    expect(version.kB).toBeLessThanOrEqual(220)
    expect(list.kB).toBeLessThanOrEqual(1400)
  })
})
