// The admin API: the caller, its conversations and their messages. Objects of another organisation look missing.
import { describe, expect, it } from "vitest"
import { messagesOf, missing, startTurn } from "../ws/conversation.ts"
import { hmacToken, secret, served, type ClaimsOf } from "./served.ts"

const server = served({ server: { auth: { mode: "jwt", secret } } })

async function get(path: string, token?: string) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const [status, text] = await server().get(path, headers)
  return [status, JSON.parse(text)]
}

async function startConversation(claims: ClaimsOf) {
  const client = await server().connect(hmacToken(claims))
  const { sessionId, conversationId } = await startTurn(client, `a question of ${String(claims["sub"])}`)
  await client.end("r1")
  return { conversationId, rows: (await messagesOf(client, sessionId)).rows }
}

const idsIn = (page: { readonly conversations: readonly { readonly id: string }[] }) =>
  page.conversations.map(({ id }) => id)

describe("the admin API", () => {
  it("answers health checks to everyone, and everything else only to authenticated callers", async () => {
    expect(await get("/admin/health")).toEqual([200, { status: "ok" }])
    for (const path of ["/admin/me", "/admin/conversations", `/admin/conversations/${missing}/messages`, "/admin/x"]) {
      expect(await get(path)).toMatchObject([401, { error: { code: "UNAUTHENTICATED" } }])
      expect(await get(path, "nonsense")).toMatchObject([401, { error: { code: "INVALID_TOKEN" } }])
    }
    const { stdout } = await server().place.run("link", "--json", "--role", "drive")
    const key = String(JSON.parse(stdout).url).replace(/^.*#key=/, "")
    expect(await get("/admin/me", key)).toMatchObject([403, { error: { code: "FORBIDDEN" } }])
  })

  it("shows visitors their own conversations, staff those of their organisation, and no others", async () => {
    const ada = { sub: "ada", org: "north", email: "ada@north.example" }
    const ben = { sub: "ben", org: "north", email: "ben@north.example" }
    const eve = { sub: "eve", org: "south", email: "ada@north.example" }
    const [first, second, third] = [
      await startConversation(ada),
      await startConversation(ben),
      await startConversation(eve),
    ]
    const list = async (claims: ClaimsOf) => idsIn((await get("/admin/conversations", hmacToken(claims)))[1])
    expect(await list(ada)).toEqual([first.conversationId])
    expect(await list({ ...ada, email: undefined })).toEqual([])
    for (const role of ["curator", "admin"])
      expect(await list({ ...ben, role })).toEqual([second.conversationId, first.conversationId])
    expect(await list({ ...eve, role: "admin" })).toEqual([third.conversationId])
    const read = async (claims: ClaimsOf, { conversationId }: { readonly conversationId: string }) =>
      get(`/admin/conversations/${conversationId}/messages`, hmacToken(claims))
    expect(await read({ ...ben, role: "curator" }, first)).toMatchObject([
      200,
      { messages: first.rows.map(({ id, direction, text }) => ({ id, direction, content: { text } })), hasMore: false },
    ])
    expect((await read(ada, first))[0]).toBe(200)
    for (const [claims, what] of [
      [ben, first],
      [{ ...eve, role: "admin" }, first],
      [{ ...ada, role: "admin" }, third],
    ] as const) {
      const none = await read(claims, { conversationId: missing })
      expect(none).toMatchObject([404, { error: { code: "NOT_FOUND" } }])
      expect(await read(claims, what)).toEqual(none)
    }
  })

  it("returns pages", async () => {
    const staff = hmacToken({ sub: "staff", org: "many", role: "admin" })
    const all: string[] = []
    for (let n = 0; n < 3; n++) all.unshift((await startConversation({ sub: `v${n}`, org: "many" })).conversationId)
    const [, first] = await get("/admin/conversations?limit=2", staff)
    expect([idsIn(first), first.nextCursor]).toEqual([all.slice(0, 2), "2"])
    const [, last] = await get(`/admin/conversations?limit=2&cursor=${first.nextCursor}`, staff)
    expect([idsIn(last), last.nextCursor]).toEqual([all.slice(2), null])
    expect(last.conversations[0]).toEqual({
      id: all[2],
      name: "a question of v0",
      platform: "web",
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    for (const query of ["limit=-1", "limit=x", "cursor=-5", "cursor=1e999"])
      expect((await get(`/admin/conversations?${query}`, staff))[0]).toBe(200)
    const [status, page] = await get(`/admin/conversations/${all[0] ?? ""}/messages?limit=1`, staff)
    expect([status, page.messages.length, page.hasMore]).toEqual([200, 1, true])
    expect((await get(`/admin/conversations/${all[0] ?? ""}/messages?cursor=${missing}`, staff))[0]).toBe(400)
  })

  it("accepts the owner's key for every organisation except the local one", async () => {
    const { conversationId } = await startConversation({ sub: "x", org: "keyed" })
    const { key } = server()
    expect(await get("/admin/me?org=keyed", key)).toMatchObject([200, { orgId: "keyed", role: "admin" }])
    expect(idsIn((await get("/admin/conversations?org=keyed", key))[1])).toEqual([conversationId])
    expect(idsIn((await get("/admin/conversations", key))[1])).not.toContain(conversationId)
    expect((await get("/admin/conversations?org=local", key))[0]).toBe(404)
  })
})

describe("the admin API without authentication", () => {
  const open = served({})

  it("requires a token and has one organisation", async () => {
    const me = async (headers: Readonly<Record<string, string>>, query = "") => {
      const [status, text] = await open().get(`/admin/me${query}`, headers)
      return [status, JSON.parse(text)]
    }
    expect(await me({})).toMatchObject([401, { error: { code: "UNAUTHENTICATED" } }])
    const visitor = { userId: "visitor", orgId: "public", role: "admin" }
    expect(await me({ authorization: "Bearer whatever" })).toEqual([200, visitor])
    expect(await me({ authorization: "Bearer whatever" }, "?org=acme")).toEqual([200, visitor])
    const client = await open().connect()
    const { conversationId } = await startTurn(client)
    await client.end("r1")
    const [, text] = await open().get("/admin/conversations", { authorization: "Bearer whatever" })
    expect(idsIn(JSON.parse(text))).toEqual([conversationId])
  })
})
