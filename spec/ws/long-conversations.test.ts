// A conversation with more turns than a session keeps in memory can be read to its first message, and is counted.
import { describe, expect, it } from "vitest"
import type { SessionEvent } from "../../src/contract/events.ts"
import { reopen } from "../../src/testing/test-host.ts"
import { foldStatus, noStatus } from "../../src/projection/status.ts"
import { type WsClient, wsWorlds } from "../../src/testing/doors/served-ws.ts"
import { dataOf, messagesOf, missing } from "./conversation.ts"

const world = wsWorlds()
const by = { principal: "visitor", door: "ws" }
const turns = 1250

function turn(n: number): SessionEvent[] {
  const [promptId, turnId, stepId] = [`prm_${n}`, `trn_${n}`, `stp_${n}`] as const
  return [
    { type: "prompt.admitted", promptId, text: `question ${n}`, delivery: "next-turn", by },
    { type: "turn.started", turnId },
    { type: "prompt.promoted", promptId, turnId },
    { type: "step.started", stepId, turnId, model: "m" },
    { type: "text.ended", stepId, block: 0, text: `answer ${n}` },
    { type: "response.ended", stepId, model: "m", finish: "stop" },
    { type: "step.ended", stepId },
    { type: "turn.ended", turnId, reason: "done" },
  ]
}

/** Writes the events to the log; the session is opened afterwards. */
async function longConversation() {
  const made = await world([])
  const { served, host, log } = made
  const client = await served.connect()
  const { sessionId, conversationId } = await client.create()
  await client.close()
  await host.closeSession(conversationId)
  await log.claim(host.lease, conversationId)
  const before = await log.read(conversationId, 0, 100)
  if (before.kind === "refused") throw new Error(before.refusal.code)
  const events = Array.from({ length: turns }, (_, n) => turn(n + 1)).flat()
  const [expectedSeq, at] = [before.value.length, Date.now()]
  const recorded = events.map((event, index) => ({ seq: expectedSeq + index + 1, at, event }))
  const summary = { ...[...before.value, ...recorded].reduce(foldStatus, noStatus) }
  await log.append(host.lease, { sessionId: conversationId, expectedSeq, at, events, settles: undefined, summary })
  await reopen(host, conversationId)
  return { served, sessionId, conversationId }
}

async function allTexts(client: WsClient, sessionId: string, limit: number): Promise<readonly string[]> {
  const texts: string[] = []
  for (let cursor: unknown; ;) {
    const page = await messagesOf(client, sessionId, { limit, ...(cursor === undefined ? {} : { cursor }) })
    texts.push(...page.rows.map(({ text }) => text))
    expect(page.hasMore).toBe(page.nextCursor !== null)
    if (page.nextCursor === null) return texts
    cursor = page.nextCursor
  }
}

describe("a conversation of many turns", () => {
  it("is read page by page to its first message", async () => {
    const { served, sessionId } = await longConversation()
    const client = await served.connect()
    const texts = await allTexts(client, sessionId, 99)
    const expected = Array.from({ length: turns }, (_, n) => [`question ${n + 1}`, `answer ${n + 1}`]).flat()
    expect(texts).toEqual(expected.toReversed())
  })

  it("can be paged with a cursor from another socket, and not with one of another conversation", async () => {
    const { served, sessionId } = await longConversation()
    const first = await served.connect()
    let page = await messagesOf(first, sessionId, { limit: 100 })
    for (let pages = 1; pages < 24; pages++)
      page = await messagesOf(first, sessionId, { limit: 100, cursor: page.nextCursor })
    const second = await served.connect()
    const { rows, hasMore } = await messagesOf(second, sessionId, { limit: 100, cursor: page.nextCursor })
    expect([rows.at(0)?.text, rows.at(-1)?.text, hasMore]).toEqual(["answer 50", "question 1", false])
    const bad = { action: "get_conversation_messages", requestId: "bad", sessionId, cursor: missing }
    expect(await second.ask(bad)).toMatchObject({ error: { code: "VALIDATION_ERROR" } })
  })

  it("has the right message count", async () => {
    const { served, conversationId } = await longConversation()
    const client = await served.connect()
    const listed = dataOf(await client.ask({ action: "list_conversations", requestId: "l" }))
    expect(listed).toMatchObject({ conversations: [{ conversationId, messageCount: 2 * turns }] })
  })
})
