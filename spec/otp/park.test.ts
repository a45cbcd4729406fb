// Further case 10: the call waits for the code, and the right one finishes the same turn.
import { describe, expect, it } from "vitest"
import { history, next, reopen } from "../../src/testing/test-host.ts"
import { testClock } from "../../src/testing/test-clock.ts"
import { chunksOf, replyOf, startTurn } from "../ws/conversation.ts"
import { wrong } from "./mail-server.ts"
import { contact, invalid, otpWorlds, pay, says, verify, type OtpWorld } from "./world.ts"

const world = otpWorlds()
const park = { mode: "park" } as const

/** A visitor whose turn waits for the code that was sent. */
async function waiting({ served, mail }: OtpWorld) {
  const client = await served.connect()
  const visit = await startTurn(client, "pay", contact)
  const code = await mail.code()
  await client.next("stream_chunk", "r1")
  return { client, code, ...visit }
}

describe("a call that waits for a code", () => {
  it("case 10: follows its card, keeps waiting after a wrong code, and runs after the right one", async () => {
    const made = await world([[pay], says("Paid.")], park)
    const { client, code, sessionId } = await waiting(made)
    expect(client.types("r1")).toEqual(["immediate_response", "otp_verification_required", "otp_sent", "stream_chunk"])
    expect(await verify(client, sessionId, wrong(code))).toMatchObject(invalid("INVALID_CODE", 2))
    expect(made.paid).toEqual([])
    client.say({ action: "verify_otp", requestId: "r1", sessionId, code })
    expect(replyOf(await client.end("r1"))).toBe("Paid.")
    const types = client.types("r1").slice(4)
    expect(types).toEqual(["otp_verified", "stream_chunk", "stream_token", "eventual_response"])
    expect(chunksOf(client)).toMatchObject([{ toolCall: { name: "pay" } }, { toolResult: { isError: false } }])
    expect(made.paid).toMatchObject([{ verifiedEmail: "jane@example.com" }])
  })

  it("is refused after the last wrong code, and the turn continues", async () => {
    const made = await world([[pay], says("A pity.")], park)
    const { client, code, sessionId } = await waiting(made)
    for (const left of [2, 1])
      expect(await verify(client, sessionId, wrong(code))).toMatchObject(invalid("INVALID_CODE", left))
    expect(await verify(client, sessionId, wrong(code))).toMatchObject(invalid("MAX_ATTEMPTS", 0))
    expect(replyOf(await client.end("r1"))).toBe("A pity.")
    expect(await verify(client, sessionId, code)).toMatchObject(invalid("MAX_ATTEMPTS", 0))
    expect(made.paid).toEqual([])
  })

  it("ends with its code when the visitor cancels", async () => {
    const made = await world([[pay], says("Paid.")], park)
    const { client, code, sessionId } = await waiting(made)
    client.say({ action: "cancel", requestId: "r1" })
    expect(await client.end("r1")).toMatchObject({ type: "cancelled" })
    expect(await verify(client, sessionId, code)).toMatchObject(invalid("NOT_FOUND", 0))
    expect(made.paid).toEqual([])
  })

  it("ends when no code is entered in time", async () => {
    const { served, mail, paid } = await world([[pay], says("Too late.")], { ...park, change: { approvalWaitMs: 1 } })
    const client = await served.connect()
    await startTurn(client, "pay", contact)
    expect(replyOf(await client.end("r1"))).toBe("Too late.")
    expect([paid, mail.mails.length <= 1]).toEqual([[], true])
  })

  it("ends when its code expires, even if it may wait longer", async () => {
    const clock = testClock(Date.now())
    const made = await world([[pay], says("Too late.")], { ...park, now: () => clock.now() })
    const { client, code, sessionId, conversationId } = await waiting(made)
    await clock.advance(10 * 60 * 1000)
    expect(await verify(client, sessionId, code)).toMatchObject(invalid("EXPIRED", 0))
    expect(replyOf(await client.end("r1"))).toBe("Too late.")
    expect((await reopen(made.host, conversationId)).state.verifications).toMatchObject([{ phase: "expired" }])
  })

  it("is refused at once without a contact", async () => {
    const { served, paid } = await world([[pay], says("Sorry.")], park)
    const client = await served.connect()
    await startTurn(client, "pay")
    expect(replyOf(await client.end("r1"))).toBe("Sorry.")
    expect(client.types("r1")).not.toContain("otp_verification_required")
    expect(paid).toEqual([])
  })

  it("is refused when the code cannot be sent", async () => {
    const { served, mail } = await world([[pay], says("Sorry.")], park)
    mail.onMail = () => {
      throw new Error("no such mailbox")
    }
    const client = await served.connect()
    await startTurn(client, "pay", contact)
    expect(replyOf(await client.end("r1"))).toBe("Sorry.")
    expect(client.types("r1")).not.toContain("otp_sent")
    expect(chunksOf(client)).toMatchObject([
      { toolCall: { name: "pay" } },
      { toolResult: { isError: true, result: expect.stringContaining("could not be sent") } },
    ])
  })

  it("waits while the client is disconnected; the next visit gets the card again", async () => {
    const made = await world([[pay], says("Paid.")], park)
    const { client, code, conversationId } = await waiting(made)
    await client.close()
    const other = await made.served.connect()
    const { sessionId } = await other.create({ conversationId })
    await other.next("otp_sent", "r1")
    expect(await verify(other, sessionId, code)).toMatchObject({ type: "otp_verified" })
    expect(replyOf(await other.end("r1"))).toBe("Paid.")
  })

  it("asks for a confirmation afterwards if configured", async () => {
    const made = await world([[pay], says("Paid.")], { ...park, rules: { confirm: ["pay"] } })
    const { client, code, sessionId } = await waiting(made)
    expect(client.types("r1")).not.toContain("write_confirmation_required")
    await verify(client, sessionId, code)
    await client.next("write_confirmation_required", "r1")
    expect(made.paid).toEqual([])
    client.say({ action: "confirm_tool_action", requestId: "c", sessionId, approved: true })
    expect(replyOf(await client.end("r1"))).toBe("Paid.")
    expect(made.paid).toHaveLength(1)
  })

  it("needs one code for all calls of its step", async () => {
    const made = await world([[pay, pay], says("Paid twice.")], park)
    const { client, code, sessionId, conversationId } = await waiting(made)
    await verify(client, sessionId, code)
    expect(replyOf(await client.end("r1"))).toBe("Paid twice.")
    expect([made.paid.length, made.mail.mails.length]).toEqual([2, 1])
    const stored = (await history(made.log, conversationId)).filter(({ type }) => type.startsWith("verification."))
    expect(stored.map(({ type }) => type)).toEqual([
      "verification.requested",
      "verification.prepared",
      "verification.sent",
    ])
  })

  it("accepts the code after its host was replaced", async () => {
    const made = await world([[pay], says("Paid.")], park)
    const { client, code, sessionId, conversationId } = await waiting(made)
    await client.close()
    await made.host.closeSession(conversationId)
    const session = await reopen(made.host, conversationId)
    const ended = next(session, "turn.ended")
    const other = await made.served.connect()
    expect(await verify(other, sessionId, code)).toMatchObject({ type: "otp_verified" })
    expect(await ended).toMatchObject({ reason: "done" })
    expect([made.paid.length, made.mail.mails.length]).toEqual([1, 1])
  })
})
