// Escalations: the visitor gets them with the end of the turn, and staff find them.
import { describe, expect, it } from "vitest"
import type { Step } from "../../src/models/offline/index.ts"
import { reopen } from "../../src/testing/test-host.ts"
import { portOf } from "../../src/testing/doors/served-host.ts"
import { wsWorlds } from "../../src/testing/doors/served-ws.ts"
import { serviceTools } from "../../src/features/chat-service/tools.ts"
import { runTurn, startTurn } from "./conversation.ts"

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
  const visit = await startTurn(client, "my money back")
  const end = await client.end("r1")
  const session = await reopen(made.host, visit.conversationId)
  const waiting = () => portOf(made.host).query({ type: "approvals" })
  return { ...made, client, session, waiting, end, sessionId: visit.sessionId }
}

describe("an escalation", () => {
  it("is in the last frame of its turn, and listed for staff", async () => {
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

  it("stays open in the visitor's next turn, which does not repeat it, and is settled by a message from staff", async () => {
    const { client, sessionId, session, waiting } = await escalated()
    expect(await runTurn(client, sessionId, "hello?")).toMatchObject({
      data: { data: { needsEscalation: false, response: { resolutionStatus: "in_progress" } } },
    })
    expect(await waiting()).toMatchObject({ value: [{ kind: "escalation" }] })
    await session.send({ type: "prompt", promptId: "prm_mia", text: "I am here.", ifBusy: "wait" }, staff)
    expect(await waiting()).toEqual({ kind: "answer", value: [] })
  })

  it("is settled only by a principal with the role approve", async () => {
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
