import { describe, expect, it } from "vitest"
import { confirmationRequired, failure, interactionRequired } from "../protocols/ws/events.ts"
import { entered } from "./fixtures/start-session.ts"
import { reply, toolCall, toolResult } from "./fixtures/turn-frames.ts"
import { InteractionInvalid, RequestRefused } from "./index.ts"

const now = Date.now()

describe("what a turn asks", () => {
  it("is confirmed under an id of its own, so that a no does not end the turn", async () => {
    const { peer, session } = await entered()
    const turn = session.send("delete it")
    const message = await peer.accept()
    const { requestId } = message
    peer.say(confirmationRequired(requestId, "delete", "Allow?", now), toolCall(message, "delete", {}))
    for await (const event of turn) if (event.type === "confirmation") break
    expect(turn.asked).toEqual({ type: "confirmation", tool: "delete", description: "Allow?" })
    const early = turn.confirm(true)
    const first = await peer.take("confirm_tool_action")
    expect(first.requestId).not.toBe(requestId)
    peer.say(failure(first.requestId, "NO_PENDING_CONFIRMATION", "nothing waits", now))
    await expect(early).rejects.toThrow(RequestRefused)
    expect(turn.asked).toBeDefined()
    const confirmed = turn.confirm(false)
    const second = await peer.take("confirm_tool_action")
    expect(second.members.flag("approved")).toBe(false)
    peer.answer(second, { approved: false })
    await confirmed
    expect(turn.asked).toBeUndefined()
    peer.say(toolResult(message, "delete", "denied"), reply(message, "as you like"))
    expect(await turn.result).toMatchObject({ text: "as you like" })
  })

  it("is checked before it is sent, and can be wrong for the server all the same", async () => {
    const { peer, session } = await entered()
    const turn = session.send("who am I?")
    const message = await peer.accept()
    const { requestId } = message
    const spec = { fields: [{ key: "email", required: true }] }
    const card = { interactionId: "i1", kind: "identity_intake", spec, reason: "to help" } as const
    await expect(turn.answer({})).rejects.toThrow("asks for nothing")
    peer.say(interactionRequired(requestId, card, now))
    for await (const event of turn) if (event.type === "interaction") break
    await expect(turn.answer({ email: "nowhere" })).rejects.toMatchObject({
      errors: [{ field: "email", message: "must be a valid email address" }],
    })
    const wrong = turn.answer({ email: "a@b.example" })
    const frame = await peer.take("submit_interaction")
    expect(frame.members.get("values")).toEqual({ email: "a@b.example" })
    const errors = [{ field: "email", message: "not ours" }]
    const data = { requestId: frame.requestId, data: { interactionId: "i1", kind: "identity_intake", errors } }
    peer.sayRaw(JSON.stringify({ type: "interaction_invalid", requestId: frame.requestId, data }))
    await expect(wrong).rejects.toThrow(InteractionInvalid)
    const declined = turn.decline()
    const no = await peer.take("submit_interaction")
    expect([no.members.flag("declined"), no.members.text("interactionId")]).toEqual([true, "i1"])
    peer.answer(no, { declined: true })
    await declined
    peer.say(reply(message, "never mind"))
    await turn.result
  })
})
