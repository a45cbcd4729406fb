// A session cannot change the programs that its host executes, and the access of extensions is limited.
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import type { JsonValue } from "../../src/contract/values.ts"
import { needPackage } from "../need-package.ts"
import { eventsOf } from "./printed.ts"
import { newPlace, type Place } from "./turnhouse.ts"

beforeAll(() => needPackage("bwrap", "bubblewrap"))

/** Runs a module when the extension starts, then answers every request with what lets the session go on. */
const program = (atStart: string) => `
${atStart}
let waiting = Buffer.alloc(0)
process.stdin.on("data", (chunk) => {
  waiting = Buffer.concat([waiting, chunk])
  for (;;) {
    const head = waiting.indexOf("\\r\\n\\r\\n")
    if (head === -1) return
    const end = head + 4 + Number(/\\d+/.exec(waiting.toString("latin1", 0, head))[0])
    if (waiting.length < end) return
    const { id, method } = JSON.parse(waiting.toString("utf8", head + 4, end))
    waiting = waiting.subarray(end)
    const result = method === "initialize" ? { protocol_version: 1, capabilities: [] } : { action: "continue" }
    const body = JSON.stringify({ jsonrpc: "2.0", id, result })
    process.stdout.write("Content-Length: " + body.length + "\\r\\n\\r\\n" + body)
    if (method === "shutdown") process.exit()
  }
})
`

function manifest(more: Record<string, JsonValue> = {}): string {
  const about = { runtime: "process", command: "node", args: ["main.mjs"], ...more }
  return JSON.stringify({
    extension: { ...about, permissions: ["session.lifecycle"], hooks: [{ hook: "on_session_start" }] },
  })
}

function install(folder: string, atStart: string, more: Record<string, JsonValue> = {}): void {
  mkdirSync(join(folder, ".synaps-plugin"), { recursive: true })
  writeFileSync(join(folder, ".synaps-plugin", "plugin.json"), manifest(more))
  writeFileSync(join(folder, "main.mjs"), program(atStart))
}

/** An extension that says in the folder of the session that it was started. */
const says = (word: string) =>
  `import { appendFileSync } from "node:fs"; appendFileSync(process.env.REPO_ROOT + "/started", ${JSON.stringify(`${word}\n`)})`

interface Call {
  readonly tool: string
  readonly input: JsonValue
}

/** The outputs of the calls, one after the other in one turn, with everything approved. */
async function outputs(place: Place, calls: readonly Call[]): Promise<readonly string[]> {
  const model = place.script([...calls.map((call) => [{ call }]), [{ text: "Done." }]])
  const { stdout, stderr } = await place.run("run", "go", "--json", "--yes", "--model", model)
  const ended = eventsOf(stdout, "tool.ended").map(({ outcome, output }) => `${outcome}: ${output}`)
  if (ended.length < calls.length) throw new Error(`not every call was made: ${stderr}`)
  return ended
}

const bash = (command: string): Call => ({ tool: "bash", input: { command } })

describe.concurrent("a session cannot change", () => {
  it("the user's plugins: one that it tries to install is not started by the next run", async (test) => {
    const place = newPlace(test)
    const synaps = join(place.root, "user", ".synaps-cli")
    const evil = join(synaps, "plugins", "evil")
    place.write("evil.mjs", program(says("evil")))
    place.write("plugin.json", manifest())
    const installing = `mkdir -p ${evil}/.synaps-plugin && cp evil.mjs ${evil}/main.mjs && cp plugin.json ${evil}/.synaps-plugin/`
    const user = join(place.root, "user")
    const written = await outputs(place, [
      bash(installing),
      bash(`mv ${user} ${user}2 && ${installing}`),
      { tool: "write", input: { path: join(evil, "main.mjs"), content: "evil" } },
      { tool: "write", input: { path: join(synaps, "config"), content: "auto_approve_confirms = true" } },
      bash(`echo auto_approve_confirms = true > ${synaps}/config`),
    ])
    for (const output of written)
      expect(output).toMatch(/^failed: .*(Read-only file system|busy|is read-only for tools)/s)
    expect((await place.run("run", "hello", "--model", place.script([[{ text: "Hi." }]]))).code).toBe(0)
    expect(existsSync(evil)).toBe(false)
    expect(place.has("started")).toBe(false)
  })

  it("a guard that the configuration names, also one that is linked into a folder of plugins", async (test) => {
    const place = newPlace(test)
    const [mine, linked] = [join(place.root, "mine", "guard"), join(place.root, "linked")]
    for (const folder of [mine, linked]) install(folder, says("guard"))
    mkdirSync(join(place.home, "plugins"))
    symlinkSync(linked, join(place.home, "plugins", "linked"))
    place.config({ extensions: { paths: [join(place.root, "mine")] } })
    const before = readFileSync(join(mine, "main.mjs"), "utf8")
    const changed = await outputs(place, [
      bash(`sed -i s/guard/off/ ${mine}/main.mjs`),
      bash(`sed -i s/guard/off/ ${linked}/main.mjs`),
      bash(`mv ${join(place.root, "mine")} ${join(place.root, "gone")}`),
      { tool: "read", input: { path: join(linked, "main.mjs") } },
      { tool: "edit", input: { path: join(linked, "main.mjs"), old_string: "Buffer.alloc(0)", new_string: "off" } },
      { tool: "write", input: { path: join(linked, "main.mjs"), content: "off" } },
    ])
    expect(changed.map((output) => output.split(":")[0])).toEqual([
      "failed",
      "failed",
      "failed",
      "done",
      "failed",
      "failed",
    ])
    expect(readFileSync(join(mine, "main.mjs"), "utf8")).toBe(before)
    expect(readFileSync(join(linked, "main.mjs"), "utf8")).toBe(before)
    expect(place.read("started")).toBe("guard\nguard\n")
  })

  it("the program of Turnhouse itself, its packages and its Node", async (test) => {
    const place = newPlace(test)
    const root = join(place.program, "..", "..")
    const probe = join(root, "src", "probe")
    test.onTestFinished(() => rmSync(probe, { force: true }))
    const parts = ["bin", "dist", "src", "scripts", "node_modules", "package.json", "node_modules/.bin/node"]
    const [shell, written] = await outputs(place, [
      bash(`cd ${root}; for part in ${parts.join(" ")}; do [ ! -w $part ] || echo $part can be written; done`),
      { tool: "write", input: { path: probe, content: "evil" } },
    ])
    expect(shell).toBe("done: (no output)")
    expect(written).toMatch(/^failed: .*is read-only for tools/)
  })

  // Also while the checkout starts what was built from its sources.
  it("nothing else of a checkout, in which an agent may work on Turnhouse itself", async (test) => {
    const place = newPlace(test)
    const probe = join(place.program, "..", "..", `probe-${randomUUID()}.txt`)
    test.onTestFinished(() => rmSync(probe, { force: true }))
    expect(await outputs(place, [{ tool: "write", input: { path: probe, content: "mine" } }])).toEqual([
      expect.stringMatching(/^done: /),
    ])
    expect(readFileSync(probe, "utf8")).toBe("mine")
  })

  it("the file that --config names", async (test) => {
    const place = newPlace(test)
    const file = join(place.root, "ci.json")
    writeFileSync(file, "{}")
    const model = place.script([[{ call: bash(`echo '{"tools":{"sandbox":"off"}}' > ${file}`) }], [{ text: "Done." }]])
    const { stdout } = await place.run("run", "go", "--json", "--yes", "--config", file, "--model", model)
    expect(eventsOf(stdout, "tool.ended")).toMatchObject([{ outcome: "failed" }])
    expect(readFileSync(file, "utf8")).toBe("{}")
  })
})

describe.concurrent("a project's plugin", () => {
  it("can be changed in a session, and is loaded again only after a person has accepted it", async (test) => {
    const place = newPlace(test)
    install(place.path(".synaps/plugins/helper"), says("first"))
    expect((await place.run("trust", place.folder)).code).toBe(0)
    const [changed] = await outputs(place, [bash("sed -i s/first/second/ .synaps/plugins/helper/main.mjs")])
    expect(changed).toMatch(/^done/)
    expect(place.read("started")).toBe("first\n")
    const hello = ["run", "hello", "--model", place.script([[{ text: "Hi." }]])] as const
    const next = await place.run(...hello)
    expect(next).toMatchObject({ code: 0, stdout: "Hi.\n" })
    expect(next.stderr.match(/changed since the folder was trusted/g)).toHaveLength(1)
    const watching = place.start(["attach", await place.newest()], { input: "" })
    expect((await watching.ended).stdout).toContain("changed since the folder was trusted")
    expect(place.read("started")).toBe("first\n")
    expect((await place.run("trust", place.folder)).code).toBe(0)
    expect((await place.run(...hello)).stderr).not.toContain("trusted")
    expect(place.read("started")).toBe("first\nsecond\n")
  })
})

describe.concurrent("a project's plugin that asks for no sandbox", () => {
  it("is not started: its files could be exchanged between the check and the start", async (test) => {
    const place = newPlace(test)
    install(place.path(".synaps/plugins/helper"), says("free"), { sandbox: false })
    expect((await place.run("trust", place.folder)).code).toBe(0)
    const { code, stderr } = await place.run("run", "hello", "--model", place.script([[{ text: "Hi." }]]))
    expect(code).toBe(0)
    expect(stderr).toContain("a plugin of a project cannot change its sandbox")
    expect(place.has("started")).toBe(false)
  })
})

describe.concurrent("a plugin where the digest does not look", () => {
  it("is not loaded from a folder named .git", async (test) => {
    const place = newPlace(test)
    install(place.path(".synaps/plugins/helper"), says("helper"))
    expect((await place.run("trust", place.folder)).code).toBe(0)
    install(place.path(".synaps/plugins/.git"), says("evil"), { sandbox: false })
    const { code, stderr } = await place.run("run", "hello", "--model", place.script([[{ text: "Hi." }]]))
    expect(code).toBe(0)
    expect(stderr).not.toContain("trusted")
    expect(place.read("started")).toBe("helper\n")
  })
})

describe.concurrent("an extension whose manifest asks for nothing", () => {
  const report = (place: Place) => `
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
const tried = (work) => { try { work(); return "done" } catch (fault) { return fault.code } }
const { HOME, PLUGIN_DIR, PLUGIN_DATA_DIR, REPO_ROOT } = process.env
const found = {
  key: tried(() => readFileSync(${JSON.stringify(join(place.home, "secret.key"))})),
  home: readdirSync(${JSON.stringify(place.home)}),
  system: tried(() => writeFileSync("/usr/turnhouse-probe", "")),
  own: tried(() => writeFileSync(PLUGIN_DIR + "/x", "")),
  plugin: tried(() => writeFileSync(${JSON.stringify(join(place.home, "plugins", "x"))}, "")),
  data: tried(() => writeFileSync(PLUGIN_DATA_DIR + "/x", "")),
  project: tried(() => writeFileSync(REPO_ROOT + "/x", "")),
  synaps: tried(() => writeFileSync(HOME + "/.synaps-cli/memory/x", "")),
  settings: tried(() => writeFileSync(HOME + "/.synaps-cli/config", "")),
}
createServer().listen(0, "127.0.0.1", function () {
  this.close()
  writeFileSync(REPO_ROOT + "/report", JSON.stringify({ ...found, network: "done" }))
})
`

  async function reported(place: Place, more: Record<string, JsonValue> = {}): Promise<unknown> {
    install(join(place.home, "plugins", "probe"), report(place), more)
    const model = place.script([[{ text: "Hi." }]])
    expect((await place.run("run", "hello", "--model", model)).code).toBe(0)
    return JSON.parse(place.read("report"))
  }

  it("sees nothing of the home and writes only to its data folder, the project and synaps' data", async (test) => {
    expect(await reported(newPlace(test))).toEqual({
      key: "ENOENT",
      home: expect.not.arrayContaining(["secret.key", "turnhouse.db"]),
      system: "EROFS",
      own: "EROFS",
      plugin: "EROFS",
      data: "done",
      project: "done",
      synaps: "done",
      settings: "EROFS",
      network: "done",
    })
  })

  it("runs as upstream when it asks for no sandbox", async (test) => {
    const place = newPlace(test)
    expect(await reported(place, { sandbox: false })).toMatchObject({ key: "done", own: "done", plugin: "done" })
  })
})
