// Budgets of the start in modules, of which each costs a checkout about 0.15 ms. They are counts, so they hold at any load; a
// command that needs more is a deliberate decision.
import { readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { describe, expect, it, type TestContext } from "vitest"
import { newPlace } from "./e2e/turnhouse.ts"

/** Runs first in the process, and writes what was loaded when it exits. */
const counter = `
import { registerHooks } from "node:module"
import { appendFileSync } from "node:fs"
const loaded = []
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
process.on("exit", () => appendFileSync(process.env.MODULE_LIST, loaded.join("\\n")))
`

/** The files that a command loads. */
async function loadedBy(test: TestContext, args: readonly string[], input = ""): Promise<readonly string[]> {
  const place = newPlace(test)
  const env = {
    NODE_OPTIONS: `--import=${pathToFileURL(place.write("counter.mjs", counter)).href}`,
    MODULE_LIST: place.path("modules.txt"),
  }
  const { code, stderr } = await place.start(args, { input, env }).ended
  if (code !== 0) throw new Error(stderr)
  const urls = readFileSync(place.path("modules.txt"), "utf8").split("\n")
  return urls.filter((url) => url.startsWith("file:"))
}

const packages = /node_modules\/(zod|@ai-sdk|@pydantic|@modelcontextprotocol|ai)\//
const engine = /src\/(runner\/session-actor|app\/compose|tools\/|session\/decide)/

describe("modules loaded by", () => {
  it("rpc: no package of a provider for the offline model", async (test) => {
    const input = '{"type":"get_state","id":"q"}\n{"type":"shutdown"}\n'
    const all = await loadedBy(test, ["rpc", "--model", "offline/demo:0"], input)
    expect(all.filter((url) => packages.test(url))).toEqual([])
    expect(all.length).toBeLessThanOrEqual(730)
  })

  it("run: no package of a provider for the offline model", async (test) => {
    const all = await loadedBy(test, ["run", "--model", "offline/demo:0", "hello"])
    expect(all.filter((url) => packages.test(url))).toEqual([])
    expect(all.length).toBeLessThanOrEqual(730)
  })

  it("commands that only read: nothing of the engine", async (test) => {
    const [version, list] = [await loadedBy(test, ["--version"]), await loadedBy(test, ["ls"])]
    expect([...version, ...list].filter((url) => engine.test(url) || packages.test(url))).toEqual([])
    expect(version.length).toBeLessThanOrEqual(52)
    expect(list.length).toBeLessThanOrEqual(130)
  })
})
