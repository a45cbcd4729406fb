// Two organisations on one server: ten thousand random requests with every id that either of them has seen. Nothing of one
// reaches the other, and objects of the other look missing.
import { describe, expect, it } from "vitest"
import type { ServerEvent } from "../../src/protocols/ws/frames.ts"
import type { WsClient } from "../../src/testing/doors/served-ws.ts"
import { missing } from "../ws/conversation.ts"
import { hmacToken, secret, served } from "./served.ts"

const server = served(
  { server: { auth: { mode: "jwt", secret }, limits: { framesPerSecond: 1e6, sessionsPerHour: 1e6 } } },
  [[{ text: "an answer" }]],
)
const requests = 10_000
const together = 100
/** Refusals are delayed, so each client has several sockets. */
const socketsEach = 4

/** One of each kind: with an e-mail address, without one, and staff. */
const people = (org: string) => [
  { sub: `owner-${org}`, org, email: `mail@${org}.example` },
  { sub: `nameless-${org}`, org },
  { sub: `staff-${org}`, org, role: "admin", email: "the-same@everywhere.example" },
]

interface Side {
  readonly org: string
  readonly clients: readonly WsClient[]
  readonly visits: string[]
  readonly conversations: string[]
}

async function side(org: string): Promise<Side> {
  const tokens = people(org).flatMap((claims) => Array<string>(socketsEach).fill(hmacToken(claims)))
  const clients = await Promise.all(tokens.map((token) => server().connect(token)))
  const all: Side = { org, clients, visits: [], conversations: [] }
  for (const client of clients) {
    const { sessionId, conversationId } = await client.create({ userName: `word-of-${org}` })
    client.say({ action: "send_message", requestId: "r1", sessionId, message: `word-of-${org}` })
    await client.end("r1")
    all.visits.push(sessionId)
    all.conversations.push(conversationId)
  }
  return all
}

const nowhere: Side = { org: "nowhere", clients: [], visits: [missing], conversations: [missing] }

/** Seeded: the same numbers in every run. */
function randomFrom(seed: number): (most: number) => number {
  let state = seed
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
}

describe("two organisations on one server", () => {
  it("see nothing of each other in ten thousand random requests", { timeout: 300_000 }, async () => {
    const sides = [await side("north"), await side("south")] as const
    const roll = randomFrom(20_261_116)
    const leaks: string[] = []
    const one = <Item>(items: readonly Item[]): Item => {
      const item = items[roll(items.length)]
      if (item === undefined) throw new Error("there is nothing to choose from")
      return item
    }
    const asked = async (n: number) => {
      const mine = one(sides)
      const other = mine === sides[0] ? sides[1] : sides[0]
      const whose = one([mine, other, other, nowhere])
      const [sessionId, conversationId] = [one(whose.visits), one(whose.conversations)]
      const client = one(mine.clients)
      const frame = { requestId: `q${n}`, ...one(actionsOn(sessionId, conversationId)) }
      const answer = await client.ask(frame)
      leaks.push(...leaksIn(mine, other, whose, frame.action, answer))
      const got = "data" in answer ? answer.data : undefined
      if (frame.action !== "create_conversation_session" || !isVisit(got)) return
      mine.visits.push(got.sessionId)
      mine.conversations.push(got.conversationId)
    }
    for (let n = 0; n < requests; n += together)
      await Promise.all(Array.from({ length: together }, (_, at) => asked(n + at)))
    expect(leaks).toEqual([])
    for (const [mine, other] of [sides, sides.toReversed()]) {
      const words = JSON.stringify(mine?.clients.map(({ frames }) => frames))
      expect(words).not.toContain(`word-of-${other?.org}`)
    }
  })
})

function actionsOn(sessionId: string, conversationId: string) {
  return [
    { action: "get_session", sessionId },
    { action: "get_conversation_messages", sessionId },
    { action: "list_conversations" },
    { action: "rename_conversation", conversationId, title: "mine" },
    { action: "create_conversation_session", agentId: "a", conversationId },
    { action: "confirm_tool_action", sessionId, approved: true },
    { action: "submit_interaction", sessionId, interactionId: missing, values: {} },
    { action: "verify_otp", sessionId, code: "123456" },
  ]
}

/** What an answer contains of the other organisation. */
function leaksIn(mine: Side, other: Side, whose: Side, action: string, answer: ServerEvent): readonly string[] {
  const text = JSON.stringify(answer)
  const leaked = other.conversations.filter((id) => text.includes(id))
  const givesNew = action === "create_conversation_session" || action === "list_conversations"
  if (givesNew) return leaked
  return whose === mine || answer.type === "error" ? [] : [text]
}

function isVisit(data: unknown): data is { readonly sessionId: string; readonly conversationId: string } {
  return typeof data === "object" && data !== null && "sessionId" in data && "conversationId" in data
}
