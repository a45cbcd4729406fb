// `turnhouse mcp` of the real program.
import { randomUUID } from "node:crypto"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, type TestContext } from "vitest"
import { startAuthorizationServer } from "../../src/mcp/oauth/fixtures/authorization-server.ts"
import { object } from "../e2e/printed.ts"
import { runningWith } from "../e2e/processes.ts"
import { newPlace, type Place } from "../e2e/turnhouse.ts"

const script = fileURLToPath(new URL("../../src/app/mcp/fixtures/stdio-server.ts", import.meta.url))

/** Servers that the user has given Claude Code are used in every folder. */
function placeWith(test: TestContext, mcpServers: object): Place {
  const place = newPlace(test)
  writeFileSync(join(place.root, "user", ".claude.json"), JSON.stringify({ mcpServers }))
  return place
}

function stdio(mode: string, word = "") {
  return { command: process.execPath, args: [script, mode, word] }
}

async function oauthServer(test: TestContext) {
  const server = await startAuthorizationServer()
  test.onTestFinished(() => server.close())
  return server
}

describe.concurrent("mcp ls", () => {
  it("lists servers without starting them", async (test) => {
    const place = placeWith(test, { shop: { command: "no-such-program" }, bad: { type: "sse", url: "https://x/" } })
    const listed = await place.run("mcp", "ls", "--json")
    expect(listed.code).toBe(1)
    expect(object(listed.stdout)["servers"]).toMatchObject([
      { name: "bad", state: "invalid", problem: expect.stringContaining('"sse" is not supported') },
      { name: "shop", transport: "stdio", state: "not started", trusted: false },
    ])
    const { stdout, stderr } = await place.run("mcp", "ls")
    expect(stdout).toMatch(/^NAME +TRANSPORT +STATE +TRUST +FROM\n/)
    expect(stderr).toContain('MCP server "bad": the transport "sse" is not supported')
  })

  it("says how to add one where there is none", async (test) => {
    expect(await newPlace(test).run("mcp", "ls")).toMatchObject({ code: 0, stdout: expect.stringContaining("mcp add") })
  })
})

describe.concurrent("mcp test", () => {
  it("shows what a server has, and leaves no process", async (test) => {
    const word = randomUUID()
    const place = placeWith(test, { shop: stdio("usual", word) })
    const { code, stdout } = await place.run("mcp", "test", "shop")
    expect(code).toBe(0)
    expect(stdout).toContain("server        shop 1.2.3\nprotocol      2025-06-18\n")
    expect(stdout).toMatch(/find_part +unsafe +readOnly +Finds a part\.\n/)
    expect(object((await place.run("mcp", "test", "shop", "--json")).stdout)).toMatchObject({ kind: "answered" })
    expect(runningWith(word)).toEqual([])
  })

  it("fails with exit code 1 and the last line of stderr", async (test) => {
    const place = placeWith(test, { shop: stdio("broken") })
    const { code, stderr } = await place.run("mcp", "test", "shop")
    expect(code).toBe(1)
    expect(stderr).toContain("its last line on stderr: the shop is closed\n")
  })

  it("ends with exit code 4 for a server that cannot be reached", async (test) => {
    const gone = await startAuthorizationServer()
    await gone.close()
    const { code, stderr } = await placeWith(test, { shop: { url: gone.mcpUrl } }).run("mcp", "test", "shop")
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: 'turnhouse: MCP server "shop": it cannot be reached (ECONNREFUSED)\n',
    })
  })

  it("reports a server that ends while it lists its tools, and leaves no process", async (test) => {
    const word = randomUUID()
    const { code, stderr } = await placeWith(test, { shop: stdio("dying", word) }).run("mcp", "test", "shop")
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'turnhouse: MCP server "shop": it ended with exit code 5\nturnhouse: its last line on stderr: out of stock\n',
    })
    expect(runningWith(word)).toEqual([])
  })

  it("suggests the nearest name for an unknown one, with exit code 2", async (test) => {
    const { code, stderr } = await placeWith(test, { shop: stdio("usual") }).run("mcp", "test", "shpo")
    expect(code).toBe(2)
    expect(stderr).toContain('no MCP server is named "shpo". Did you mean shop?')
  })

  it("ends at Ctrl-C with its processes", async (test) => {
    const word = randomUUID()
    const place = placeWith(test, { shop: stdio("silent", word) })
    const running = place.start(["mcp", "test", "shop"])
    await test.expect.poll(() => runningWith(word).length, { timeout: 30_000 }).toBeGreaterThan(0)
    running.signal("SIGINT")
    expect(await running.ended).toMatchObject({ code: 130 })
    expect(runningWith(word)).toEqual([])
  })
})

describe.concurrent("mcp login", () => {
  it("logs in with a browser; the server then answers; logout revokes the tokens", async (test) => {
    const server = await oauthServer(test)
    const place = placeWith(test, { shop: { url: server.mcpUrl } })
    const refused = await place.run("mcp", "test", "shop")
    expect(refused).toMatchObject({
      code: 1,
      stderr: 'turnhouse: MCP server "shop" needs a login: turnhouse mcp login shop\n',
    })
    expect((await place.run("mcp", "ls")).stdout).toMatch(/shop +http +needs login/)
    const login = place.start(["mcp", "login", "shop"])
    const address = await login.until("an address", () => /^ {2}(http\S+)\n/m.exec(login.stderr)?.[1])
    await fetch(address)
    const { code, stdout, stderr } = await login.ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: "logged in at shop\n" })
    const folder = join(place.home, "mcp-logins")
    const files = readdirSync(folder).filter((name) => name.endsWith(".json"))
    expect(files.map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600])
    const stored = object(readFileSync(join(folder, files[0] ?? ""), "utf8"))
    expect(stderr).not.toContain(String(stored["access"]))
    expect(await place.run("mcp", "test", "shop")).toMatchObject({ code: 0 })
    expect((await place.run("mcp", "ls")).stdout).toMatch(/shop +http +logged in/)
    expect(await place.run("mcp", "logout", "shop")).toMatchObject({ code: 0, stdout: "logged out of shop\n" })
    expect(server.revoked).toEqual([stored["refresh"]])
    expect((await place.run("mcp", "logout", "shop")).code).toBe(1)
  })

  it("shows a code for another device", async (test) => {
    const server = await oauthServer(test)
    const place = placeWith(test, { shop: { url: server.mcpUrl } })
    const { code, stderr } = await place.run("mcp", "login", "shop", "--device")
    expect(stderr).toContain("enter the code ABCD-1234:\n\n  https://example.com/device\n")
    expect(code).toBe(0)
  })

  it("ends at once at Ctrl-C, with exit code 130", async (test) => {
    const server = await oauthServer(test)
    const login = placeWith(test, { shop: { url: server.mcpUrl } }).start(["mcp", "login", "shop"])
    await login.says("Waiting for the login.")
    login.signal("SIGINT")
    const { code, stderr } = await login.ended
    expect(code).toBe(130)
    expect(stderr).toContain("turnhouse: interrupted; nothing was changed\n")
  })

  it.for([
    ["a program", stdio("usual"), "is a program on this machine and has no login."],
    ["a server with a key", { url: "https://x/", headers: { authorization: "Bearer x" } }, "used instead of a login"],
  ] as const)("is refused for %s", async ([, shop, sentence], test) => {
    const { code, stderr } = await placeWith(test, { shop }).run("mcp", "login", "shop")
    expect(code).toBe(2)
    expect(stderr).toContain(sentence)
  })
})

describe.concurrent("mcp add and mcp rm", () => {
  const config = (place: Place) => object(readFileSync(join(place.home, "config.json"), "utf8"))["mcpServers"]

  it("change the user's configuration", async (test) => {
    const place = newPlace(test)
    const command = ["--env", "MODE=test", "--trust", "--", "node", "shop.mjs", "--env", "-x"]
    const added = await place.run("mcp", "add", "shop", ...command)
    expect(added).toMatchObject({ code: 0, stdout: `added shop to ${join(place.home, "config.json")}\n` })
    expect(config(place)).toEqual({
      shop: { command: "node", args: ["shop.mjs", "--env", "-x"], env: { MODE: "test" }, trust: true },
    })
    const removed = await place.run("mcp", "rm", "shop")
    expect(removed).toMatchObject({ code: 0, stdout: `removed shop from ${join(place.home, "config.json")}\n` })
    expect(config(place)).toEqual({})
  })

  it("warn of a secret, which is not shown", async (test) => {
    const place = newPlace(test)
    const header = "Authorization: Bearer hush-hush-1234"
    const { stderr } = await place.run("mcp", "add", "web", "https://mcp.example/mcp", "--header", header)
    expect(stderr).toContain("mcpServers.web.headers.Authorization seems to be a secret")
    expect(stderr).not.toContain("hush")
    expect(config(place)).toMatchObject({ web: { headers: { Authorization: "Bearer hush-hush-1234" } } })
  })

  it("name the file that defines a server", async (test) => {
    const place = placeWith(test, { shop: { command: "shop" } })
    const { code, stderr } = await place.run("mcp", "rm", "shop")
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `turnhouse: MCP server "shop" is defined in ${join(place.root, "user", ".claude.json")}. Remove it there.\n`,
    })
  })

  it.for([
    [["add", "shop"], "name an address or a command"],
    [["add", "my shop", "--", "x"], "its name must be 1 to 48 letters"],
    [["add", "shop", "ftp://shop.example/"], 'its "url" is not an address with http or https'],
    [["add", "shop", "https://x/", "--env", "A=b"], "--env works only with a command"],
    [["add", "shop", "--header", "nonsense", "https://x/"], "--header K:V: value 1 has no ':' after a name"],
    [["rm", "shop", "--trust"], "--trust works only with 'mcp add'"],
    [["rm"], "name a server: turnhouse mcp rm NAME"],
    [["nonsense"], "unknown action 'mcp nonsense'"],
    [[], "Use 'mcp ls'"],
  ] as const)("refuse %j with exit code 2", async ([args, sentence], test) => {
    const { code, stderr } = await newPlace(test).run("mcp", ...args)
    expect(code).toBe(2)
    expect(stderr).toContain(sentence)
  })
})
