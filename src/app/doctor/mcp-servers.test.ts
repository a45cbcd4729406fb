import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import type { Config } from "../../contract/config.ts"
import { changeServerLogin } from "../../mcp/oauth/login-file.ts"
import { mcpServerChecks } from "./mcp-servers.ts"
import { runChecks } from "./run-checks.ts"

let home: string
beforeEach(() => void (home = realpathSync(mkdtempSync(join(tmpdir(), "turnhouse-doctor-mcp-")))))
afterEach(() => rmSync(home, { recursive: true }))

function check(mcpServers: Config["mcpServers"] = {}) {
  const file = { kind: "user", path: "/config.json" } as const
  const serverFiles = new Map(Object.keys(mcpServers).map((name) => [name, file]))
  const env = { PATH: "/bin", HOME: home }
  return runChecks(
    mcpServerChecks({ home, env, config: { mcpServers }, serverFiles, ownPlaces: [], settingsFolder: home }),
    5000,
  )
}

it("says nothing where there is no server, or only disabled ones", async () => {
  expect(await check()).toEqual([])
  expect(await check({ off: { command: "x", disabled: true } })).toEqual([])
})

it("says which can be used as far as their settings say", async () => {
  expect(await check({ here: { command: "sh" }, web: { url: "https://mcp.example/" } })).toMatchObject([
    { subject: "MCP servers", level: "ok", what: "here: /config.json" },
    { subject: "MCP servers", level: "ok", what: "web: /config.json" },
  ])
})

it.each<[string, NonNullable<Config["mcpServers"]>[string], string, string]>([
  [
    "invalid settings",
    {},
    'shop (/config.json) is not used: it has neither "command" nor "url"',
    "remove it in /config.json",
  ],
  ["a missing variable", { command: "sh", args: ["${NO_SUCH}"] }, "NO_SUCH", "correct or remove it in"],
  ["a program that is not found", { command: "no-such" }, "shop: no-such was not found", "install it"],
  ["a program that its own PATH lacks", { command: "sh", env: { PATH: "/no" } }, "sh was not found", "install it"],
  [
    "a login that is needed",
    { url: "https://mcp.example/", oauth: {} },
    "shop needs a login",
    "turnhouse mcp login shop",
  ],
])("warns about a server with %s", async (_, shop, what, todo) => {
  expect(await check({ shop })).toMatchObject([
    { level: "warning", what: expect.stringContaining(what), todo: expect.stringContaining(todo) },
  ])
})

it("warns about a server that refused a request without a login", async () => {
  const url = "https://mcp.example/"
  await changeServerLogin(home, url, () => ({ kind: "needed", url }))
  expect(await check({ shop: { url } })).toMatchObject([{ level: "warning", what: "shop needs a login" }])
})

it("warns about a file that cannot be read", async () => {
  writeFileSync(join(home, ".claude.json"), "{")
  expect(await check()).toMatchObject([{ level: "warning", what: expect.stringContaining("not valid JSON") }])
})
