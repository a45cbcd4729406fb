import { describe, expect, it } from "vitest"
import type { Step } from "../../../models/offline/index.ts"
import { type WsClient, type WsWorld, wsWorlds } from "../../../testing/doors/served-ws.ts"
import { serviceTools } from "../../../features/chat-service/tools.ts"

const worlds = wsWorlds()
const world = (steps: readonly Step[]) => worlds(steps, serviceTools())

const identity: Step[] = [
  [{ call: { tool: "request_identity_intake", input: { fields: ["name", "email"], reason: "to find your order" } } }],
  [{ text: "Thank you." }],
]

async function asked(
  { served }: WsWorld,
  supports: readonly string[],
): Promise<{ client: WsClient; sessionId: string }> {
  const client = await served.connect()
  const { sessionId } = await client.create({ supports })
  client.say({ action: "send_message", requestId: "r1", sessionId, message: "hi" })
  return { client, sessionId }
}

function resultsOf(client: WsClient): readonly string[] {
  return client.of("r1").flatMap((frame) => {
    const raw = frame.type === "stream_chunk" ? frame.data.state.rawResponse : undefined
    return raw !== undefined && "toolResult" in raw ? raw.toolResult.result : []
  })
}

describe("submit_interaction", () => {
  it("reports each invalid field, accepts valid values in canonical form, and shows the card before the call", async () => {
    const { client, sessionId } = await asked(await world(identity), ["identity_form"])
    const card = await client.next("interaction_required", "r1")
    const { interactionId, kind, spec, reason } = card.data.data
    expect({ kind, spec, reason }).toEqual({
      kind: "identity_intake",
      spec: { fields: [expect.objectContaining({ key: "name" }), expect.objectContaining({ key: "email" })] },
      reason: "to find your order",
    })
    await client.settled()
    expect(client.types("r1")).toEqual(["immediate_response", "interaction_required", "stream_chunk"])
    const submit = (requestId: string, more: object) =>
      client.ask({ action: "submit_interaction", requestId, sessionId, interactionId, ...more })
    expect(await submit("a", { values: { email: "nobody" } })).toMatchObject({
      type: "interaction_invalid",
      data: { data: { interactionId, errors: [{ field: "name" }, { field: "email" }] } },
    })
    expect(await submit("b", {})).toMatchObject({ error: { code: "VALIDATION_ERROR" } })
    expect(await submit("c", { kind: "choices", values: {} })).toMatchObject({
      error: { code: "INTERACTION_MISMATCH" },
    })
    expect(await submit("d", { interactionId: "x", values: {} })).toMatchObject({
      error: { code: "INTERACTION_MISMATCH" },
    })
    expect(await submit("e", { kind, values: { name: " Ada ", email: "Ada@Example.ORG" } })).toMatchObject({
      status: 200,
      message: "Interaction submitted",
      data: { sessionId, interactionId, kind, values: { name: "Ada", email: "Ada@example.org" } },
    })
    expect(await client.end("r1")).toMatchObject({ type: "eventual_response" })
    expect(resultsOf(client)).toEqual(['{"status":"submitted","values":{"name":"Ada","email":"Ada@example.org"}}'])
    const answeredAt = client.frames.findIndex((frame) => "requestId" in frame && frame.requestId === "e")
    expect(answeredAt).toBeLessThan(client.frames.findLastIndex(({ type }) => type === "stream_chunk"))
    expect(await submit("f", { values: {} })).toMatchObject({ error: { code: "NO_PENDING_INTERACTION" } })
  })

  it("declined wins over values", async () => {
    const { client, sessionId } = await asked(await world(identity), ["identity_form"])
    const { interactionId } = (await client.next("interaction_required")).data.data
    const declined = {
      action: "submit_interaction",
      requestId: "a",
      sessionId,
      interactionId,
      declined: true,
      values: {},
    }
    expect(await client.ask(declined)).toMatchObject({
      message: "Interaction declined",
      data: { sessionId, interactionId, declined: true },
    })
    expect(await client.end("r1")).toMatchObject({ type: "eventual_response" })
    expect(resultsOf(client)[0]).toContain('"status":"declined"')
  })

  it("returns NO_PENDING_INTERACTION after the turn was cancelled", async () => {
    const made = await world(identity)
    const { client, sessionId } = await asked(made, ["identity_form"])
    const { interactionId } = (await client.next("interaction_required")).data.data
    client.say({ action: "cancel", requestId: "r1", sessionId })
    expect(await client.end("r1")).toMatchObject({ type: "cancelled" })
    const late = { action: "submit_interaction", requestId: "a", sessionId, interactionId, values: { name: "Eve" } }
    expect(await client.ask(late)).toMatchObject({ error: { code: "NO_PENDING_INTERACTION" } })
  })

  it("can be answered by a visitor who returns", async () => {
    const made = await world(identity)
    const { client } = await asked(made, ["identity_form"])
    await client.next("interaction_required")
    const conversationId = client.frames.flatMap((frame) =>
      frame.type === "immediate_response" ? (frame.data["conversationId"] ?? []) : [],
    )[0]
    await client.close()
    const other = await made.served.connect()
    const { sessionId } = await other.create({ conversationId })
    const { interactionId } = (await other.next("interaction_required", "r1")).data.data
    const values = { name: "Ada", email: "a@b.de" }
    other.say({ action: "submit_interaction", requestId: "s", sessionId, interactionId, values })
    expect(await other.end("r1")).toMatchObject({ type: "eventual_response" })
  })

  it("the model asks in text when the client declares no capability", async () => {
    const { client } = await asked(await world(identity), [])
    expect(await client.end("r1")).toMatchObject({ type: "eventual_response" })
    expect(client.types("r1")).not.toContain("interaction_required")
    expect(resultsOf(client)[0]).toContain('"mode":"conversational"')
  })

  it("requires requestId and sessionId", async () => {
    const { client, sessionId } = await asked(await world(identity), ["identity_form"])
    await client.next("interaction_required")
    client.say({ action: "submit_interaction", sessionId, values: {} })
    expect(await client.until(() => client.of(undefined)[0])).toMatchObject({ error: { code: "VALIDATION_ERROR" } })
    expect(await client.ask({ action: "submit_interaction", requestId: "a", values: {} })).toMatchObject({
      error: { code: "VALIDATION_ERROR" },
    })
  })
})

describe("escalation", () => {
  it("is reported in the last frame of the turn", async () => {
    const steps: Step[] = [
      [{ call: { tool: "escalate", input: { reason: "angry" } } }],
      [{ text: "A colleague will help." }],
    ]
    const { client } = await asked(await world(steps), [])
    expect(await client.end("r1")).toMatchObject({
      data: { data: { needsEscalation: true, escalationReason: "angry" } },
    })
  })
})
