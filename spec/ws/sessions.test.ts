// Cases S01 to S12: visits and conversations.
import { describe, expect, it } from "vitest"
import type { Part } from "../../src/models/offline/index.ts"
import { inOrder } from "../../src/testing/service-world.ts"
import { wsWorlds } from "../../src/testing/doors/served-ws.ts"
import { serviceTools } from "../../src/features/chat-service/tools.ts"
import { chunksOf, dataOf, messagesOf, missing, runTurn, startTurn, type Page } from "./conversation.ts"

const world = wsWorlds()
const say = (text: string): Part => ({ text })

describe("visits", () => {
  it("S02: create_conversation_session returns exactly six fields, with agentId trimmed", async () => {
    const { served } = await world([])
    const client = await served.connect()
    const frame = { action: "create_conversation_session", requestId: "a", agentId: " \t shop \n" }
    const answer = await client.ask(frame)
    expect(answer).toMatchObject({ status: 200, message: "Session created", data: { agentId: "shop" } })
    expect(Object.keys(dataOf(answer)).toSorted()).toEqual(
      ["agentId", "agentName", "agentParticipantId", "conversationId", "sessionId", "userParticipantId"].toSorted(),
    )
  })

  it("S03: unknown fields and fields of another type are ignored in every action", async () => {
    const { served } = await world([[say("one")]])
    const client = await served.connect()
    const odd = { supports: "all", metadata: 7, authContext: null, userName: [], browserFingerprint: {}, before: "x" }
    const { sessionId } = await client.create(odd)
    client.say({ ...odd, action: "send_message", requestId: "r1", sessionId, message: "hi", stream: "no", images: 7 })
    expect(await client.end("r1")).toMatchObject({ type: "eventual_response" })
    expect((await messagesOf(client, sessionId, odd)).rows).toHaveLength(2)
  })

  it("S04: one socket can have two visits, whose turns do not mix", async () => {
    const { served } = await world([[say("hello")]])
    const client = await served.connect()
    const [first, second] = [await client.create(), await client.create()]
    await runTurn(client, first.sessionId, "to the first")
    await runTurn(client, second.sessionId, "to the second")
    for (const [{ sessionId }, text] of [
      [first, "to the first"],
      [second, "to the second"],
    ] as const)
      expect((await messagesOf(client, sessionId)).rows.map((row) => row.text)).toEqual(["hello", text])
  })

  it("S05: a returning client gets the history, and so does the model", async () => {
    const { models, requests } = inOrder([[say("Hello Ada.")], [say("You are Ada.")]])
    const { served } = await world([], [], {}, {}, { models })
    const first = await served.connect()
    const { sessionId, conversationId } = await first.create()
    await runTurn(first, sessionId, "I am Ada.")
    await first.close()
    const second = await served.connect()
    const again = await second.create({ conversationId })
    await runTurn(second, again.sessionId, "Who am I?")
    expect(requests[1]?.prompt.slice(1)).toMatchObject([
      { role: "user", content: [{ text: "I am Ada." }] },
      { role: "assistant", content: [{ text: "Hello Ada." }] },
      { role: "user", content: [{ text: "Who am I?" }] },
    ])
    expect((await messagesOf(second, sessionId)).rows).toHaveLength(4)
  })

  it("S09: pages contain each row once, with a cursor exactly when there are more", async () => {
    const { served } = await world([[say("a")], [say("b")], [say("c")]])
    const client = await served.connect()
    const { sessionId } = await client.create()
    for (const message of ["1", "2", "3"]) await runTurn(client, sessionId, message)
    const whole = await messagesOf(client, sessionId)
    expect(whole.rows.map(({ text }) => text)).toEqual(["c", "3", "b", "2", "a", "1"])
    for (const limit of [1, 2, 4, 5, 6, 7]) {
      const pages: Page[] = [await messagesOf(client, sessionId, { limit })]
      while (pages.at(-1)?.hasMore === true)
        pages.push(await messagesOf(client, sessionId, { limit, cursor: pages.at(-1)?.nextCursor }))
      expect(pages.flatMap(({ rows }) => rows)).toEqual(whole.rows)
      expect(pages.map(({ nextCursor }) => nextCursor)).toEqual(
        pages.map(({ rows, hasMore }) => (hasMore === true ? rows.at(-1)?.id : null)),
      )
    }
  })

  it("S09: a cursor stays valid while the conversation continues", async () => {
    const { served } = await world([[say("a")], [say("b")]])
    const client = await served.connect()
    const { sessionId } = await client.create()
    await runTurn(client, sessionId, "1")
    const { nextCursor: cursor } = await messagesOf(client, sessionId, { limit: 1 })
    await runTurn(client, sessionId, "2")
    expect((await messagesOf(client, sessionId, { cursor })).rows.map(({ text }) => text)).toEqual(["1"])
  })

  it("S11: a caller who may read a conversation can rename it; the title is normalised to sixty characters", async () => {
    const { served } = await world([[say("one")]])
    const client = await served.connect()
    const { conversationId } = await startTurn(client)
    await client.end("r1")
    const rename = (requestId: string, more: object) =>
      client.ask({ action: "rename_conversation", requestId, conversationId, ...more })
    expect(await rename("a", { title: ` "**My   ${"x".repeat(80)}**" ` })).toMatchObject({
      status: 200,
      message: "Conversation renamed",
      data: { conversationId, title: `My ${"x".repeat(57)}` },
    })
    expect(await rename("b", { title: "x", conversationId: missing })).toMatchObject({
      error: { code: "CONVERSATION_NOT_FOUND", message: `conversation '${missing}' not found` },
    })
    for (const title of [undefined, "", " ** ", 7])
      expect(await rename(`c${String(title)}`, { title })).toMatchObject({ error: { code: "VALIDATION_ERROR" } })
    expect(await rename("d", { title: "x", conversationId: "" })).toMatchObject({ error: { code: "VALIDATION_ERROR" } })
  })

  it("S12: declared capabilities persist across a resume until an empty list replaces them", async () => {
    const card: Part = { call: { tool: "request_identity_intake", input: { fields: ["name"], reason: "to help" } } }
    const { models } = inOrder([[card], [say("Bye.")], [card], [say("In words, then.")]])
    const { served } = await world([], serviceTools(), {}, {}, { models })
    const first = await served.connect()
    const { conversationId } = await first.create({ supports: ["identity_form", "unheard-of"] })
    await first.close()
    const second = await served.connect()
    const inherited = await startTurn(second, "hi", { conversationId })
    await second.next("interaction_required", "r1")
    second.say({ action: "cancel", requestId: "r1", sessionId: inherited.sessionId })
    await second.end("r1")
    await runTurn(second, inherited.sessionId, "never mind")
    await startTurn(second, "again", { conversationId, supports: [] }, "r2")
    await second.end("r2")
    expect(second.types("r2")).not.toContain("interaction_required")
    expect(JSON.stringify(chunksOf(second, "r2"))).toContain("conversational")
  })
})
