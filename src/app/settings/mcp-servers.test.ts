import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { LayerFile } from "../../config/layer-files.ts"
import { trustFolder } from "../../config/trust/trust.ts"
import type { Config } from "../../contract/config.ts"
import { mcpServers, type McpRequest } from "./mcp-servers.ts"

let root: string
let home: string
let folder: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "mcp-servers-")))
  home = join(root, ".turnhouse")
  folder = join(root, "project")
  mkdirSync(home)
  mkdirSync(folder)
})
afterEach(() => rmSync(root, { recursive: true }))

function write(path: string, content: unknown): void {
  writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content))
}

/** Names of servers by the kind of the file that has them. */
type Configured = Readonly<Record<string, LayerFile["kind"]>>

function find(configured: Configured = {}, more: Partial<McpRequest> = {}) {
  const entries = Object.entries(configured)
  const serverFiles = new Map(entries.map(([name, kind]) => [name, { kind, path: join(root, `${kind}.json`) }]))
  const config: Config = {
    mcpServers: Object.fromEntries(entries.map(([name, kind]) => [name, { command: kind, trust: true }])),
  }
  return mcpServers({ home, env: { HOME: root }, config, serverFiles, ownPlaces: [], settingsFolder: folder, ...more })
}

async function commands(configured: Configured = {}, more: Partial<McpRequest> = {}) {
  const { servers } = await find(configured, more)
  return Object.fromEntries(servers.map((server) => [server.name, server.command]))
}

const ofProject = { mcpServers: { shop: { command: "mcp-json" } } }

describe("servers of a folder", () => {
  it("are used while the folder is trusted", async () => {
    write("project/.mcp.json", ofProject)
    expect(await commands()).toEqual({})
    await trustFolder(home, folder)
    expect(await commands()).toEqual({ shop: "mcp-json" })
    write("project/.mcp.json", { mcpServers: { shop: { command: "changed" } } })
    expect(await commands()).toEqual({})
  })

  it("are neither trusted nor shared", async () => {
    write("project/.mcp.json", { mcpServers: { shop: { command: "x", trust: true, shared: true } } })
    await trustFolder(home, folder)
    const { servers } = await find({ other: "project", own: "user" })
    expect(servers.map(({ name, isTrusted, isShared }) => ({ name, isTrusted, isShared }))).toEqual([
      { name: "other", isTrusted: false, isShared: false },
      { name: "own", isTrusted: true, isShared: false },
      { name: "shop", isTrusted: false, isShared: false },
    ])
  })

  it("do not get keys of model providers, except named ones", async () => {
    const servers = { a: { command: "a", env: { K: "${OPENAI_API_KEY}" } }, b: { command: "b", args: ["${SHOP_KEY}"] } }
    write("project/.mcp.json", { mcpServers: servers })
    await trustFolder(home, folder)
    const env = { HOME: root, OPENAI_API_KEY: "k", SHOP_KEY: "s", TURNHOUSE_HOME: home }
    const { unused } = await find({}, { env })
    expect(unused).toEqual([
      { name: "a", source: join(folder, ".mcp.json"), problem: "it may not read the variable OPENAI_API_KEY" },
    ])
    expect(await commands({}, { env, config: { tools: { env: ["OPENAI_API_KEY"] } } })).toEqual({ a: "a", b: "b" })
  })

  it.each([
    ["{", ".mcp.json:1:2: "],
    ["[]", '.mcp.json: it has no object "mcpServers".'],
    ["x".repeat(1024 * 1024 + 1), ".mcp.json: it is larger than 1 MiB"],
  ])("in a file that cannot be read are a problem of the file: %.5s", async (text, problem) => {
    write("project/.mcp.json", text)
    await trustFolder(home, folder)
    const found = await find({ own: "user" })
    expect(found.servers).toMatchObject([{ name: "own" }])
    expect(found.problems.join()).toContain(problem)
  })
})

describe("servers of the user", () => {
  it("are those of the configuration and of ~/.claude.json", async () => {
    write(".claude.json", {
      numStartups: 7,
      mcpServers: { everywhere: { command: "claude-user" } },
      projects: {
        [folder]: { mcpServers: { here: { command: "claude-local" } } },
        "/other": { mcpServers: { there: { command: "no" } } },
      },
    })
    const { servers } = await find({ own: "user" })
    expect(servers.map(({ name, source }) => `${name} ${source}`)).toEqual([
      `everywhere ${join(root, ".claude.json")}`,
      `here ${join(root, ".claude.json")}`,
      `own ${join(root, "user.json")}`,
    ])
  })

  it("are left out if they are switched off in Claude Code", async () => {
    const lists = { disabledMcpServers: ["a"], disabledMcpjsonServers: ["shop"] }
    write("project/.mcp.json", ofProject)
    await trustFolder(home, folder)
    write(".claude.json", { mcpServers: { a: { command: "a" } }, projects: { [folder]: lists } })
    const { servers, unused } = await find()
    expect(servers).toEqual([])
    expect(unused.map(({ name }) => name)).toEqual(["a", "shop"])
  })

  it.each(["{", "[]", "7", '{"mcpServers":[],"projects":7}'])("need a valid file: %s", async (text) => {
    write(".claude.json", text)
    const { servers, problems } = await find({ own: "user" })
    expect(servers).toMatchObject([{ name: "own" }])
    expect(problems).toHaveLength(text === "{" ? 1 : 0)
  })
})

it("takes the nearest definition of a name: --config, folder, project, user", async () => {
  const all = (command: string) => ({ a: { command }, b: { command }, c: { command }, d: { command }, e: { command } })
  write("project/.mcp.json", { mcpServers: all("mcp-json") })
  await trustFolder(home, folder)
  const { e: _, ...others } = all("claude-local")
  write(".claude.json", {
    mcpServers: { ...all("claude-user"), f: { command: "claude-user" }, g: { command: "claude-user" } },
    projects: { [folder]: { mcpServers: { b: others.b } } },
  })
  expect(await commands({ a: "named", b: "project", c: "project", d: "user", f: "user" })).toEqual({
    a: "named",
    b: "claude-local",
    c: "project",
    d: "mcp-json",
    e: "mcp-json",
    f: "user",
    g: "claude-user",
  })
})

it("gives visitors only servers of the operator's configuration", async () => {
  write("project/.mcp.json", ofProject)
  await trustFolder(home, folder)
  write(".claude.json", { mcpServers: { a: { command: "a" } } })
  const configured = { own: "user", named: "named", theirs: "project" } as const
  expect(await commands(configured, { settingsFolder: undefined })).toEqual({ own: "user", named: "named" })
})

describe("servers of plugins", () => {
  function plugin(plugins: string, id: string, servers: unknown): void {
    mkdirSync(join(plugins, id, ".claude-plugin"), { recursive: true })
    writeFileSync(join(plugins, id, ".claude-plugin/plugin.json"), JSON.stringify({ mcpServers: servers }))
  }

  it("come last, find their own folder, and are never trusted", async () => {
    const shop = join(home, "plugins", "shop")
    const db = { command: "${CLAUDE_PLUGIN_ROOT}/db", args: ["${PLUGIN_DIR}"], env: { A: "b" }, trust: true }
    plugin(join(home, "plugins"), "shop", { db })
    expect((await find()).servers).toMatchObject([
      {
        name: "db",
        command: join(shop, "db"),
        args: [shop],
        env: { A: "b", CLAUDE_PLUGIN_ROOT: shop },
        isTrusted: false,
        source: join(shop, ".claude-plugin/plugin.json"),
      },
    ])
  })

  it("get the plugin's name in front where their own is taken, unless the user disabled it", async () => {
    plugin(join(home, "plugins"), "a.shop", { db: { command: "a" } })
    plugin(join(home, "plugins"), "b", { db: { command: "b" } })
    expect(await commands({ db: "user" })).toEqual({ db: "user", a_shop_db: "a", b_db: "b" })
    write("project/.mcp.json", { mcpServers: { db: { command: "x", disabled: true } } })
    await trustFolder(home, folder)
    expect(await commands()).toEqual({})
  })

  it("of a folder are used while it is trusted, and none by visitors", async () => {
    plugin(join(folder, ".turnhouse/plugins"), "theirs", { db: { command: "theirs" } })
    plugin(join(home, "plugins"), "shop", { own: { command: "own" } })
    expect(await commands()).toEqual({ own: "own" })
    await trustFolder(home, folder)
    expect(await commands()).toEqual({ own: "own", db: "theirs" })
    expect(await commands({}, { settingsFolder: undefined })).toEqual({})
  })
})
