import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { trustFolder } from "../../config/trust/trust.ts"
import type { Config } from "../../contract/config.ts"
import { changeServerLogin } from "../../mcp/oauth/login-file.ts"
import type { AppContext } from "../context.ts"
import { listServers, serverNamed } from "./list.ts"

let root: string
let cwd: string
let home: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "turnhouse-mcp-list-")))
  cwd = join(root, "project")
  home = join(root, "home")
  mkdirSync(cwd)
  mkdirSync(home)
})
afterEach(() => rmSync(root, { recursive: true }))

function context(mcpServers: Config["mcpServers"] = {}, trusted = false): AppContext {
  const file = { kind: "user", path: join(home, "config.json") } as const
  const serverFiles = new Map(Object.keys(mcpServers).map((name) => [name, file]))
  return { home, cwd, config: { mcpServers }, serverFiles, trusted, warnings: [], ownPlaces: [] }
}

async function states(servers: Config["mcpServers"], trusted = false) {
  const listed = await listServers(context(servers, trusted))
  return Object.fromEntries(listed.servers.map(({ name, state }) => [name, state]))
}

const url = "https://mcp.example/"

describe("the list of servers", () => {
  it("has every server with its transport, file and trust", async () => {
    const listed = await listServers(context({ shop: { command: "shop", trust: true }, web: { url } }))
    const source = join(home, "config.json")
    expect(listed).toEqual({
      servers: [
        { name: "shop", transport: "stdio", state: "not started", problem: null, trusted: true, source },
        { name: "web", transport: "http", state: "not started", problem: null, trusted: false, source },
      ],
      problems: [],
    })
  })

  it("says which are disabled or invalid, and why", async () => {
    const listed = await listServers(context({ off: { command: "x", disabled: true }, bad: {} }))
    expect(listed.servers).toMatchObject([
      { name: "bad", state: "invalid", problem: 'it has neither "command" nor "url"' },
      { name: "off", state: "disabled", problem: null },
    ])
  })

  it("has only the names of servers in a folder that is not trusted", async () => {
    writeFileSync(join(cwd, ".mcp.json"), '{"mcpServers":{"shop":{"command":"shop"}}}')
    writeFileSync(join(cwd, "turnhouse.json"), '{"mcpServers":{"till":{"command":"till"}}}')
    const untrusted = "folder not trusted"
    expect(await states({ own: { command: "x" } })).toEqual({ shop: untrusted, till: untrusted, own: "not started" })
    await trustFolder(home, cwd)
    expect(await states({}, true)).toEqual({ shop: "not started" })
  })

  it("knows from the stored logins which server needs one", async () => {
    expect(await states({ web: { url }, known: { url: "https://other.example/", oauth: {} } })).toEqual({
      web: "not started",
      known: "needs login",
    })
    await changeServerLogin(home, url, () => ({ kind: "needed", url }))
    expect(await states({ web: { url } })).toEqual({ web: "needs login" })
    const client = { clientId: "c", clientMethod: "none", issuer: "https://as.example", savedAt: "" } as const
    const login = { kind: "tokens", url, tokenUrl: "https://as.example/t", access: "a", ...client } as const
    await changeServerLogin(home, url, () => login)
    expect(await states({ web: { url } })).toEqual({ web: "logged in" })
  })
})

describe("a server by its name", () => {
  it.each([
    ["shpo", 'no MCP server is named "shpo". Did you mean shop?'],
    ["bad", 'is not used: it has neither "command" nor "url".'],
    ["off", "is not used: it is disabled."],
    ["far", "the folder is not trusted: turnhouse trust"],
  ])("%s is refused with the reason", async (name, sentence) => {
    writeFileSync(join(cwd, ".mcp.json"), '{"mcpServers":{"far":{"command":"far"}}}')
    const servers = { shop: { command: "shop" }, bad: {}, off: { command: "x", disabled: true } }
    expect(await serverNamed("shop", context(servers))).toMatchObject({ command: "shop" })
    await expect(serverNamed(name, context(servers))).rejects.toThrow(sentence)
  })
})
