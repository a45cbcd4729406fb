import { describe, expect, it } from "vitest"
import { checks } from "../../protocols/ws/generated/answers.js"
import type { ServerEvent } from "../../protocols/ws/frames.ts"
import { newSession, turn } from "../../testing/test-host.ts"
import { serveWs, servicePort, type WsClient, wsWorlds } from "../../testing/doors/served-ws.ts"

const world = wsWorlds()

const missing = "00000000-0000-4000-8000-000000000000"

function dataOf(event: ServerEvent): Readonly<Record<string, unknown>> {
  if (event.type !== "immediate_response") throw new Error(JSON.stringify(event))
  return event.data
}

async function runTurn(client: WsClient, sessionId: string, message: string): Promise<void> {
  const requestId = `say-${message}`
  client.say({ action: "send_message", requestId, sessionId, message })
  await client.end(requestId)
}

describe("invalid frames", () => {
  it("are answered in order, and the socket stays open", async () => {
    const { served } = await world([])
    const client = await served.connect()
    client.say("nonsense", "[]", { action: 7, requestId: "a" }, { action: "dance", requestId: "b" })
    client.socket.send(Buffer.from('{"action":"ping"}'))
    client.say({ action: "ping", requestId: 7 }, { action: "ping", requestId: "c" })
    const pong = await client.next("pong", "c")
    expect(pong.data.timestamp).toBe(pong.timestamp)
    expect(
      client.frames.map((frame) =>
        frame.type === "error" ? `${frame.error.code} ${frame.requestId ?? "-"}` : frame.type,
      ),
    ).toEqual([
      "VALIDATION_ERROR -",
      "VALIDATION_ERROR -",
      "VALIDATION_ERROR a",
      "UNSUPPORTED_ACTION b",
      "VALIDATION_ERROR -",
      "pong",
      "pong",
    ])
  })

  it("further actions get RATE_LIMITED while too many are in progress", async () => {
    const { served } = await world([], [], {}, { limits: { actionsAtOnce: 2 } })
    const client = await served.connect()
    for (const n of [1, 2, 3, 4]) client.say({ action: "get_session", requestId: `g${n}`, sessionId: missing })
    await client.until(() => client.frames.length === 4)
    expect(client.frames.filter((frame) => frame.type === "error" && frame.error.code === "RATE_LIMITED")).not.toEqual(
      [],
    )
  })
})

describe("create_conversation_session", () => {
  it("creates a visit and a conversation each time", async () => {
    const { served } = await world([])
    const client = await served.connect()
    const answers = []
    for (const requestId of ["a", "b"]) {
      const frame = { action: "create_conversation_session", requestId, agentId: "  shop ", more: [1] }
      answers.push(dataOf(await client.ask(frame)))
    }
    for (const answer of answers) {
      expect(checks.created(answer)).toBe(true)
      expect(answer).toMatchObject({ agentId: "shop", agentName: "smooth-agent" })
    }
    expect(answers[0]?.["sessionId"]).not.toBe(answers[1]?.["sessionId"])
    expect(answers[0]?.["conversationId"]).not.toBe(answers[1]?.["conversationId"])
  })

  it.each([undefined, "", "  ", 7, "x".repeat(2000)])("refuses the agentId %j", async (agentId) => {
    const { served } = await world([])
    const client = await served.connect()
    expect(await client.ask({ action: "create_conversation_session", requestId: "a", agentId })).toMatchObject({
      error: { code: "VALIDATION_ERROR" },
    })
  })

  it("resumes a conversation with a new visit, and both visits stay valid", async () => {
    const { served } = await world([[{ text: "one" }]])
    const client = await served.connect()
    const first = await client.create()
    await runTurn(client, first.sessionId, "hi")
    await client.close()
    const other = await served.connect()
    const second = await other.create({ conversationId: first.conversationId })
    expect(second.conversationId).toBe(first.conversationId)
    expect(second.sessionId).not.toBe(first.sessionId)
    for (const { sessionId } of [first, second]) {
      const page = await other.ask({ action: "get_conversation_messages", requestId: `m-${sessionId}`, sessionId })
      expect(dataOf(page)["messages"]).toHaveLength(2)
    }
  })

  it.each([missing, "nonsense", 7])(
    "starts a new conversation for an unknown conversationId: %s",
    async (conversationId) => {
      const { served } = await world([])
      const client = await served.connect()
      const made = await client.create({ conversationId })
      expect(made.conversationId).toMatch(/^[0-9a-f-]{36}$/)
      expect(made.conversationId).not.toBe(conversationId)
    },
  )

  it("does not open a session of a local user", async () => {
    const { served, host } = await world([[{ text: "secret" }]])
    const local = await newSession(host)
    await turn(local, "mine")
    const client = await served.connect()
    const create = { action: "create_conversation_session", agentId: "a", conversationId: local.id }
    expect(await client.ask({ ...create, requestId: "c" })).toMatchObject({ error: { code: "CONVERSATION_NOT_FOUND" } })
    expect(
      await client.ask({ action: "rename_conversation", requestId: "r", conversationId: local.id, title: "x" }),
    ).toMatchObject({ error: { code: "CONVERSATION_NOT_FOUND", message: `conversation '${local.id}' not found` } })
    expect(dataOf(await client.ask({ action: "list_conversations", requestId: "l" }))).toEqual({ conversations: [] })
  })

  it("treats an object of another owner exactly like one that does not exist", async () => {
    const { host, served } = await world([[{ text: "mine" }]])
    const hers = await served.connect()
    const { sessionId, conversationId } = await hers.create()
    await runTurn(hers, sessionId, "hi")
    const others = await serveWs(servicePort(host), {}, { principal: "eve", org: "elsewhere", owner: "eve" })
    const client = await others.connect()
    const ask = async (id: string) =>
      JSON.stringify(await client.ask({ action: "get_session", requestId: id, sessionId: id }))
        .replaceAll(id, "ID")
        .replaceAll(/"timestamp":\d+/g, "")
    expect(await ask(sessionId)).toBe(await ask(missing))
    expect((await client.create({ conversationId })).conversationId).not.toBe(conversationId)
    await others.close()
  })

  it("keeps the declared capabilities until a client declares others", async () => {
    const { served, host } = await world([])
    const client = await served.connect()
    const { conversationId } = await client.create({ supports: ["choice_chips", 7] })
    const supports = async () => {
      const opened = await host.open(conversationId)
      return opened.kind === "opened" ? opened.session.state.visit?.supports : undefined
    }
    await client.create({ conversationId })
    expect(await supports()).toEqual(["choice_chips"])
    await client.create({ conversationId, supports: [] })
    expect(await supports()).toEqual([])
  })

  it("keeps the contact data that a visitor gave before", async () => {
    const { served, host } = await world([])
    const client = await served.connect()
    const given = { userName: "Ada", userEmail: "ada@example.org", metadata: { userPhone: "+4912345678" } }
    const { conversationId } = await client.create(given)
    await client.create({ conversationId })
    const opened = await host.open(conversationId)
    expect(opened).toMatchObject({
      session: { state: { contact: { name: "Ada", email: "ada@example.org", phone: "+4912345678" } } },
    })
  })
})

describe("reading", () => {
  it("get_session returns all fields of a visit", async () => {
    const { served } = await world([])
    const client = await served.connect()
    const { sessionId, conversationId } = await client.create()
    const facts = dataOf(await client.ask({ action: "get_session", requestId: "g", sessionId }))
    expect(checks.session(facts)).toBe(true)
    expect(facts).toMatchObject({ sessionId, conversationId, threadId: conversationId, status: "active" })
  })

  it.each(["get_session", "get_conversation_messages"])("%s needs the id of an existing visit", async (action) => {
    const { served } = await world([])
    const client = await served.connect()
    expect(await client.ask({ action, requestId: "a" })).toMatchObject({ error: { code: "VALIDATION_ERROR" } })
    expect(await client.ask({ action, requestId: "b", sessionId: missing })).toMatchObject({
      error: { code: "SESSION_NOT_FOUND", message: `session '${missing}' not found` },
    })
  })

  it("get_conversation_messages returns pages, newest first", async () => {
    const { served } = await world([[{ text: "one" }], [{ text: "two" }]])
    const client = await served.connect()
    const { sessionId } = await client.create()
    await runTurn(client, sessionId, "first")
    await runTurn(client, sessionId, "second")
    const page = async (requestId: string, more: object) =>
      dataOf(await client.ask({ action: "get_conversation_messages", requestId, sessionId, ...more }))
    const newest = await page("p1", { limit: 3 })
    expect(checks.messages(newest)).toBe(true)
    expect(newest).toMatchObject({ hasMore: true, messages: [{ content: { text: "two" } }, {}, {}] })
    const rest = await page("p2", { limit: 3, cursor: newest["nextCursor"] })
    expect(rest).toMatchObject({ hasMore: false, nextCursor: null, messages: [{ content: { text: "first" } }] })
    for (const limit of [0, -1, "many", null]) expect((await page(`p${limit}`, { limit }))["messages"]).toHaveLength(4)
    expect(
      await client.ask({ action: "get_conversation_messages", requestId: "bad", sessionId, cursor: missing }),
    ).toMatchObject({ error: { code: "VALIDATION_ERROR" } })
  })

  it("list_conversations returns conversations with messages, newest first, with titles", async () => {
    const { served } = await world([[{ text: "one" }], [{ text: "two" }]])
    const client = await served.connect()
    await client.create()
    const [first, second] = [await client.create(), await client.create()]
    await runTurn(client, first.sessionId, "## What about my order?")
    await runTurn(client, second.sessionId, "y".repeat(80))
    const listed = dataOf(await client.ask({ action: "list_conversations", requestId: "l" }))["conversations"]
    if (!Array.isArray(listed)) throw new Error("no list")
    for (const line of listed) expect(checks.conversation(line)).toBe(true)
    expect(listed).toMatchObject([
      { conversationId: second.conversationId, title: `${"y".repeat(60)}…`, messageCount: 2 },
      { conversationId: first.conversationId, title: "What about my order?", messageCount: 2 },
    ])
    const { conversationId } = first
    const renamed = await client.ask({
      action: "rename_conversation",
      requestId: "r",
      conversationId,
      title: '"My order"',
    })
    expect(dataOf(renamed)).toEqual({ conversationId, title: "My order" })
    const again = dataOf(await client.ask({ action: "list_conversations", requestId: "l2", limit: 5 }))
    expect(JSON.stringify(again)).toContain('"title":"My order"')
    expect(
      await client.ask({ action: "rename_conversation", requestId: "e", conversationId, title: " " }),
    ).toMatchObject({ error: { code: "VALIDATION_ERROR" } })
  })
})

describe("send_message", () => {
  it("checks fields in the documented order, and stores no refused message", async () => {
    const { served } = await world([])
    const client = await served.connect()
    const { sessionId } = await client.create()
    client.say({ action: "send_message", sessionId, message: "x" })
    const unnamed = await client.until(() => client.of(undefined)[0])
    expect(unnamed).toMatchObject({ error: { code: "VALIDATION_ERROR" } })
    const wrong = [
      [{ message: "x" }, "VALIDATION_ERROR"],
      [{ sessionId }, "VALIDATION_ERROR"],
      [{ sessionId, message: " \n " }, "VALIDATION_ERROR"],
      [{ sessionId: missing, message: "x" }, "SESSION_NOT_FOUND"],
      [{ sessionId, message: "x", skill: "../etc" }, "SKILL_NOT_FOUND"],
      [{ sessionId, message: "x", skill: "unheard-of" }, "SKILL_NOT_FOUND"],
      [{ sessionId, message: "x".repeat(1024 * 1024 + 1) }, "VALIDATION_ERROR"],
    ] as const
    for (const [index, [more, code]] of wrong.entries())
      expect(await client.ask({ action: "send_message", requestId: `r${index}`, ...more })).toMatchObject({
        error: { code },
      })
    const page = await client.ask({ action: "get_conversation_messages", requestId: "m", sessionId })
    expect(dataOf(page)["messages"]).toEqual([])
  })

  it("is refused while the server drains", async () => {
    const { served } = await world([])
    const client = await served.connect()
    const { sessionId } = await client.create()
    served.door.drain()
    for (const action of ["send_message", "create_conversation_session"])
      expect(await client.ask({ action, requestId: action, sessionId, agentId: "a", message: "x" })).toMatchObject({
        error: { code: "INTERNAL_ERROR" },
      })
  })
})

describe("verify_otp", () => {
  it("rejects every code when no code was sent", async () => {
    const { served } = await world([])
    const client = await served.connect()
    const { sessionId } = await client.create()
    expect(await client.ask({ action: "verify_otp", requestId: "a", code: "1" })).toMatchObject({
      error: { code: "VALIDATION_ERROR" },
    })
    expect(await client.ask({ action: "verify_otp", requestId: "b", sessionId })).toMatchObject({
      error: { code: "VALIDATION_ERROR" },
    })
    expect(await client.ask({ action: "verify_otp", requestId: "c", sessionId: missing, code: "1" })).toMatchObject({
      error: { code: "SESSION_NOT_FOUND" },
    })
    expect(await client.ask({ action: "verify_otp", requestId: "d", sessionId, code: "1" })).toMatchObject({
      type: "otp_invalid",
      data: { data: { error: "NOT_FOUND", attemptsRemaining: 0 } },
    })
  })
})
