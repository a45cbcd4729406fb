import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { startAuthorizationServer, type AuthorizationServerFixture } from "./fixtures/authorization-server.ts"
import { readServerLogin } from "./login-file.ts"
import { loginToServer, type ServerLoginRequest, type ServerLoginSurroundings } from "./login-to-server.ts"
import { logoutFromServer } from "./logout.ts"
import type { LoginRequest } from "./stored-login.ts"

let home: string
let server: AuthorizationServerFixture
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "turnhouse-mcp-login-"))
  server = await startAuthorizationServer()
})
afterEach(async () => {
  await server.close()
  rmSync(home, { recursive: true })
})

const unending = new AbortController().signal

function request(change: Partial<ServerLoginRequest> = {}): ServerLoginRequest {
  return { home, serverName: "shop", url: server.mcpUrl, method: "browser", ...change }
}

/** A user whose browser opens each address at once. */
function user(change: Partial<ServerLoginSurroundings> = {}): ServerLoginSurroundings {
  const show = (address: string) => {
    if (address.startsWith(server.url)) void fetch(address)
  }
  return { fetch, signal: unending, timeout: unending, show, pause: async () => {}, ...change }
}

function login(change: Partial<ServerLoginRequest> = {}, surroundings: Partial<ServerLoginSurroundings> = {}) {
  return loginToServer(request(change), user(surroundings))
}

describe("a login in the browser", () => {
  it("registers a client, proves that it asked for the code, and stores the tokens", async () => {
    await login()
    const stored = readServerLogin(home, server.mcpUrl)
    expect(stored).toMatchObject({
      kind: "tokens",
      url: server.mcpUrl,
      issuer: server.url,
      clientId: expect.stringMatching(/^client-/),
      access: expect.stringMatching(/^access-/),
      refresh: expect.stringMatching(/^refresh-/),
      resource: server.mcpUrl,
    })
    expect(server.fields.get("/authorize")).toMatchObject({
      code_challenge_method: "S256",
      resource: server.mcpUrl,
      scope: "tools",
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
    })
    expect(server.fields.get("/token")).toMatchObject({ grant_type: "authorization_code", resource: server.mcpUrl })
  })

  it("stores them in a file for its owner alone, in a folder that only the owner can open", async () => {
    await login()
    const folder = join(home, "mcp-logins")
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    const files = readdirSync(folder).filter((name) => name.endsWith(".json"))
    expect(files.map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600])
  })

  it("names each token to the redactor", async () => {
    const secrets: string[] = []
    await login({ onSecret: (name, value) => secrets.push(`${name} ${value}`) })
    expect(secrets).toEqual([expect.stringMatching(/^mcp\.shop access-/), expect.stringMatching(/^mcp\.shop refresh-/)])
  })

  it("uses the configured client, and does not store its secret", async () => {
    await login({ oauth: { clientId: "mine", clientSecret: "hush hush", scopes: ["read", "write"] } })
    expect(server.requests).not.toContain("POST /register")
    expect(server.fields.get("/authorize")).toMatchObject({ client_id: "mine", scope: "read write" })
    expect(server.authorizations.get("/token")).toBe(`Basic ${Buffer.from("mine:hush%20hush").toString("base64")}`)
    expect(readServerLogin(home, server.mcpUrl)).toMatchObject({ clientId: "mine", clientMethod: "basic" })
    const file = readdirSync(join(home, "mcp-logins")).find((name) => name.endsWith(".json")) ?? ""
    expect(readFileSync(join(home, "mcp-logins", file), "utf8")).not.toContain("hush")
  })

  it("sends the secret in the form where the server takes no header", async () => {
    server.metadata = { token_endpoint_auth_methods_supported: ["client_secret_post"] }
    await login({ oauth: { clientId: "mine", clientSecret: "hush" } })
    expect(server.fields.get("/token")).toMatchObject({ client_id: "mine", client_secret: "hush" })
  })

  it("belongs to the address of the server", async () => {
    await login()
    expect(readServerLogin(home, `${server.url}/other`)).toBeUndefined()
  })

  it("does not wait for another login that is not completed", async () => {
    const stop = new AbortController()
    const shown = Promise.withResolvers<void>()
    const waiting = login({}, { signal: stop.signal, show: () => shown.resolve() })
    await shown.promise
    await login()
    stop.abort(new Error("stopped"))
    await expect(waiting).rejects.toThrow("stopped")
    expect(readServerLogin(home, server.mcpUrl)).toMatchObject({ kind: "tokens" })
  })

  it("ends with one sentence when the user does not complete it", async () => {
    const timeout = new AbortController()
    const waiting = login({}, { timeout: timeout.signal, show: () => timeout.abort() })
    await expect(waiting).rejects.toThrow("the login was not completed within 5 minutes. Run the command again.")
    expect(readServerLogin(home, server.mcpUrl)).toBeUndefined()
  })

  it("ignores an answer with another state", async () => {
    const show = async (address: string) => {
      const back = new URL(new URL(address).searchParams.get("redirect_uri") ?? "")
      expect((await fetch(`${back.href}?code=x&state=wrong`)).status).toBe(404)
      await fetch(address)
    }
    await login({}, { show: (address) => void show(address) })
    expect(readServerLogin(home, server.mcpUrl)).toMatchObject({ kind: "tokens" })
  })

  it.each([
    ["another issuer", { iss: "https://evil.example" }],
    ["no issuer, although the server announces it", { iss: "" }],
  ])("refuses an answer with %s, and redeems no code", async (_, redirect) => {
    server.redirect = redirect
    await expect(login()).rejects.toThrow("the answer came from another authorization server. The login was stopped.")
    expect(server.requests).not.toContain("POST /token authorization_code")
  })

  it("is refused with a code that has expired", async () => {
    server.overrides.set("/token", (_request, response) => response.writeHead(400).end('{"error":"invalid_grant"}'))
    await expect(login()).rejects.toThrow("the login was refused (invalid_grant). Run the command again.")
  })

  it("can be denied by the user", async () => {
    server.overrides.set("/authorize", (_request, response, fields) => {
      const location = `${fields.get("redirect_uri")}?error=access_denied&state=${fields.get("state")}`
      response.writeHead(302, { location }).end()
    })
    await expect(login()).rejects.toThrow("the login was denied in the browser.")
  })
})

describe("a login on another device", () => {
  it("shows the code and slows down when asked", async () => {
    server.pending = ["authorization_pending", "slow_down", "authorization_pending"]
    const shown: string[] = []
    const pauses: number[] = []
    const show = (address: string, code = "") => void shown.push(`${address} ${code}`)
    await login({ method: "device" }, { show, pause: async (ms) => void pauses.push(ms) })
    expect(shown).toEqual(["https://example.com/device ABCD-1234"])
    expect(pauses).toEqual([1000, 1000, 6000, 6000])
    expect(server.fields.get("/device")).toMatchObject({ resource: server.mcpUrl, scope: "tools" })
    expect(readServerLogin(home, server.mcpUrl)).toMatchObject({ kind: "tokens" })
  })

  it.each([
    ["access_denied", "the login was denied in the browser."],
    ["expired_token", "the code has expired. Run the command again."],
    ["invalid_grant", "the login was refused (invalid_grant)."],
  ])("ends with %s", async (error, sentence) => {
    server.pending = [error]
    await expect(login({ method: "device" })).rejects.toThrow(sentence)
    expect(readServerLogin(home, server.mcpUrl)).toBeUndefined()
  })

  it("is refused where the server has none", async () => {
    server.metadata = { device_authorization_endpoint: undefined }
    await expect(login({ method: "device" })).rejects.toThrow("Run the command without --device.")
  })
})

const metadataPath = "/.well-known/oauth-authorization-server"
const oidcPath = "/.well-known/openid-configuration"

describe("a server that cannot be trusted", () => {
  it("is refused with metadata of another issuer", async () => {
    server.metadata = { issuer: "https://evil.example" }
    await expect(login()).rejects.toThrow("calls itself by another name. The login was stopped.")
  })

  it("is refused when it names another resource", async () => {
    server.overrides.set("/.well-known/oauth-protected-resource/mcp", (_request, response) => {
      const body = { resource: "https://bank.example/mcp", authorization_servers: [server.url] }
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
    })
    await expect(login()).rejects.toThrow("names another server as the one to log in for. The login was stopped.")
  })

  it.each([
    ["token_endpoint", "an address for the login (as.example) has no https"],
    ["registration_endpoint", "an address for the login (as.example) has no https"],
    ["authorization_endpoint", "the page for the login (as.example) has no https"],
  ])("is refused with %s without https", async (endpoint, sentence) => {
    server.metadata = { [endpoint]: "http://as.example/x" }
    await expect(login({}, { resolve: async () => ["192.0.2.1"] })).rejects.toThrow(sentence)
  })

  it("is refused without https outside of this machine", async () => {
    await expect(login({ url: "http://mcp.example/mcp" })).rejects.toThrow(
      "the address of the MCP server (mcp.example) has no https, so a token could be read in transit. Use https.",
    )
  })

  it("is refused when it leads from the internet into a private network", async () => {
    const addresses: Record<string, string[]> = { "mcp.example": ["93.184.216.34"], "as.example": ["10.0.0.7"] }
    const asked: string[] = []
    const answers: typeof fetch = async (input) => {
      asked.push(new URL(input instanceof Request ? input.url : input).host)
      return Response.json({ resource: "https://mcp.example/mcp", authorization_servers: ["https://as.example"] })
    }
    const surroundings = { fetch: answers, resolve: async (host: string) => addresses[host] ?? [] }
    await expect(login({ url: "https://mcp.example/mcp" }, surroundings)).rejects.toThrow(
      "the address as.example for the login is in a private network, but the MCP server is not.",
    )
    expect(asked).not.toContain("as.example")
  })

  it("is not followed when it redirects the metadata to another host", async () => {
    const other = await startAuthorizationServer()
    for (const path of [metadataPath, oidcPath])
      server.overrides.set(path, (_request, response) =>
        response.writeHead(302, { location: `${other.url}${metadataPath}` }).end(),
      )
    await expect(login()).rejects.toThrow(/offers no login|gave no answer about its login/)
    expect(other.requests).toEqual([])
    await other.close()
  })

  it("is not followed when it redirects the token request", async () => {
    server.overrides.set("/token", (_request, response) => response.writeHead(307, { location: "/elsewhere" }).end())
    await expect(login()).rejects.toThrow("gave no answer that can be used")
    expect(server.requests).not.toContain("POST /elsewhere authorization_code")
  })

  it.each([
    ["text that is not JSON", "<html>Secret-Text</html>"],
    ["10 MB", `{"x":"${"y".repeat(10_000_000)}"}`],
  ])("is refused when it answers with %s, which is not shown", async (_, text) => {
    for (const path of [metadataPath, oidcPath])
      server.overrides.set(path, (_request, response) => response.writeHead(200).end(text))
    const failed = login()
    await expect(failed).rejects.toThrow(/gave no answer about its login that can be used|sent more than/)
    await expect(failed).rejects.not.toThrow("Secret-Text")
  })

  it.each(["/register", "/token"])("is refused when %s answers with garbage", async (path) => {
    server.overrides.set(path, (_request, response) => response.writeHead(200).end("\u0000Secret-Text{"))
    const failed = login()
    await expect(failed).rejects.toThrow(/did not register Turnhouse|gave no answer that can be used/)
    await expect(failed).rejects.not.toThrow("Secret-Text")
  })

  it.each(["/mcp", metadataPath, "/register", "/token"])("is left at once when %s never answers", async (path) => {
    const stop = new AbortController()
    server.overrides.set(path, () => stop.abort(new Error("stopped")))
    await expect(login({}, { signal: stop.signal })).rejects.toThrow("stopped")
  })

  it("is named when it cannot be reached", async () => {
    const gone = await startAuthorizationServer()
    await gone.close()
    await expect(login({ url: gone.mcpUrl })).rejects.toThrow("gave no answer about its login that can be used")
  })

  it("needs a configured client where it registers none", async () => {
    server.metadata = { registration_endpoint: undefined }
    await expect(login()).rejects.toThrow("Register Turnhouse there and set mcpServers.shop.oauth.clientId.")
  })
})

describe("a logout", () => {
  const logout = () =>
    logoutFromServer({ home, serverName: "shop", url: server.mcpUrl } satisfies LoginRequest, { fetch })

  it("removes the tokens and revokes them", async () => {
    await login()
    expect(await logout()).toBe("revoked")
    expect(server.revoked).toEqual([expect.stringMatching(/^refresh-/)])
    expect(readServerLogin(home, server.mcpUrl)).toBeUndefined()
  })

  it("removes the tokens where the server cannot revoke them", async () => {
    await login()
    server.overrides.set("/revoke", (_request, response) => response.writeHead(500).end())
    expect(await logout()).toBe("unrevoked")
    expect(readServerLogin(home, server.mcpUrl)).toBeUndefined()
  })

  it("reports that there was no login", async () => {
    expect(await logout()).toBe("none")
  })
})
