// Further cases 7 and 8: agents embedded in web sites, and visitors whose identity a web site signs.
import { createHmac } from "node:crypto"
import { describe, expect, it } from "vitest"
import type { WsClient } from "../../src/testing/doors/served-ws.ts"
import { dataOf, messagesOf, runTurn, startTurn } from "../ws/conversation.ts"
import { hmacToken, secret, served } from "./served.ts"

const key = "the key of the shop"
const shop = "https://shop.example"
const server = served({
  server: { auth: { mode: "jwt", secret }, strictAgents: true, origins: ["https://else.example"] },
  agents: {
    plain: { name: "Plain" },
    desk: { name: "Desk", visibility: "internal" },
    shop: { embed: { origins: [shop, "https://*.pages.example"], key, org: "shop" } },
    keyless: { embed: { origins: [shop] } },
    closed: { embed: { origins: [] } },
    open: { embed: { origins: ["*"], key: "another key", org: "shop" } },
  },
})

async function from(origin?: string): Promise<WsClient> {
  return server().connect(undefined, origin === undefined ? {} : { origin })
}

async function createOutcome(client: WsClient, agentId: string, more: object = {}) {
  const requestId = `in-${client.frames.length}`
  const answer = await client.ask({ action: "create_conversation_session", requestId, agentId, ...more })
  return answer.type === "error" ? answer.error.code : answer.type
}

function signed(userId: string, timestamp: number | string = Date.now(), with_ = key) {
  return { userId, timestamp, signature: createHmac("sha256", with_).update(`${userId}:${timestamp}`).digest("hex") }
}

const welcome = "immediate_response"

describe("an internal agent", () => {
  it.each([
    ["admin", welcome],
    ["curator", welcome],
    ["basic", "AGENT_NOT_AUTHORIZED"],
  ])("answers %s with %s", async (role, expected) => {
    const client = await server().connect(hmacToken({ sub: "ann", org: "shop", role }))
    expect(await createOutcome(client, "desk")).toBe(expected)
  })

  it("does not exist for unauthenticated callers", async () => {
    expect(await createOutcome(await from(shop), "desk")).toBe("AGENT_NOT_AUTHORIZED")
  })
})

describe("case 7: an agent with an embed policy", () => {
  it.each([shop, "https://pages.example", "https://a.pages.example", "https://a.b.pages.example"])(
    "lets in pages of %s",
    async (origin) => {
      expect(await createOutcome(await from(origin), "shop")).toBe(welcome)
    },
  )

  it("refuses visitors from other origins and without one", async () => {
    for (const origin of ["https://else.example", undefined])
      expect(await createOutcome(await from(origin), "shop")).toBe("ORIGIN_NOT_ALLOWED")
    expect(await createOutcome(await from(shop), "closed")).toBe("ORIGIN_NOT_ALLOWED")
    expect(await createOutcome(await from(undefined), "open")).toBe("ORIGIN_NOT_ALLOWED")
    expect(await createOutcome(await from("https://wherever.example"), "open")).toBe(welcome)
  })

  it("refuses unconfigured agents in strict mode", async () => {
    const client = await from(shop)
    expect(await createOutcome(client, "unknown")).toBe("AGENT_NOT_AUTHORIZED")
    expect(await createOutcome(client, "plain")).toBe(welcome)
    expect(await createOutcome(client, "__proto__")).toBe("AGENT_NOT_AUTHORIZED")
  })

  it("assigns its organisation to visitors, who can return to their conversations", async () => {
    const client = await from(shop)
    const { conversationId, sessionId } = await startTurn(client, "hi", { agentId: "shop" })
    await client.end("r1")
    expect(await server().place.log(conversationId)).toContain('"org":"shop"')
    expect((await messagesOf(client, sessionId)).rows).toHaveLength(2)
    const back = await from(shop)
    expect(await back.ask({ action: "get_session", requestId: "g", sessionId })).toMatchObject({
      error: { code: "SESSION_NOT_FOUND" },
    })
    expect((await back.create({ agentId: "shop", conversationId })).conversationId).toBe(conversationId)
    expect((await messagesOf(back, sessionId)).rows).toHaveLength(2)
    const other = await from(shop)
    expect((await other.create({ agentId: "plain", conversationId })).conversationId).not.toBe(conversationId)
  })
})

describe("case 8: a visitor with a signed identity", () => {
  const second = 1000

  it("is identified by the signature and owns their conversations", async () => {
    const ada = await from(shop)
    const { conversationId, sessionId } = await startTurn(ada, "hi", { agentId: "shop", authContext: signed("ada") })
    await ada.end("r1")
    const listed = dataOf(await ada.ask({ action: "list_conversations", requestId: "l" }))
    expect(listed).toMatchObject({ conversations: [{ conversationId }] })
    const again = await from("https://pages.example")
    const back = await again.create({ agentId: "shop", conversationId, authContext: signed("ada") })
    expect(back.conversationId).toBe(conversationId)
    const others = [{ authContext: signed("eve") }, { authContext: signed("Ada") }, {}, { userEmail: "ada" }]
    for (const other of others) {
      const client = await from(shop)
      const got = await client.create({ agentId: "shop", conversationId, ...other })
      expect(got.conversationId).not.toBe(conversationId)
      expect(await client.ask({ action: "get_session", requestId: "g", sessionId })).toMatchObject({
        error: { code: "SESSION_NOT_FOUND" },
      })
    }
    const elsewhere = await from(shop)
    const authContext = signed("ada", Date.now(), "another key")
    const got = await elsewhere.create({ agentId: "open", conversationId, authContext })
    expect(got.conversationId).not.toBe(conversationId)
    expect(await runTurn(again, back.sessionId, "more")).toMatchObject({ type: "eventual_response" })
    expect(await server().place.log(conversationId)).toContain('"principal":"signed:ada"')
  })

  it("is anonymous again without a signature", async () => {
    const client = await from(shop)
    await client.create({ agentId: "shop", authContext: signed("ada") })
    const { conversationId } = await client.create({ agentId: "shop" })
    const log = await server().place.log(conversationId)
    expect(log).toContain('"principal":"anonymous"')
    expect(log).not.toContain("signed:")
  })

  it("may have a timestamp a few seconds off, in seconds or milliseconds", async () => {
    for (const time of [Date.now() - 50 * second, Date.now() + 50 * second, Math.floor(Date.now() / second)])
      expect(await createOutcome(await from(shop), "shop", { authContext: signed("ada", time) })).toBe(welcome)
  })

  it("is refused when the signature is old, early, wrong, missing, or cannot be checked", async () => {
    const client = await from(shop)
    const now = Date.now()
    const good = signed("ada", now)
    const bad: unknown[] = [
      signed("ada", now - 62 * second),
      signed("ada", now + 600 * second), // by then also on a slow machine
      signed("ada", now, `${key}!`),
      { ...good, userId: "eve" },
      { ...good, timestamp: now + 1 },
      { ...good, signature: good.signature.toUpperCase() },
      { ...good, signature: good.signature.slice(2) },
      { ...good, signature: "zz".repeat(32) },
      { ...good, signature: "" },
      { userId: "ada" },
      { ...good, userId: 7 },
      signed(" ", now),
      signed("x".repeat(300), now),
      signed("ada", "now"),
      signed("ada", Number.MAX_SAFE_INTEGER),
      "ada",
      null,
      [],
    ]
    for (const authContext of bad)
      expect(await createOutcome(client, "shop", { authContext })).toBe("AUTH_CONTEXT_INVALID")
    expect(await createOutcome(client, "keyless", { authContext: good })).toBe("AUTH_CONTEXT_INVALID")
    expect(await createOutcome(client, "open", { authContext: good })).toBe("AUTH_CONTEXT_INVALID")
  })
})
