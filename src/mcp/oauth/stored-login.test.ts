import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { startAuthorizationServer, type AuthorizationServerFixture } from "./fixtures/authorization-server.ts"
import { changeServerLogin, readServerLogin, storedServerSecrets, type ServerTokens } from "./login-file.ts"
import { loginToServer } from "./login-to-server.ts"
import { NeedsLogin } from "./needs-login.ts"
import { storedLogin, type StoredLoginRequest } from "./stored-login.ts"

let home: string
let server: AuthorizationServerFixture
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "turnhouse-mcp-stored-"))
  server = await startAuthorizationServer()
})
afterEach(async () => {
  await server.close()
  rmSync(home, { recursive: true })
})

const unending = new AbortController().signal
const ping = { method: "POST", body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' }

async function loggedIn(): Promise<ServerTokens> {
  const show = (address: string) => void fetch(address)
  const request = { home, serverName: "shop", url: server.mcpUrl, method: "browser" } as const
  await loginToServer(request, { fetch, signal: unending, timeout: unending, show })
  server.requests.length = 0
  const stored = readServerLogin(home, server.mcpUrl)
  if (stored?.kind !== "tokens") throw new Error("there is no login")
  return stored
}

function client(change: Partial<StoredLoginRequest> = {}) {
  return storedLogin({ home, serverName: "shop", url: server.mcpUrl, ...change })
}

function refreshes(): number {
  return server.requests.filter((request) => request === "POST /token refresh_token").length
}

const command = "needs a login: turnhouse mcp login shop"

describe("a request with a stored login", () => {
  it("sends the token, and names it to the redactor", async () => {
    const { access, refresh } = await loggedIn()
    const secrets: string[] = []
    const send = client({ onSecret: (name, value) => secrets.push(`${name} ${value}`) })
    expect((await send(server.mcpUrl, ping)).status).toBe(200)
    expect(server.requests).toEqual(["POST /mcp"])
    expect(secrets).toEqual([`mcp.shop ${access}`, `mcp.shop ${refresh}`])
    expect(storedServerSecrets(home)).toEqual([access, refresh])
  })

  it("sends the token to no other origin", async () => {
    await loggedIn()
    const other = await startAuthorizationServer()
    await client()(`${other.url}/mcp`, ping)
    expect(other.authorizations.get("/mcp")).toBeUndefined()
    await other.close()
  })

  it("leaves a header that the configuration sets", async () => {
    await loggedIn()
    const response = await client()(server.mcpUrl, { ...ping, headers: { Authorization: "Bearer own" } })
    expect(response.status).toBe(401)
    expect(server.authorizations.get("/mcp")).toBe("Bearer own")
    expect(refreshes()).toBe(0)
  })

  it("renews the token before it expires", async () => {
    server.lifetime = 30
    const before = await loggedIn()
    server.lifetime = 3600
    expect((await client()(server.mcpUrl, ping)).status).toBe(200)
    expect(server.requests).toEqual(["POST /token refresh_token", "POST /mcp"])
    expect(server.fields.get("/token")).toMatchObject({ client_id: before.clientId, resource: server.mcpUrl })
    expect(readServerLogin(home, server.mcpUrl)).not.toMatchObject({ refresh: before.refresh })
  })

  it("renews a refused token once for 20 requests at the same time", async () => {
    await loggedIn()
    server.validTokens.clear()
    const send = client()
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(server.mcpUrl, ping)))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    expect(refreshes()).toBe(1)
  })

  it("renews a refused token once for two processes with 10 requests each", async () => {
    await loggedIn()
    server.validTokens.clear()
    const script = fileURLToPath(new URL("fixtures/requests.ts", import.meta.url))
    const printed = await Promise.all(
      [1, 2].map(() => {
        const child = spawn(process.execPath, [script, home, server.mcpUrl, "10"], {
          stdio: ["ignore", "pipe", "inherit"],
        })
        return text(child.stdout)
      }),
    )
    const ok = `${Array.from({ length: 10 }, () => 200).join(" ")}\n`
    expect(printed).toEqual([ok, ok])
    expect(refreshes()).toBe(1)
  })

  it("does not renew again for a late refusal of the old token", async () => {
    await loggedIn()
    const refusal = Promise.withResolvers<Response>()
    const sent = Promise.withResolvers<void>()
    const answers = [refusal.promise]
    const late = client({
      fetch: (input, init) => {
        sent.resolve()
        return (input === server.mcpUrl ? answers.pop() : undefined) ?? fetch(input, init)
      },
    })
    const answer = late(server.mcpUrl, ping)
    await sent.promise
    server.validTokens.clear()
    await client()(server.mcpUrl, ping)
    refusal.resolve(new Response(null, { status: 401 }))
    expect((await answer).status).toBe(200)
    expect(refreshes()).toBe(1)
  })
})

describe("a server that needs a login", () => {
  it("is named with the command, and remembered", async () => {
    const failed = client()(server.mcpUrl, ping)
    await expect(failed).rejects.toThrow(NeedsLogin)
    await expect(failed).rejects.toThrow(command)
    expect(readServerLogin(home, server.mcpUrl)).toEqual({ kind: "needed", url: server.mcpUrl })
  })

  it("is one whose refresh token is rejected: its tokens are removed", async () => {
    const login = await loggedIn()
    await changeServerLogin(home, server.mcpUrl, () => ({ ...login, refresh: "used" }))
    server.validTokens.clear()
    await expect(client()(server.mcpUrl, ping)).rejects.toThrow(command)
    expect(readServerLogin(home, server.mcpUrl)).toEqual({ kind: "needed", url: server.mcpUrl })
    await expect(client()(server.mcpUrl, ping)).rejects.toThrow(NeedsLogin)
    expect(refreshes()).toBe(1)
  })

  it("is one whose token has expired and cannot be renewed", async () => {
    const { refresh: _none, ...login } = await loggedIn()
    await changeServerLogin(home, server.mcpUrl, () => ({ ...login, expiresAt: 1 }))
    await expect(client()(server.mcpUrl, ping)).rejects.toThrow(command)
  })

  it("is one that refuses the new token, too", async () => {
    await loggedIn()
    server.overrides.set("/mcp", (_request, response) => response.writeHead(401).end())
    await expect(client()(server.mcpUrl, ping)).rejects.toThrow(command)
    expect(server.requests).toEqual(["POST /mcp", "POST /token refresh_token", "POST /mcp"])
  })

  it("is one with another client in the configuration", async () => {
    await loggedIn()
    await expect(client({ oauth: { clientId: "mine" } })(server.mcpUrl, ping)).rejects.toThrow(command)
    expect(server.authorizations.get("/mcp")).toBeUndefined()
  })

  it("is one at another address than the one of the login", async () => {
    await loggedIn()
    server.overrides.set("/other", (_request, response) => response.writeHead(401).end())
    await expect(client({ url: `${server.url}/other` })(`${server.url}/other`, ping)).rejects.toThrow(command)
    expect(server.authorizations.get("/other")).toBeUndefined()
  })

  it.each(["", "{", "[]", '{"version":2}', '{"version":1,"kind":"tokens","url":"x"}'])(
    "is one with a damaged file: %j",
    async (content) => {
      await loggedIn()
      const file = readdirSync(join(home, "mcp-logins")).find((name) => name.endsWith(".json")) ?? ""
      writeFileSync(join(home, "mcp-logins", file), content)
      await expect(client()(server.mcpUrl, ping)).rejects.toThrow(command)
    },
  )
})

describe("an authorization server that cannot renew a token", () => {
  it.each([
    ["is busy", 503, "{}", "the login cannot be renewed at the moment (status 503). Try again later."],
    ["answers with garbage", 200, "<html>", "gave no answer that can be used"],
    ["answers with 10 MB", 200, `"${"x".repeat(10_000_000)}"`, "sent more than"],
    ["redirects", 307, "", "gave no answer that can be used"],
  ])("%s: the login stays", async (_, status, body, sentence) => {
    const login = await loggedIn()
    server.validTokens.clear()
    server.overrides.set("/token", (_request, response) => response.writeHead(status, { location: "/x" }).end(body))
    const failed = client()(server.mcpUrl, ping)
    await expect(failed).rejects.toThrow(sentence)
    await expect(failed).rejects.toThrow('MCP server "shop"')
    await expect(failed).rejects.not.toThrow(NeedsLogin)
    expect(readServerLogin(home, server.mcpUrl)).toEqual(login)
  })
})
