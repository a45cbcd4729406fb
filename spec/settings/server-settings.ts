// Settings of `turnhouse serve`, each tried on a server that is a process of its own.
import { createHmac } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect } from "vitest"
import type { WsClient } from "../../src/testing/doors/served-ws.ts"
import { newPlace } from "../e2e/turnhouse.ts"
import { selfSigned } from "../identity/certificate.ts"
import { hmacToken, rsaKeys, rsaToken, secret, serve, started, type Served } from "../identity/served.ts"
import { dataOf, runTurn, startTurn } from "../ws/conversation.ts"
import type { SettingTests, Test } from "./setting-tests.ts"

const jwt = { mode: "jwt", secret }
const welcome = "immediate_response"

function serving(test: Test, server: object, more: object = {}): Promise<Served> {
  return serve(newPlace(test), { ...more, server })
}

/** The status of a request that says who is calling. */
async function me(served: Served, token: string): Promise<number> {
  return (await served.get("/admin/me", { authorization: `Bearer ${token}` }))[0]
}

/** What a visitor gets who asks for an agent: a session, or the code of the error. */
async function createConversation(client: WsClient, agentId: string, more: object = {}): Promise<string> {
  const requestId = `in-${client.frames.length}`
  const answer = await client.ask({ action: "create_conversation_session", requestId, agentId, ...more })
  return answer.type === "error" ? answer.error.code : answer.type
}

/** Whether one of twenty pings in a row is too many. */
async function isRateLimited(served: Served): Promise<boolean> {
  const client = await served.connect(hmacToken({ sub: "ada" }))
  const ids = Array.from({ length: 20 }, (_, at) => `ping-${at}`)
  const answers = await Promise.all(ids.map((requestId) => client.ask({ action: "ping", requestId })))
  return answers.some((answer) => answer.type === "error" && answer.error.code === "RATE_LIMITED")
}

/** From a page of the shop's web site. */
function fromShop(served: Served): Promise<WsClient> {
  return served.connect(undefined, { origin: "https://shop.example" })
}

async function isAccepted(connecting: Promise<WsClient>): Promise<boolean> {
  return connecting.then(
    () => true,
    () => false,
  )
}

const shopKey = "the key of the shop"

/** How a web site vouches for its visitor. */
function signed(userId: string, key: string): object {
  const timestamp = Date.now()
  return { userId, timestamp, signature: createHmac("sha256", key).update(`${userId}:${timestamp}`).digest("hex") }
}

/** Why `serve` does not start. */
async function refusal(test: Test, server: object): Promise<string> {
  const place = newPlace(test)
  place.config({ server })
  return (await place.run("serve", "--port", "0")).stderr
}

async function freePort(): Promise<number> {
  const server = createServer()
  const address = await new Promise<AddressInfo | string | null>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve(server.address())),
  )
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === "string") throw new Error("no port")
  return address.port
}

export const serverSettings: SettingTests = {
  "server.host": async (_, test) => {
    expect((await serving(test, {})).url).toContain("//127.0.0.1:")
    expect((await serving(test, { host: "127.0.0.2" })).url).toContain("//127.0.0.2:")
  },
  "server.port": async (_, test) => {
    const place = newPlace(test)
    const port = await freePort()
    place.config({ model: place.script([]), server: { port } })
    expect((await started(place)).url).toBe(`http://127.0.0.1:${port}`)
  },
  "server.auth.mode": async (_, test) => {
    const nonsense = "nonsense"
    expect(await me(await serving(test, { auth: { mode: "none" } }), nonsense)).toBe(200)
    expect(await me(await serving(test, { auth: jwt }), nonsense)).toBe(401)
  },
  "server.auth.secret": async (_, test) => {
    const other = "another secret of thirty-two characters"
    const served = await serving(test, { auth: { mode: "jwt", secret: other } })
    expect(await me(served, hmacToken({ sub: "ada" }, secret))).toBe(401)
    expect(await me(served, hmacToken({ sub: "ada" }, other))).toBe(200)
  },
  "server.auth.publicKey": async (_, test) => {
    const [mine, other] = [rsaKeys(), rsaKeys()]
    const publicKey = mine.publicKey.export({ type: "spki", format: "pem" }).toString()
    const served = await serving(test, { auth: { mode: "jwt", publicKey } })
    expect(await me(served, rsaToken({ sub: "ada" }, other.privateKey))).toBe(401)
    expect(await me(served, rsaToken({ sub: "ada" }, mine.privateKey))).toBe(200)
  },
  "server.auth.jwks": async (world, test) => {
    const { publicKey, privateKey } = rsaKeys()
    const keys = [{ ...publicKey.export({ format: "jwk" }), kid: "k1", alg: "RS256", use: "sig" }]
    const jwks = world.write("keys.json", JSON.stringify({ keys }))
    const served = await serving(test, { auth: { mode: "jwt", jwks } })
    expect(await me(served, rsaToken({ sub: "ada" }, rsaKeys().privateKey, { alg: "RS256", kid: "k1" }))).toBe(401)
    expect(await me(served, rsaToken({ sub: "ada" }, privateKey, { alg: "RS256", kid: "k1" }))).toBe(200)
  },
  "server.auth.issuer": async (_, test) => {
    const served = await serving(test, { auth: { ...jwt, issuer: "https://login.example" } })
    expect(await me(served, hmacToken({ sub: "ada" }))).toBe(401)
    expect(await me(served, hmacToken({ sub: "ada", iss: "https://login.example" }))).toBe(200)
  },
  "server.auth.audience": async (_, test) => {
    const served = await serving(test, { auth: { ...jwt, audience: "turnhouse" } })
    expect(await me(served, hmacToken({ sub: "ada" }))).toBe(401)
    expect(await me(served, hmacToken({ sub: "ada", aud: "turnhouse" }))).toBe(200)
  },
  "server.auth.anonymous": async (_, test) => {
    expect(await isAccepted((await serving(test, { auth: { ...jwt, anonymous: "visitor" } })).connect())).toBe(true)
    expect(await isAccepted((await serving(test, { auth: { ...jwt, anonymous: "refuse" } })).connect())).toBe(false)
  },
  "server.origins": async (_, test) => {
    expect(await isAccepted(fromShop(await serving(test, {})))).toBe(false)
    expect(await isAccepted(fromShop(await serving(test, { origins: ["https://shop.example"] })))).toBe(true)
  },
  "server.names": async (_, test) => {
    const headers = { host: "chat.example" }
    expect((await (await serving(test, {})).get("/healthz", headers))[0]).toBe(403)
    expect((await (await serving(test, { names: ["chat.example"] })).get("/healthz", headers))[0]).toBe(200)
  },
  "server.limits.sockets": async (_, test) => {
    const served = await serving(test, { limits: { sockets: 1 } })
    expect(await isAccepted(served.connect())).toBe(true)
    expect(await isAccepted(served.connect())).toBe(false)
  },
  "server.limits.connections": async (_, test) => {
    const served = await serving(test, { auth: jwt, limits: { connections: 1 } })
    expect(await isAccepted(served.connect(hmacToken({ sub: "ada" })))).toBe(true)
    expect(await isAccepted(served.connect(hmacToken({ sub: "ada" })))).toBe(false)
    expect(await isAccepted(served.connect(hmacToken({ sub: "ben" })))).toBe(true)
  },
  "server.limits.framesPerSecond": async (_, test) => {
    expect(await isRateLimited(await serving(test, { auth: jwt }))).toBe(false)
    expect(await isRateLimited(await serving(test, { auth: jwt, limits: { framesPerSecond: 1 } }))).toBe(true)
  },
  "server.limits.sessionsPerHour": async (_, test) => {
    const client = await (
      await serving(test, { auth: jwt, limits: { sessionsPerHour: 1 } })
    ).connect(hmacToken({ sub: "a" }))
    expect(await createConversation(client, "shop")).toBe(welcome)
    expect(await createConversation(client, "shop")).toBe("RATE_LIMITED")
  },
  "server.limits.frameBytes": async (_, test) => {
    const large = async (limits: object) => {
      const client = await (await serving(test, { limits })).connect()
      client.socket.send(JSON.stringify({ action: "ping", requestId: "p", data: "x".repeat(5000) }))
      return Promise.race([client.closed.then(({ code }) => code), client.settled().then(() => "open")])
    }
    expect(await large({})).toBe("open")
    expect(await large({ frameBytes: 2000 })).toBe(1009)
  },
  "server.limits.messageCharacters": async (_, test) => {
    const client = await (await serving(test, { limits: { messageCharacters: 10 } })).connect()
    const { sessionId } = await client.create()
    expect((await runTurn(client, sessionId, "short")).type).toBe("eventual_response")
    expect((await runTurn(client, sessionId, "much longer than that")).type).toBe("error")
  },
  "server.limits.org.turns": async (_, test) => {
    const place = newPlace(test)
    const model = place.script([[{ hang: true }]])
    const second = async (limits: object) => {
      const served = await serving(test, { limits }, { model })
      const [one, other] = [await served.connect(), await served.connect()]
      await startTurn(one)
      await one.next("immediate_response", "r1")
      const { sessionId } = await other.create()
      other.say({ action: "send_message", requestId: "r2", sessionId, message: "hi" })
      return (await other.until(() => other.of("r2")[0])).type
    }
    expect(await second({ org: { turns: 2 } })).toBe(welcome)
    expect(await second({ org: { turns: 1 } })).toBe("error")
  },
  "server.limits.org.sessionsPerHour": async (_, test) => {
    const served = await serving(test, { auth: jwt, limits: { org: { sessionsPerHour: 1 } } })
    const visitor = async (sub: string, org: string) =>
      createConversation(await served.connect(hmacToken({ sub, org })), "shop")
    expect(await visitor("ada", "north")).toBe(welcome)
    expect(await visitor("ben", "north")).toBe("RATE_LIMITED")
    expect(await visitor("cy", "south")).toBe(welcome)
  },
  "server.tls.cert": async (_, test) => {
    const tls = selfSigned(newPlace(test).root)
    expect((await serving(test, { tls })).url).toMatch(/^https:/)
    expect(await refusal(test, { tls: { ...tls, cert: "/none.pem" } })).toContain("server.tls.cert")
  },
  "server.tls.key": async (_, test) => {
    const tls = selfSigned(newPlace(test).root)
    expect(await refusal(test, { tls: { ...tls, key: "/none.pem" } })).toContain("server.tls.key")
  },
  "server.behindProxy": async (_, test) => {
    expect(
      await isAccepted((await serving(test, { auth: { mode: "jwt", secret, anonymous: "visitor" } })).connect()),
    ).toBe(true)
    const proxied = await serving(test, { auth: { mode: "jwt", secret, anonymous: "visitor" }, behindProxy: true })
    expect(await isAccepted(proxied.connect())).toBe(false)
  },
  "server.strictAgents": async (_, test) => {
    const asked = async (server: object) =>
      createConversation(await (await serving(test, server)).connect(), "unheard-of")
    expect(await asked({})).toBe(welcome)
    expect(await asked({ strictAgents: true })).not.toBe(welcome)
  },
  "agents.<name>.name": async (_, test) => {
    const name = async (agents: object) => {
      const client = await (await serving(test, {}, { agents })).connect()
      const created = { action: "create_conversation_session", requestId: "in", agentId: "shop" }
      return dataOf(await client.ask(created))["agentName"]
    }
    expect(await name({ shop: { name: "Shoe shop" } })).toBe("Shoe shop")
    expect(await name({ shop: {} })).not.toBe("Shoe shop")
  },
  "agents.<name>.models": async (world, test) => {
    const { url } = await world.provider()
    const providers = { mine: { type: "openai-compatible", baseURL: `${url}/v1` } }
    const asked = async (models: readonly string[]) => {
      const agents = { shop: { model: "mine/main", models } }
      const client = await (await serving(test, {}, { model: "mine/main", providers, agents })).connect()
      const { sessionId } = await client.create({ agentId: "shop" })
      client.say({ action: "send_message", requestId: "r1", sessionId, message: "hi", model: "mine/other" })
      return (await client.end("r1")).type
    }
    expect(await asked(["mine/main"])).toBe("error")
    expect(await asked(["mine/main", "mine/other"])).toBe("eventual_response")
  },
  "agents.<name>.embed.origins": async (_, test) => {
    const from = async (origin: string) => {
      const served = await serving(test, {}, { agents: { shop: { embed: { origins: [origin] } } } })
      return isAccepted(fromShop(served))
    }
    expect(await from("https://shop.example")).toBe(true)
    expect(await from("https://else.example")).toBe(false)
  },
  "agents.<name>.embed.key": async (_, test) => {
    const agents = { shop: { embed: { origins: ["*"], key: shopKey } } }
    const served = await serving(test, {}, { agents })
    const signedWith = async (key: string) => {
      const client = await fromShop(served)
      return createConversation(client, "shop", { authContext: signed("ada", key) })
    }
    expect(await signedWith(shopKey)).toBe(welcome)
    expect(await signedWith("another key")).not.toBe(welcome)
  },
  "agents.<name>.embed.org": async (_, test) => {
    const conversations = async (org: string) => {
      const agents = { shop: { embed: { origins: ["*"], key: shopKey, org } } }
      const served = await serving(test, { auth: jwt }, { agents })
      const visitor = await fromShop(served)
      const { sessionId } = await visitor.create({ agentId: "shop", authContext: signed("ada", shopKey) })
      await runTurn(visitor, sessionId, "a question about shoes")
      const admin = hmacToken({ sub: "ann", org: "shoes", role: "admin" })
      const [, text] = await served.get("/admin/conversations", { authorization: `Bearer ${admin}` })
      return text.includes("a question about shoes")
    }
    expect(await conversations("hats")).toBe(false)
    expect(await conversations("shoes")).toBe(true)
  },
}
