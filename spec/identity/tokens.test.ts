// Cases A01 to A07: tokens and the owners of conversations, against a server in another process.
import { describe, expect, it } from "vitest"
import type { WsClient } from "../../src/testing/doors/served-ws.ts"
import { dataOf, messagesOf, missing, runTurn, startTurn } from "../ws/conversation.ts"
import { encoded, hmacToken, rsaKeys, rsaToken, secret, served, unsignedToken, type ClaimsOf } from "./served.ts"

const issuer = "https://login.example"
const audience = "turnhouse"
const server = served({ server: { auth: { mode: "jwt", secret, issuer, audience } } })

const issued = { iss: issuer, aud: audience }
const tokenOf = (claims: ClaimsOf) => hmacToken({ ...issued, ...claims })
const ada = { sub: "u-ada", org: "acme", email: "Ada@Acme.example" }
const ben = { sub: "u-ben", org: "acme", email: "ben@acme.example" }
const eve = { sub: "u-eve", org: "evil", email: "ada@acme.example" }

async function me(token: string) {
  const [status, text] = await server().get("/admin/me", { authorization: `Bearer ${token}` })
  return [status, JSON.parse(text)]
}

async function as(claims: ClaimsOf): Promise<WsClient> {
  return server().connect(tokenOf(claims))
}

async function startConversation(client: WsClient, create: object = {}) {
  const visit = await startTurn(client, "a question of mine", create)
  await client.end("r1")
  return visit
}

describe("a token", () => {
  it("identifies name, organisation and role", async () => {
    expect(await me(tokenOf(ada))).toEqual([200, { userId: "u-ada", orgId: "acme", role: "basic" }])
    const boss = { sub: "boss", org: undefined, org_id: "acme", role: "admin" }
    expect(await me(tokenOf(boss))).toEqual([200, { userId: "boss", orgId: "acme", role: "admin" }])
    expect(await me(tokenOf({ ...ada, role: "user" }))).toEqual([200, expect.objectContaining({ role: "basic" })])
  })

  it("grants the least for missing or invalid claims", async () => {
    expect(await me(tokenOf({ sub: "x", role: "emperor" }))).toEqual([
      200,
      { userId: "x", orgId: "public", role: "basic" },
    ])
    expect((await me(tokenOf({ sub: 7, org: ["acme"], role: { admin: true } })))[0]).toBe(401)
  })

  const soon = Math.floor(Date.now() / 1000)
  const [privateKey, publicKey] = [rsaKeys().privateKey, rsaKeys().publicKey]
  const pem = publicKey.export({ type: "spki", format: "pem" }).toString()
  const good = { ...issued, ...ada, role: "admin" }
  const cases: Readonly<Record<string, string>> = {
    "that is nonsense": "nonsense",
    "that is empty": "",
    "of dots": "..",
    "with a changed body": tokenOf(ada).replace(/\.[^.]+\./, `.${encoded({ ...good, exp: soon + 1000 })}.`),
    "under another secret": hmacToken(good, `${secret}!`),
    "that is not signed": unsignedToken(good),
    "that says none and is signed": hmacToken(good, secret, { alg: "none" }),
    "that says None": hmacToken(good, secret, { alg: "None" }),
    "that says HS512": hmacToken(good, secret, { alg: "HS512" }),
    "that says RS256": hmacToken(good, secret, { alg: "RS256" }),
    "of another kind": rsaToken(good, privateKey),
    "signed with a public key as if it were the secret": hmacToken(good, pem),
    "with its own key in it": rsaToken(good, privateKey, { alg: "RS256", jwk: publicKey.export({ format: "jwk" }) }),
    "with a critical extension": hmacToken(good, secret, { alg: "HS256", crit: ["x"], x: 1 }),
    "that has expired": hmacToken({ ...good, exp: soon - 60 }),
    "that is not good yet": hmacToken({ ...good, nbf: soon + 600 }),
    "without an end": hmacToken({ ...good, exp: undefined }),
    "whose end is a text": hmacToken({ ...good, exp: "tomorrow" }),
    "of another issuer": hmacToken({ ...good, iss: "https://evil.example" }),
    "without an issuer": hmacToken({ ...good, iss: undefined }),
    "for another audience": hmacToken({ ...good, aud: "another service" }),
    "without a subject": hmacToken({ ...good, sub: undefined, email: undefined }),
    "of this machine's own organisation": hmacToken({ ...good, org: "local" }),
    "that is too long": hmacToken({ ...good, more: "x".repeat(9000) }),
  }

  it.each(Object.entries(cases))("A01, A06: %s connects anonymously, without rights", async (_what, token) => {
    expect(await me(token)).toEqual([401, { error: { code: expect.any(String), message: expect.any(String) } }])
    const client = await server().connect(token)
    const listed = dataOf(await client.ask({ action: "list_conversations", requestId: "l" }))
    expect(listed).toEqual({ conversations: [] })
    await client.close()
  })
})

describe("a conversation", () => {
  it("A03: belongs to the token's e-mail address, in any case, and to no one else", async () => {
    const mine = await as(ada)
    const { sessionId, conversationId } = await startConversation(mine)
    const again = await as({ ...ada, email: "  ADA@acme.EXAMPLE " })
    expect((await messagesOf(again, sessionId)).rows).toHaveLength(2)
    expect(dataOf(await again.ask({ action: "list_conversations", requestId: "l" }))).toMatchObject({
      conversations: [{ conversationId }],
    })
    const other = await as(ben)
    expect(dataOf(await other.ask({ action: "list_conversations", requestId: "l" }))).toEqual({ conversations: [] })
  })

  it("takes contact and groups from the token; values in the frame take precedence", async () => {
    const client = await as({ ...ada, name: "Ada", groups: ["staff", 7, "", "vip"] })
    const { conversationId } = await client.create({ userEmail: "home@example.org" })
    const opened = /"visit\.opened".*/.exec(await server().place.log(conversationId))?.[0]
    expect(opened).toContain('"contact":{"email":"home@example.org","name":"Ada"}')
    expect(opened).toContain('"groups":["staff","vip"]')
    expect(opened).toContain('"principal":"u-ada"')
  })

  it("does not belong to an unverified address or to one from a frame", async () => {
    const { conversationId } = await startConversation(await as(ada))
    const claims = { ...ben, email: ada.email, email_verified: false }
    for (const client of [await as(claims), await as({ ...ben, email: undefined })]) {
      const back = await client.create({ conversationId, userEmail: ada.email })
      expect(back.conversationId).not.toBe(conversationId)
    }
  })

  it("A02: of another owner is answered exactly like a missing one", async () => {
    const { sessionId, conversationId } = await startConversation(await as(ada))
    for (const other of [await as(ben), await as(eve), await server().connect()]) {
      for (const action of actionsOn("SESSION", "CONVERSATION")) {
        const ask = async (session: string, conversation: string) => {
          const requestId = `${action.action}-${session}`
          const filled = JSON.stringify({ ...action, requestId })
            .replaceAll("SESSION", session)
            .replaceAll("CONVERSATION", conversation)
          const answer = await other.ask({ action: action.action, requestId, ...JSON.parse(filled) })
          return JSON.stringify({ ...answer, timestamp: 0 })
            .replaceAll(session, "ID")
            .replaceAll(conversation, "ID")
        }
        expect(await ask(sessionId, conversationId)).toBe(await ask(missing, missing))
      }
      await other.close()
    }
  })

  it("A04: of another owner cannot be resumed: a new, empty one is created", async () => {
    const { conversationId } = await startConversation(await as(ada))
    for (const other of [await as(ben), await as(eve), await server().connect()]) {
      const { sessionId, conversationId: got } = await other.create({ conversationId })
      expect(got).not.toBe(conversationId)
      expect((await messagesOf(other, sessionId)).rows).toEqual([])
    }
  })

  it("A05: without an owner can be read by its id within the organisation only", async () => {
    const nameless = { ...ben, email: undefined }
    const { sessionId, conversationId } = await startConversation(await as(nameless))
    const colleague = await as(ada)
    expect((await messagesOf(colleague, sessionId)).rows).toHaveLength(2)
    expect((await colleague.create({ conversationId })).conversationId).toBe(conversationId)
    for (const other of [await as(eve), await server().connect()]) {
      expect(await other.ask({ action: "get_session", requestId: "g", sessionId })).toMatchObject({
        error: { code: "SESSION_NOT_FOUND" },
      })
    }
    const listed = await (await as(nameless)).ask({ action: "list_conversations", requestId: "l" })
    expect(dataOf(listed)).toEqual({ conversations: [] })
  })

  it("A07: of an anonymous visitor who gives an e-mail address can be resumed by that visitor", async () => {
    const client = await server().connect()
    const { sessionId, conversationId } = await startConversation(client, { userEmail: "visitor@example.org" })
    expect(await runTurn(client, sessionId, "more")).toMatchObject({ type: "eventual_response" })
    const back = await server().connect()
    expect((await back.create({ conversationId })).conversationId).toBe(conversationId)
    const log = await server().place.log(conversationId)
    expect(log).toContain('"email":"visitor@example.org"')
    expect(log).toContain('"owner":""')
  })

  it("of a local session cannot be opened with any token", async () => {
    const { stdout } = await server().place.run("new")
    const conversationId = stdout.trim()
    const create = { action: "create_conversation_session", requestId: "c", agentId: "a", conversationId }
    for (const client of [await as({ ...ada, role: "admin" }), await server().connect()])
      expect(await client.ask(create)).toMatchObject({ error: { code: "CONVERSATION_NOT_FOUND" } })
  })
})

/** Every action that names a session, a conversation or a message. */
function actionsOn(sessionId: string, conversationId: string) {
  return [
    { action: "get_session", sessionId },
    { action: "get_conversation_messages", sessionId },
    { action: "rename_conversation", conversationId, title: "mine" },
    { action: "send_message", sessionId, message: "hi" },
    { action: "confirm_tool_action", sessionId, approved: true },
    { action: "submit_interaction", sessionId, interactionId: missing, values: {} },
    { action: "verify_otp", sessionId, code: "123456" },
  ]
}
