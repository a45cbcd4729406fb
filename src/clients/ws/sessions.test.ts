import { WebSocket as WsWebSocket } from "ws"
import { describe, expect, it } from "vitest"
import { errorEvent, notice, pong } from "../../protocols/ws/server-events.ts"
import { startServer, visit } from "./fixtures/scripted-server.ts"
import { quick, startSession } from "./fixtures/start-session.ts"
import { eventsOf, reply, row, token, textOf } from "./fixtures/turn-frames.ts"
import { BadAnswer, connect, NotConnected, RequestRefused, RequestTimedOut, type Message, type Turn } from "./index.ts"

describe("connect", () => {
  it("sends user and supported cards, and returns the agent", async () => {
    const server = await startServer()
    const about = { userName: "Ann", userEmail: "ann@x.example", supports: ["choice_chips"], token: "to ken" }
    const { session, peer } = await startSession(server, { ...about, metadata: { userPhone: "+491234567890" } })
    expect(new URL(peer.address, server.url).searchParams.get("token")).toBe("to ken")
    const fields = peer.create?.fields
    expect([fields?.text("agentId"), fields?.text("userName"), fields?.text("userEmail")]).toEqual([
      "shop",
      "Ann",
      "ann@x.example",
    ])
    expect(fields?.array("supports")).toEqual(["choice_chips"])
    expect(fields?.object("metadata")?.text("userPhone")).toBe("+491234567890")
    expect(session).toMatchObject({ agentName: "Shop", conversationId: server.conversationId, isConnected: true })
  })

  it("omits options that are not set", async () => {
    const server = await startServer()
    const { peer } = await startSession(server)
    expect(["supports", "userName", "conversationId"].map((name) => peer.create?.fields.get(name))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it("reports whether the requested conversation was resumed", async () => {
    const server = await startServer()
    const known = await startSession(server, { conversationId: server.conversationId })
    expect(known.session.isResumed).toBe(true)
    const unknown = await startSession(server, { conversationId: "gone" })
    expect(unknown.session).toMatchObject({ isResumed: false, conversationId: server.conversationId })
  })

  it("reports a running turn of another client", async () => {
    const server = await startServer()
    const joined: Turn[] = []
    const { session, peer } = await startSession(server, { conversationId: server.conversationId })
    session.on("turn", (turn) => joined.push(turn))
    const running = { requestId: "req-of-another-page" }
    peer.send(token(running, "so far, "), token(running, "so good"), reply(running, "so far, so good"))
    const turn = await new Promise<Turn>((resolve) => session.on("turn", resolve))
    expect(turn.requestId).toBe(running.requestId)
    expect(textOf(await eventsOf(turn))).toBe("so far, so good")
    expect(joined).toEqual([turn])
  })

  it("asks for the signature of the site for every connection", async () => {
    const server = await startServer()
    let asked = 0
    const authContext = async () => ({ userId: "42", timestamp: (asked += 1), signature: "aa" })
    const { peer } = await startSession(server, { authContext })
    expect(peer.create?.fields.get("authContext")).toEqual({ userId: "42", timestamp: 1, signature: "aa" })
    peer.drop()
    const second = await server.welcome()
    expect(second.create?.fields.get("authContext")).toEqual({ userId: "42", timestamp: 2, signature: "aa" })
  })

  it("calls the token function for every connection, and accepts http addresses", async () => {
    const server = await startServer()
    let asked = 0
    const fresh = async () => `t${(asked += 1)}`
    const address = new URL(server.url.replace("ws:", "http:"))
    const [session, peer] = await Promise.all([connect(address, quick({ token: fresh })), server.welcome()])
    peer.drop()
    const second = await server.welcome()
    await session.close()
    expect([peer.address, second.address]).toEqual(["/ws?token=t1", "/ws?token=t2"])
  })

  it("works with the WebSocket class of the package ws", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server, { WebSocket: WsWebSocket })
    const turn = session.send("hello")
    peer.send(reply(await peer.accept(), "hi"))
    expect(await turn.result).toMatchObject({ text: "hi" })
  })
})

describe("a failed connect", () => {
  it("rejects when nothing listens, the server refuses, or its response is invalid", async () => {
    const server = await startServer()
    await expect(connect("ws://127.0.0.1:1/ws", quick())).rejects.toThrow(NotConnected)
    const refused = connect(server.url, quick())
    const first = await server.peer()
    const create = await first.take("create_conversation_session")
    first.send(errorEvent(create.requestId, { code: "ORIGIN_NOT_ALLOWED", message: "not from here" }, 1))
    await expect(refused).rejects.toMatchObject({ name: "RequestRefused", code: "ORIGIN_NOT_ALLOWED" })
    await first.ended
    const odd = connect(server.url, quick())
    const second = await server.peer()
    second.answer(await second.take("create_conversation_session"), {})
    await expect(odd).rejects.toThrow(BadAnswer)
  })

  it("rejects when the server does not answer in time or closes", async () => {
    const server = await startServer()
    await expect(connect(server.url, quick({ timeouts: { requestMs: 20 } }))).rejects.toThrow(RequestTimedOut)
    await (
      await server.peer()
    ).ended
    const closed = connect(server.url, quick())
    const peer = await server.peer()
    peer.close(1008, "go away")
    await expect(closed).rejects.toThrow("the connection was lost before")
    expect(server.connections).toBe(2)
  })

  it("can be aborted", async () => {
    const server = await startServer()
    const stop = new AbortController()
    const coming = connect(server.url, quick({ signal: stop.signal }))
    const peer = await server.peer()
    stop.abort(new Error("changed my mind"))
    await expect(coming).rejects.toThrow("changed my mind")
    await peer.ended
    await expect(connect(server.url, quick({ signal: stop.signal }))).rejects.toThrow("changed my mind")
    expect(server.connections).toBe(1)
  })
})

describe("requests", () => {
  it("return messages page by page, or all of them lazily", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server)
    const page = session.messages({ limit: 2 })
    const asked = await peer.take("get_conversation_messages")
    expect([asked.fields.number("limit"), asked.fields.get("cursor")]).toEqual([2, undefined])
    const odd = { ...row("inbound", "one", 0), conversationId: "x", from: { id: "1", type: "user" } }
    const messages = [row("outbound", "two", 1), odd, { id: 7 }]
    peer.answer(asked, { messages, nextCursor: odd.id, hasMore: true })
    expect(await page).toEqual({
      messages: [
        { id: "outbound two", direction: "outbound", text: "two", createdAt: "1970-01-01T00:00:00.001Z" },
        { id: "inbound one", direction: "inbound", text: "one", createdAt: "1970-01-01T00:00:00.000Z" },
      ],
      hasMore: true,
      nextCursor: "inbound one",
    })
    const all: Message[] = []
    const reading = (async () => {
      for await (const message of session.allMessages({ limit: 1 })) all.push(message)
    })()
    peer.answer(await peer.take("get_conversation_messages"), { messages: [odd], nextCursor: "c", hasMore: true })
    const next = await peer.take("get_conversation_messages")
    expect(next.fields.text("cursor")).toBe("c")
    peer.answer(next, { messages: [row("inbound", "zero", 0)], nextCursor: null, hasMore: false })
    await reading
    expect(all.map(({ text }) => text)).toEqual(["one", "zero"])
  })

  it("list and rename conversations", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server)
    const listed = session.conversations({ limit: 3 })
    const line = { conversationId: "c", title: "T", updatedAt: "2026-01-01T00:00:00Z", messageCount: 2 }
    peer.answer(await peer.take("list_conversations"), { conversations: [line] })
    expect(await listed).toEqual([line])
    const renamed = session.rename("  A name ")
    const asked = await peer.take("rename_conversation")
    expect(asked.fields.text("conversationId")).toBe(session.conversationId)
    peer.answer(asked, { conversationId: "c", title: "A name" })
    expect(await renamed).toBe("A name")
  })

  it("return isVerified: false for a wrong code", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server)
    const verified = session.verify("123456")
    const { requestId, fields } = await peer.take("verify_otp")
    expect(fields.text("code")).toBe("123456")
    peer.send(
      notice("otp_invalid", requestId, { error: "INVALID_CODE" as const, attemptsRemaining: 2, message: "No." }, 1),
    )
    expect(await verified).toEqual({
      isVerified: false,
      error: "INVALID_CODE" as const,
      attemptsRemaining: 2,
      message: "No.",
    })
  })

  it("are matched by id in any order; late responses are ignored", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server)
    const late = session.ping({ timeoutMs: 10 })
    const first = await peer.take("ping")
    await expect(late).rejects.toThrow(RequestTimedOut)
    const [ping, list] = [session.ping(), session.conversations()]
    const [second, third] = [await peer.take("ping"), await peer.take("list_conversations")]
    peer.send(pong(first.requestId, 1))
    peer.answer(third, { conversations: [] })
    expect(await list).toEqual([])
    peer.send(pong(second.requestId, 1))
    expect(await ping).toBeGreaterThanOrEqual(0)
  })

  it("reject with the server's code; errors without an id are reported as problem", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server)
    const problem = new Promise((resolve) => session.on("problem", resolve))
    const renamed = session.rename("x")
    peer.send(errorEvent(undefined, { code: "VALIDATION_ERROR", message: "what?" }, 1))
    expect(await problem).toEqual({ code: "VALIDATION_ERROR", message: "what?" })
    const { requestId } = await peer.take("rename_conversation")
    peer.send(errorEvent(requestId, { code: "CONVERSATION_NOT_FOUND", message: "not there" }, 1))
    await expect(renamed).rejects.toThrow(RequestRefused)
  })

  it("use the session id of the current connection", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server)
    const before = session.sessionId
    peer.drop()
    const next = await server.peer()
    const facts = visit(server.conversationId)
    next.answer(await next.take("create_conversation_session"), facts)
    const verified = session.verify("1")
    const asked = await next.take("verify_otp")
    expect(asked.fields.text("sessionId")).toBe(facts.sessionId)
    expect(session.sessionId).not.toBe(before)
    next.send(notice("otp_invalid", asked.requestId, { attemptsRemaining: 0, message: "" }, 1))
    await verified
  })
})
