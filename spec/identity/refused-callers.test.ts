// Callers that are refused: without a required token, from other origins, or under another host name; and what a server
// on a public address needs.
import { request } from "node:http"
import { afterEach, beforeAll, describe, expect, it } from "vitest"
import { HouseClient } from "../../src/clients/house/house-client.ts"
import { WsClient } from "../../src/testing/doors/served-ws.ts"
import { eventually } from "../e2e/eventually.ts"
import { newPlace } from "../e2e/turnhouse.ts"
import { needBuild } from "../built.ts"
import { selfSigned } from "./certificate.ts"
import { encoded, hmacToken, secret, serve, served, started } from "./served.ts"

const auth = { mode: "jwt", secret }

describe("case 6: a server that requires a token", () => {
  const server = served({ server: { auth: { ...auth, anonymous: "refuse" } } })

  it("answers the upgrade with 401 and opens no socket", async () => {
    const expired = hmacToken({ sub: "ada", exp: 1 })
    for (const token of [undefined, "", "nonsense", expired])
      await expect(server().connect(token)).rejects.toThrow("401")
    const client = await server().connect(hmacToken({ sub: "ada" }))
    await client.settled()
  })

  it("disconnects a client whose token expires", async () => {
    const client = await server().connect(hmacToken({ sub: "ada", exp: Math.floor(Date.now() / 1000) + 5 }))
    expect(await client.closed).toEqual({ code: 1008, reason: "the token has expired" })
  })
})

describe("a server on localhost", () => {
  const server = served({ server: { auth, origins: ["https://*.shop.example"] } })

  it("refuses upgrades from other origins and from the origin null", async () => {
    for (const origin of ["https://evil.example", "null", "https://shop.example.evil", "http://shop.example"])
      await expect(server().connect(hmacToken({ sub: "ada" }), { origin })).rejects.toThrow("403")
    for (const origin of ["https://shop.example", "https://www.shop.example", "http://localhost:3000"])
      await (await server().connect(undefined, { origin })).close()
  })

  it("refuses requests with another host name", async () => {
    for (const path of ["/ws", "/house", "/admin/me", "/metrics", "/healthz", "/"]) {
      const [status] = await server().get(path, { host: "evil.example", authorization: `Bearer ${server().key}` })
      expect(status).toBe(403)
    }
    const headers = { host: "evil.example:8787", origin: "http://evil.example:8787" }
    await expect(server().connect(undefined, headers)).rejects.toThrow("403")
    const house = `${server().url.replace("http", "ws")}/house`
    await expect(WsClient.open(house, headers)).rejects.toThrow("403")
    await expect(WsClient.open(house, { origin: "null" })).rejects.toThrow("403")
  })

  beforeAll(needBuild)

  it("shows the console at its root address and no file of the home", async () => {
    expect(await server().get("/")).toEqual([200, expect.stringContaining("<title>Turnhouse</title>")])
    expect((await server().get("/../console.key"))[0]).toBe(404)
  })
})

describe("a public address", () => {
  it("is refused without authentication, with an error that says what to do", async (test) => {
    const place = newPlace(test)
    const refused = async (config: object, ...args: readonly string[]) => {
      place.config({ server: config })
      const { code, stdout, stderr } = await place.run("serve", "--port", "0", ...args)
      expect([code, stdout]).toEqual([2, ""])
      return stderr
    }
    expect(await refused({}, "--host", "0.0.0.0")).toMatch(/server\.auth .*--host 127\.0\.0\.1/)
    expect(await refused({ host: "::" })).toContain("server.auth")
    expect(await refused({ behindProxy: true })).toContain("server.auth")
    expect(await refused({ host: "0.0.0.0", auth: { mode: "proxy" } })).toContain("server.behindProxy")
    expect(await refused({ auth: { mode: "jwt", secret, publicKey: "x" } })).toContain("exactly one")
    expect(await refused({ auth: { mode: "jwt", secret: "x".repeat(31) } })).toContain("HS256 needs at least 32")
    expect(await refused({ auth: { mode: "none", anonymous: "refuse" } })).toContain("every caller")
    expect(await refused({ auth: { mode: "jwt", publicKey: "-----BEGIN nonsense" } })).toContain("PEM")
    expect(await refused({ auth: { mode: "jwt", jwks: "http://login.example/keys" } })).toContain("https")
    expect(await refused({ tls: { cert: "/none.pem", key: "/none.pem" } })).toContain("server.tls.cert")
    place.config({ agents: { a: { embed: { origins: [], org: "local" } } } })
    expect(await place.run("serve")).toMatchObject({ code: 2, stderr: expect.stringContaining("embed.org") })
  })

  it("admits only token holders and embedded visitors, and hides its metrics", async (test) => {
    const place = newPlace(test)
    const server = { host: "0.0.0.0", auth: { ...auth, anonymous: "visitor" } }
    const bare = await serve(place, { server })
    expect(bare.running.stderr).toContain("without TLS")
    const at = bare.url.replace("0.0.0.0", "127.0.0.1").replace("http", "ws")
    await expect(WsClient.open(`${at}/ws`)).rejects.toThrow("401")
    const get = async (path: string, headers = {}) => await statusOf(at.replace("ws", "http") + path, headers)
    await eventually("it is ready", async () => (await get("/readyz")) === 200 || undefined)
    expect(await get("/metrics")).toBe(401)
    expect(await get("/metrics", { authorization: `Bearer ${hmacToken({ sub: "a", role: "admin" })}` })).toBe(401)
    expect(await get("/metrics", { authorization: `Bearer ${bare.key}` })).toBe(200)
    const session = (await place.run("new")).stdout.trim()
    const linked = async (...args: readonly string[]) => {
      const key = (await place.run("link", ...args)).stdout.trim().replace(/^.*#key=/, "")
      return get("/metrics", { authorization: `Bearer ${key}` })
    }
    expect([await linked("--role", "watch"), await linked("--session", session)]).toEqual([200, 401])
    expect(await get("/admin/conversations")).toBe(401)
    expect(await get("/healthz")).toBe(200)
    expect(await get("/healthz", { origin: "http://localhost:3000" })).toBe(403)
    bare.running.signal("SIGTERM")
    await bare.running.ended
    const agents = { shop: { embed: { origins: ["https://shop.example"] } }, staff: {} }
    const widget = await serve(place, { server, agents })
    const url = widget.url.replace("0.0.0.0", "127.0.0.1").replace("http", "ws")
    const visitor = await WsClient.open(`${url}/ws`, { origin: "https://shop.example" })
    await visitor.create({ agentId: "shop" })
    for (const agentId of ["staff", "unknown"]) {
      const asked = { action: "create_conversation_session", requestId: agentId, agentId }
      expect(await visitor.ask(asked)).toMatchObject({ error: { code: "AGENT_NOT_AUTHORIZED" } })
    }
  })

  it("serves TLS with the configured certificate", async (test) => {
    const place = newPlace(test)
    const tls = selfSigned(place.root)
    const { url, running } = await serve(place, { server: { host: "0.0.0.0", auth, tls } })
    expect(url).toMatch(/^https:/)
    expect(running.stderr).not.toContain("without TLS")
    const token = hmacToken({ sub: "ada", org: "acme" })
    const client = await WsClient.open(
      `${url.replace("https", "wss").replace("0.0.0.0", "127.0.0.1")}/ws?token=${token}`,
    )
    await client.create()
    await expect(statusOf(url.replace("https", "http").replace("0.0.0.0", "127.0.0.1"))).rejects.toThrow("hang up")
  })
})

describe("claims from a proxy", () => {
  const claims = encoded({ sub: "ada", org: "acme", role: "admin" })
  const proved = { "turnhouse-proxy-secret": secret }
  const server = served({ server: { auth: { mode: "proxy", secret } } })
  const me = async (headers: object) => JSON.parse((await server().get("/admin/me", { ...headers }))[1])

  it("are accepted in a header or as the token, with the shared secret", async () => {
    const known = { userId: "ada", orgId: "acme", role: "admin" }
    expect(await me({ ...proved, "turnhouse-claims": claims })).toEqual(known)
    expect(await me({ ...proved, authorization: `Bearer ${claims}` })).toEqual(known)
    const other = encoded({ sub: "eve", org: "evil" })
    expect(await me({ ...proved, "turnhouse-claims": claims, authorization: `Bearer ${other}` })).toEqual(known)
  })

  it("are refused without the secret, when expired and when malformed", async () => {
    const bad = { error: { code: expect.any(String), message: expect.any(String) } }
    expect(await me({ "turnhouse-claims": claims })).toEqual(bad)
    expect(await me({ "turnhouse-claims": claims, "turnhouse-proxy-secret": "guess" })).toEqual(bad)
    for (const text of [
      "%",
      "",
      "bm8",
      encoded([1]),
      encoded({}),
      encoded({ sub: "a", exp: 1 }),
      encoded({ sub: "a", org: "local" }),
    ])
      expect(await me({ ...proved, "turnhouse-claims": text })).toEqual(bad)
  })
})

describe("rate limits", () => {
  const limits = { connections: 2, framesPerSecond: 5, sessionsPerHour: 3, sockets: 4 }
  const server = served({ server: { auth, limits } })
  const open: WsClient[] = []
  afterEach(async () => {
    for (const client of open.splice(0)) await client.close()
  })
  const connect = async (sub?: string) => {
    const client = await server().connect(sub === undefined ? undefined : hmacToken({ sub, org: "acme" }))
    open.push(client)
    return client
  }

  it("limit connections per caller and in total; a closed connection makes room", async () => {
    const first = await connect("ada")
    await connect("ada")
    await expect(connect("ada")).rejects.toThrow("429")
    await first.close()
    await eventually("room", () => connect("ada").catch(() => undefined))
    await connect()
    await connect()
    await expect(connect()).rejects.toThrow(/429|503/)
    await expect(connect("ben")).rejects.toThrow("503")
  })

  it("limit frames across all sockets of a caller, which stay open", async () => {
    const [one, other] = [await connect("cat"), await connect("cat")]
    for (const client of [one, other]) for (let n = 0; n < 30; n++) client.say({ action: "ping", requestId: `p${n}` })
    const all = () => [...one.frames, ...other.frames]
    await one.until(() => one.frames.length >= 30)
    await other.until(() => other.frames.length >= 30)
    const limited = all().filter((frame) => frame.type === "error" && frame.error.code === "RATE_LIMITED")
    expect(limited.length).toBeGreaterThanOrEqual(10)
    expect(limited.length).toBeLessThanOrEqual(40)
    expect(limited.every((frame) => "requestId" in frame && frame.requestId?.startsWith("p"))).toBe(true)
    const quiet = await connect("dog")
    await quiet.settled()
  })

  it("limit conversations per hour", async () => {
    const client = await connect("eel")
    for (let n = 0; n < 3; n++) await client.create()
    const asked = { action: "create_conversation_session", requestId: "one-more", agentId: "a" }
    expect(await client.ask(asked)).toMatchObject({ error: { code: "RATE_LIMITED" } })
  })
})

describe("the log of a server", () => {
  it("names the caller and contains no tokens or keys", async (test) => {
    const place = newPlace(test)
    const first = await serve(place, { server: { auth } })
    const token = hmacToken({ sub: "ada", org: "acme" })
    const client = await first.connect(token, { authorization: "Bearer planted-header" })
    await client.create({ authContext: { userId: "u", timestamp: 1, signature: "planted-signature" } })
    await client.close()
    await first.get(`/admin/me?token=planted-query&key=${first.key}`, { authorization: `Bearer ${token}` })
    await first.get(`/nowhere?key=${first.key}`, { cookie: "planted-cookie" })
    await expect(WsClient.open(`${first.url.replace("http", "ws")}/elsewhere?token=${token}`)).rejects.toThrow("400")
    const house = `${first.url.replace("http", "ws")}/house?key=planted-address`
    await expect(HouseClient.connect(house, { key: "planted-hello" })).rejects.toThrow("key")
    first.running.signal("SIGTERM")
    const { stderr } = await first.running.ended
    expect(stderr).toContain('"principal":"ada"')
    for (const planted of ["planted", token, token.split(".")[2] ?? "", first.key])
      expect(stderr).not.toContain(planted)
    const again = await started(place, "--port", "0")
    expect(again.key).toBe(first.key)
  })
})

function statusOf(url: string, headers: object = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers: { ...headers } }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    asked.on("error", reject).end()
  })
}
