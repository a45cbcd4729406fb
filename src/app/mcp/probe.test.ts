import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { startAuthorizationServer } from "../../mcp/oauth/fixtures/authorization-server.ts"
import { loginToServer } from "../../mcp/oauth/login-to-server.ts"
import { httpServer } from "../../mcp/fixtures/http-server.ts"
import { newestServer } from "../../mcp/fixtures/newest-server.ts"
import type { McpServer } from "../../mcp/mcp-server.ts"
import { ProcessSupervisor } from "../../processes/process-supervisor.ts"
import { misbehavingServer } from "../../mcp/fixtures/servers.ts"
import { ServerLauncher } from "../settings/server-launcher.ts"
import { probeServer } from "./probe.ts"

const script = fileURLToPath(new URL("fixtures/stdio-server.ts", import.meta.url))
const never = new AbortController().signal

let home: string
let processes: ProcessSupervisor
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "turnhouse-probe-"))
  processes = new ProcessSupervisor(`probe-test-${process.pid}`)
})
afterEach(async () => {
  await processes.close()
  rmSync(home, { recursive: true })
})

async function probe(server: Partial<McpServer>, signal = never) {
  const facts = { name: "shop", source: "", isTrusted: false, isShared: false, isOfProject: false }
  const times = { startTimeoutMs: 30_000, callTimeoutMs: 1000 }
  const env = () => ({ PATH: process.env["PATH"] ?? "" })
  const place = { config: {}, ownPlaces: [], settingsFolder: home, cwd: tmpdir(), env }
  const launch = await new ServerLauncher(home, processes).prepare(place)
  return probeServer({ ...facts, ...times, kind: "stdio", ...server }, launch, signal)
}

function stdio(mode: string, more: Partial<McpServer> = {}): Partial<McpServer> {
  return { command: process.execPath, args: [script, mode], ...more }
}

describe("a server on stdio", () => {
  it.each(["usual", "noisy"])("reports what it has: %s", async (mode) => {
    expect(await probe(stdio(mode))).toEqual({
      kind: "answered",
      protocolVersion: "2025-06-18",
      server: { name: "shop", version: "1.2.3" },
      capabilities: ["prompts", "resources", "tools"],
      tools: [
        {
          name: "find_part",
          class: "unsafe",
          description: "Finds a part.",
          annotations: { readOnlyHint: true, destructiveHint: false },
        },
        { name: "order", class: "unsafe", description: "", annotations: {} },
      ],
      problems: [],
      prompts: ["offer"],
      resources: 1,
      connectMs: expect.any(Number),
      pingMs: expect.any(Number),
    })
  })

  it("that fails at its start is reported with its last line on stderr", async () => {
    expect(await probe(stdio("broken"))).toMatchObject({ kind: "failed", stderr: "the shop is closed" })
  })

  it("that does not exist is reported", async () => {
    const report = await probe({ command: "no-such-program" })
    expect(report).toMatchObject({ kind: "failed" })
    expect(JSON.stringify(report)).toContain("no-such-program") // in the words of the sandbox where there is one
  })

  it("whose folder does not exist is reported", async () => {
    const report = await probe(stdio("usual", { cwd: join(home, "gone") }))
    expect(report).toMatchObject({ kind: "failed", error: `its folder ${join(home, "gone")} does not exist` })
  })

  it("of a project whose files are not trusted is not started", async () => {
    const report = await probe(stdio("usual", { isOfProject: true }))
    expect(report).toMatchObject({ kind: "failed", error: expect.stringContaining("have changed since") })
  })

  it("has tools of the class that it says only if it is trusted", async () => {
    const classes = async (mode: string, isTrusted: boolean) => {
      const report = await probe(misbehavingServer(mode, { isTrusted }))
      return report.kind === "answered" ? report.tools.map((tool) => tool.class) : report
    }
    expect(await classes("annotated", false)).toEqual(["unsafe"])
    expect(await classes("annotated", true)).toEqual(["read"])
    expect(await classes("idempotent", true)).toEqual(["keyed"])
  })

  it("reports the tools that are not used, and why", async () => {
    const report = await probe(misbehavingServer("lying-schema"))
    expect(report).toMatchObject({ kind: "answered", tools: [{ name: "work" }, { name: "hinted" }] })
    expect(report).toHaveProperty(
      "problems",
      expect.arrayContaining([
        'its tool "large" is not used: its input schema has more than 65536 bytes',
        'its tool "" is not used: its name must have 1 to 128 characters',
        'its tool "later" is not used: it can be called only as a task',
      ]),
    )
  })

  it("that ends while it lists its tools is reported with its last line on stderr", async () => {
    const report = await probe(stdio("dying"))
    expect(report).toEqual({ kind: "failed", error: "it ended with exit code 5", stderr: "out of stock" })
  })

  it("that never answers is left after its start timeout", async () => {
    const report = await probe(stdio("silent", { startTimeoutMs: 1000 }))
    expect(report).toMatchObject({ kind: "unreachable", error: "it did not answer in 1 s" })
  })

  it("is left at once when the test is interrupted", async () => {
    const stop = new AbortController()
    const running = probe(stdio("silent"), stop.signal)
    stop.abort(new Error("stopped"))
    await expect(running).rejects.toThrow("stopped")
  })
})

describe("a server at an address", () => {
  it("needs a login, and reports what it has after it", async ({ onTestFinished }) => {
    const server = await startAuthorizationServer()
    onTestFinished(() => server.close())
    const settings = { kind: "http", url: server.mcpUrl } as const
    expect(await probe(settings)).toEqual({
      kind: "needs login",
      error: 'MCP server "shop" needs a login: turnhouse mcp login shop',
      stderr: null,
    })
    const show = (address: string) => void fetch(address)
    const request = { home, serverName: "shop", url: server.mcpUrl, method: "browser" } as const
    await loginToServer(request, { fetch, signal: never, show })
    expect(await probe(settings)).toMatchObject({ kind: "answered", tools: [{ name: "order" }] })
  })

  it("that cannot be reached is reported with the reason", async () => {
    const gone = await startAuthorizationServer()
    await gone.close()
    expect(await probe({ kind: "http", url: gone.mcpUrl })).toMatchObject({
      kind: "unreachable",
      error: "it cannot be reached (ECONNREFUSED)",
    })
  })

  it("that never answers is left after its start timeout", async ({ onTestFinished }) => {
    const server = await startAuthorizationServer()
    onTestFinished(() => server.close())
    server.overrides.set("/mcp", () => {})
    const settings = { kind: "http", url: server.mcpUrl, startTimeoutMs: 1000 } as const
    expect(await probe(settings)).toMatchObject({ kind: "unreachable", error: "it did not answer in 1 s" })
  })

  it("that answers with garbage is reported", async ({ onTestFinished }) => {
    const server = await startAuthorizationServer()
    onTestFinished(() => server.close())
    server.overrides.set("/mcp", (_request, response) => response.writeHead(200).end("<html>"))
    expect(await probe({ kind: "http", url: server.mcpUrl })).toMatchObject({ kind: "failed" })
  })
})

it("measures an answer of a server with the newest protocol, which has no pings", async () => {
  const server = newestServer()
  const launch = () => ({
    release: "1.0.0",
    spawn: () => Promise.reject(new Error("no process is needed")),
    debug: () => {},
    fetchFor: () => server.fetch,
  })
  const report = await probeServer(httpServer("http://newest.example/mcp"), launch, never)
  expect(report).toMatchObject({ kind: "answered", protocolVersion: "2026-07-28", pingMs: expect.any(Number) })
})
