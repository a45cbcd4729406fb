// Settings of MCP servers, observed by what a call of a server comes to.
import { readFileSync, realpathSync } from "node:fs"
import { expect } from "vitest"
import type { Config } from "../../src/contract/config.ts"
import { startHttpServer } from "../../src/mcp/fixtures/http-server.ts"
import { misbehavingProgram } from "../../src/mcp/fixtures/servers.ts"
import { startAuthorizationServer } from "../../src/mcp/oauth/fixtures/authorization-server.ts"
import type { SettingTests, Test } from "./setting-tests.ts"
import { eventIn, prompted, type World } from "./world.ts"

type Server = NonNullable<Config["mcpServers"]>[string]

const odd = (mode: string, ...more: string[]): Server => {
  return { command: process.execPath, args: [misbehavingProgram, mode, ...more] }
}

const allowed: Config = { tools: { allow: ["mcp__*"] } }

/** What a call of a tool of the only server comes to. */
function call(world: World, server: Server, tool = "work", input = {}): Promise<string> {
  const model = world.calls(`mcp__odd__${tool}`, input)
  return world.call({ model, ...allowed, mcpServers: { odd: server } })
}

/** A server that answers a call with something of its own process. */
function telling(world: World, expression: string): Server {
  const file = world.write(
    "teller.mjs",
    `import { createInterface } from "node:readline"
const results = {
  initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "t", version: "1" } },
  "tools/list": { tools: [{ name: "work", inputSchema: { type: "object" } }] },
}
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line)
  const result = results[method] ?? { content: [{ type: "text", text: String(${expression}) }] }
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }))
})`,
  )
  return { command: process.execPath, args: [file] }
}

export const mcpSettings: SettingTests = {
  "mcpServers.<name>.command": async (world) => {
    expect(await call(world, odd("well"))).toBe("done: worked:")
    expect(await call(world, { ...odd("well"), command: "no-such-program-anywhere" })).toMatch(/no tool|not found/)
  },
  "mcpServers.<name>.args": async (world) => {
    expect(await call(world, odd("well"))).toBe("done: worked:")
    expect(await call(world, odd("tool-error"))).toBe("failed: it did not work")
  },
  "mcpServers.<name>.env.<name>": async (world) => {
    const server = telling(world, "process.env.SIZE")
    expect(await call(world, server)).toBe("done: undefined")
    expect(await call(world, { ...server, env: { SIZE: "large" } })).toBe("done: large")
  },
  "mcpServers.<name>.url": async (world, test) => {
    const { url } = await startHttpServer(test)
    expect(await call(world, { url }, "look")).toBe("done: seen")
  },
  "mcpServers.<name>.headers.<name>": async (world, test) => {
    const { url, requests } = await startHttpServer(test)
    await call(world, { url, headers: { "x-team": "shop" } }, "look")
    expect(requests[0]?.headers).toMatchObject({ "x-team": "shop" })
  },
  "mcpServers.<name>.trust": async (world) => {
    const started = async (trust: boolean) => {
      const model = world.calls("mcp__odd__work", {})
      const mcpServers = { odd: { ...odd("annotated"), trust } }
      return eventIn(await world.turn({ model, ...allowed, mcpServers }), "tool.started").class
    }
    expect(await started(false)).toBe("unsafe")
    expect(await started(true)).toBe("read")
  },
  "mcpServers.<name>.type": async (world, test) => {
    const { url } = await startHttpServer(test)
    expect(await call(world, { type: "http", url }, "look")).toBe("done: seen")
    expect(await call(world, { type: "stdio", url }, "look")).toContain("There is no tool")
  },
  "mcpServers.<name>.cwd": async (world) => {
    const server = telling(world, "process.cwd()")
    expect(await call(world, server)).toBe(`done: ${realpathSync(world.cwd)}`)
    expect(await call(world, { ...server, cwd: world.root })).toBe(`done: ${realpathSync(world.root)}`)
  },
  "mcpServers.<name>.disabled": async (world) => {
    expect(await call(world, { ...odd("well"), disabled: true })).toContain("There is no tool")
  },
  "mcpServers.<name>.shared": async (world) => {
    const processes = async (shared: boolean) => {
      const log = world.write(`shared-${String(shared)}.log`, "")
      const running = await world.start({ ...allowed, mcpServers: { odd: { ...odd("well", log), shared } } })
      for (const _ of [1, 2]) {
        await prompted(await world.created(running, { model: world.calls("mcp__odd__work", {}) }), "go")
      }
      return readFileSync(log, "utf8").match(/^started/gm)?.length
    }
    expect(await processes(false)).toBe(2)
    expect(await processes(true)).toBe(1)
  },
  "mcpServers.<name>.timeout": async (world) => {
    expect(await call(world, { ...odd("hang-call"), timeout: 1 })).toContain("did not answer in 1 s")
  },
  "mcpServers.<name>.startTimeout": async (world) => {
    const running = await world.start({ ...allowed, mcpServers: { odd: { ...odd("hang-start"), startTimeout: 1 } } })
    await prompted(await world.created(running, { model: world.calls("mcp__odd__work", {}) }), "go")
    expect(await running.port.query({ type: "mcp-servers" })).toMatchObject({
      value: [{ state: "failed", lastError: "it did not answer in 1 s" }],
    })
  },
  "mcpServers.<name>.oauth.clientId": async (world, test) => {
    const fields = (await login(world, test, { clientId: "house-app" })).fields
    expect(fields.get("/device")).toMatchObject({ client_id: "house-app" })
  },
  "mcpServers.<name>.oauth.clientSecret": async (world, test) => {
    const server = await login(world, test, { clientId: "house-app", clientSecret: "s-7751" })
    const sent = JSON.stringify([...server.fields.values(), ...server.authorizations.values()])
    expect([sent.includes("s-7751"), sent.includes(btoa("house-app:s-7751"))]).toContain(true)
  },
  "mcpServers.<name>.oauth.scopes": async (world, test) => {
    const fields = (await login(world, test, { scopes: ["orders:read"] })).fields
    expect(fields.get("/device")).toMatchObject({ scope: "orders:read" })
  },
}

/** The authorization server after a login with these settings. */
async function login(world: World, test: Test, oauth: Server["oauth"]) {
  const server = await startAuthorizationServer()
  test.onTestFinished(() => server.close())
  world.write("home/config.json", JSON.stringify({ mcpServers: { odd: { url: server.mcpUrl, oauth } } }))
  const { code, stderr } = await world.program("mcp", "login", "odd", "--device")
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" })
  return server
}
