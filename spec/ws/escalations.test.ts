// An agent that asks for a person: its visitor is told in the end of the turn, and the people of the house find it.
import { describe, expect, it } from "vitest"
import type { Step } from "../../src/models/offline/index.ts"
import { reopen } from "../../src/testing/test-host.ts"
import { portOf } from "../../src/testing/doors/served-host.ts"
import { wsWorlds } from "../../src/testing/doors/ws-worlds.ts"
import { serviceTools } from "../../src/features/chat-service/tools.ts"
import { spoken, talking } from "./conversation.ts"

const world = wsWorlds()
const staff = { principal: "mia", door: "house" }
const steps: Step[] = [
  [{ call: { tool: "escalate", input: { reason: "a refund of 900" } } }],
  [{ text: "Somebody will come." }],
  [{ text: "Still waiting." }],
  [{ text: "Welcome, Mia." }],
]

async function escalated() {
  const made = await world(steps, serviceTools())
  const client = await made.served.connect()
  const visit = await talking(client, "my money back")
  const end = await client.end("r1")
  const session = await reopen(made.host, visit.conversationId)
  const waiting = () => portOf(made.host).query({ type: "approvals" })
  return { ...made, client, session, waiting, end, sessionId: visit.sessionId }
}

describe("an escalation", () => {
  it("is told to the visitor at the end of its turn, and stands among what waits for a person", async () => {
    const { end, session, waiting } = await escalated()
    expect(end).toMatchObject({
      data: {
        data: {
          needsEscalation: true,
          escalationReason: "a refund of 900",
          response: { resolutionStatus: "requires_escalation" },
        },
      },
    })
    expect(session.status.escalated).toMatchObject({ reason: "a refund of 900" })
    const entry = { kind: "escalation", sessionId: session.id, reason: "a refund of 900" }
    expect(await waiting()).toMatchObject({ kind: "answer", value: [{ ...entry, askedAt: expect.any(Number) }] })
  })

  it("stays when the visitor speaks, whose next turn does not repeat it, and goes when somebody of the house does", async () => {
    const { client, sessionId, session, waiting } = await escalated()
    expect(await spoken(client, sessionId, "hello?")).toMatchObject({
      data: { data: { needsEscalation: false, response: { resolutionStatus: "in_progress" } } },
    })
    expect(await waiting()).toMatchObject({ value: [{ kind: "escalation" }] })
    await session.send({ type: "prompt", promptId: "prm_mia", text: "I am here.", ifBusy: "wait" }, staff)
    expect(await waiting()).toEqual({ kind: "answer", value: [] })
  })

  it("is settled by somebody who may approve, and by nobody else", async () => {
    const { session, waiting } = await escalated()
    const settle = { type: "settle-escalation", note: "paid" } as const
    const visitor = { principal: "visitor", door: "ws", roles: ["watch", "drive"] } as const
    expect(await session.send(settle, { ...visitor, roles: [...visitor.roles] })).toMatchObject({
      refusal: { code: "role.missing", role: "approve" },
    })
    expect(await session.send(settle, { ...staff, roles: ["watch", "approve"] })).toMatchObject({ kind: "accepted" })
    expect(await waiting()).toEqual({ kind: "answer", value: [] })
    expect(await session.send(settle, staff)).toMatchObject({ refusal: { code: "escalation.none" } })
  })
})
