import { describe, expect, it } from "vitest"
import { errorEvent, notice } from "../../protocols/ws/server-events.ts"
import { startServer, type Frame } from "./fixtures/scripted-server.ts"
import { connectedSession, next, startSession } from "./fixtures/start-session.ts"
import { reply, toolCall, toolResult } from "./fixtures/turn-frames.ts"
import { InteractionInvalid, QuestionGone, RequestRefused, type Confirmation, type Turn } from "./index.ts"

const now = Date.now()

describe("cards", () => {
  it("a confirmation uses its own request id, so that a refusal does not end the turn", async () => {
    const { peer, session } = await connectedSession()
    const turn = session.send("delete it")
    const message = await peer.accept()
    const { requestId } = message
    peer.send(confirmation(requestId, "delete", "Allow?"), toolCall(message, "delete", {}))
    for await (const event of turn) if (event.type === "confirmation") break
    expect(turn.asked).toEqual({ type: "confirmation", tool: "delete", description: "Allow?" })
    const early = turn.confirm(true)
    const first = await peer.take("confirm_tool_action")
    expect(first.requestId).not.toBe(requestId)
    peer.send(errorEvent(first.requestId, { code: "NO_PENDING_CONFIRMATION", message: "nothing waits" }, now))
    await expect(early).rejects.toThrow(RequestRefused)
    expect(turn.asked).toBeDefined()
    const confirmed = turn.confirm(false)
    const second = await peer.take("confirm_tool_action")
    expect(second.fields.boolean("approved")).toBe(false)
    peer.answer(second, { approved: false })
    await confirmed
    expect(turn.asked).toBeUndefined()
    peer.send(toolResult(message, "delete", "denied"), reply(message, "as you like"))
    expect(await turn.result).toMatchObject({ text: "as you like" })
  })

  it("an answer to an earlier confirmation does not confirm the pending one", async () => {
    const { peer, session } = await connectedSession()
    const turn = session.send("pay twice")
    const message = await peer.accept()
    peer.send(asking(message, "pay 1?"), toolCall(message, "pay", {}))
    const card = await firstCard(turn)
    peer.send(toolResult(message, "pay", "denied elsewhere"), asking(message, "pay 1000?"))
    const received = session.ping()
    peer.answer(await peer.take("ping"), {})
    await received // so the frames before it were processed
    expect(turn.asked).toMatchObject({ description: "pay 1000?" })
    await expect(turn.confirm(true, { card })).rejects.toThrow(QuestionGone)
    const first = turn.confirm(false)
    peer.answer(await peer.take("confirm_tool_action"), {}) // the first one that the server got
    await first
  })

  it("an answer that waited for a connection is dropped if another confirmation is pending by then", async () => {
    const server = await startServer()
    const { peer, session } = await startSession(server)
    const turn = session.send("pay twice")
    const message = await peer.accept()
    peer.send(asking(message, "pay 1?"), toolCall(message, "pay", {}))
    await firstCard(turn)
    const lost = next(session, "reconnecting")
    peer.drop()
    await lost
    const late = turn.confirm(true)
    const back = await server.welcome()
    back.send(
      toolCall(message, "pay", {}),
      toolResult(message, "pay", "denied elsewhere"),
      asking(message, "pay 1000?"),
    )
    const frames = [await back.any(), await back.any()]
    for (const frame of frames) back.answer(frame, { messages: [], hasMore: false })
    await expect(late).rejects.toThrow(QuestionGone)
    expect(frames.map(({ action }) => action)).not.toContain("confirm_tool_action")
  })

  it("an answer that waited for a connection is sent if the same confirmation is pending again", async () => {
    const server = await startServer()
    const { peer, session } = await startSession(server)
    const turn = session.send("pay")
    const message = await peer.accept()
    peer.send(asking(message, "pay 1?"), toolCall(message, "pay", {}))
    const card = await firstCard(turn)
    const lost = next(session, "reconnecting")
    peer.drop()
    await lost
    const late = turn.confirm(true, { card })
    const back = await server.welcome()
    back.send(asking(message, "pay 1?"), toolCall(message, "pay", {}))
    const seen: string[] = []
    while (!seen.includes("confirm_tool_action")) {
      const frame = await back.any()
      seen.push(frame.action)
      back.answer(frame, { messages: [], hasMore: false })
    }
    await late
    expect(turn.asked).toBeUndefined()
  })

  it("values are checked before they are sent, and the server may still reject them", async () => {
    const { peer, session } = await connectedSession()
    const turn = session.send("who am I?")
    const message = await peer.accept()
    const { requestId } = message
    const spec = { fields: [{ key: "email", required: true }] }
    const card = { interactionId: "i1", kind: "identity_intake", spec, reason: "to help" } as const
    await expect(turn.answer({})).rejects.toThrow("no card of this turn is pending")
    peer.send(notice("interaction_required", requestId, card, now))
    for await (const event of turn) if (event.type === "interaction") break
    await expect(turn.answer({ email: "nowhere" })).rejects.toMatchObject({
      errors: [{ field: "email", message: "must be a valid email address" }],
    })
    const wrong = turn.answer({ email: "a@b.example" })
    const frame = await peer.take("submit_interaction")
    expect(frame.fields.get("values")).toEqual({ email: "a@b.example" })
    const errors = [{ field: "email", message: "not ours" }]
    const data = { requestId: frame.requestId, data: { interactionId: "i1", kind: "identity_intake", errors } }
    peer.sendRaw(JSON.stringify({ type: "interaction_invalid", requestId: frame.requestId, data }))
    await expect(wrong).rejects.toThrow(InteractionInvalid)
    const declined = turn.decline()
    const no = await peer.take("submit_interaction")
    expect([no.fields.boolean("declined"), no.fields.text("interactionId")]).toEqual([true, "i1"])
    peer.answer(no, { declined: true })
    await declined
    peer.send(reply(message, "never mind"))
    await turn.result
  })
})

function asking({ requestId }: Frame, description: string) {
  return confirmation(requestId, "pay", description)
}

function confirmation(requestId: string, toolId: string, actionDescription: string) {
  return notice("write_confirmation_required", requestId, { toolId, actionDescription }, now)
}

async function firstCard(turn: Turn): Promise<Confirmation> {
  for await (const event of turn) if (event.type === "confirmation") return event
  throw new Error("nothing was asked")
}
