// Cases O01 to O07 and further case 9: a call is refused, a code is sent when the turn is over, and the visitor asks
// again.
import { describe, expect, it } from "vitest"
import { history, testTool } from "../../src/testing/test-host.ts"
import { Database } from "../../src/postgres/database.ts"
import { PostgresCodeQuota } from "../../src/features/chat-service/verification/store/postgres-code-quota.ts"
import { serviceTools } from "../../src/features/chat-service/tools.ts"
import { chunksOf, missing, replyOf, runTurn, startTurn } from "../ws/conversation.ts"
import { wrong } from "./mail-server.ts"
import { contact, invalid, otpWorlds, pay, says, verify } from "./world.ts"

const world = otpWorlds()
const nowhere = "postgres://127.0.0.1:1/none"

describe("a tool for verified visitors", () => {
  it("O03: is refused, and a code is sent to a masked destination", async () => {
    const { served, mail, paid } = await world([[pay], says("First I have to know you.")])
    const client = await served.connect()
    await startTurn(client, "pay", contact)
    expect(replyOf(await client.end("r1"))).toBe("First I have to know you.")
    expect(client.types("r1").slice(-3)).toEqual(["otp_verification_required", "otp_sent", "eventual_response"])
    expect(await client.next("otp_verification_required", "r1")).toMatchObject({
      data: {
        requestId: "r1",
        data: {
          toolId: "pay",
          actionDescription: "Verify your identity to continue using 'pay'.",
          availableChannels: ["email"],
          authLevel: "end_user",
        },
      },
    })
    const { data } = await client.next("otp_sent", "r1")
    expect(data).toEqual({ requestId: "r1", data: { channel: "email", maskedDestination: "j…@example.com" } })
    expect(await mail.code()).toMatch(/^\d{6}$/)
    expect(mail.mails).toMatchObject([{ to: ["jane@example.com"], from: "shop@example.com" }])
    expect(chunksOf(client)).toMatchObject([{ toolCall: { name: "pay" } }, { toolResult: { isError: true } }])
    expect(paid).toEqual([])
  })

  it("O05: runs after the right code when the visitor asks again, and receives the proven contact", async () => {
    const { served, mail, paid } = await world([[pay], says("Who are you?"), [pay], says("Paid.")])
    const client = await served.connect()
    const { sessionId } = await startTurn(client, "pay", { userEmail: "Jane@EXAMPLE.com", userName: "Jane" })
    await client.end("r1")
    const code = await mail.code()
    const verified = await client.ask({
      action: "verify_otp",
      requestId: "v",
      sessionId,
      code: ` ${code.slice(0, 3)} ${code.slice(3)} `,
    })
    expect(verified).toMatchObject({
      type: "otp_verified",
      data: { requestId: "v", data: { message: "Identity verified successfully." } },
    })
    expect(client.types("v")).toEqual(["otp_verified"])
    expect(replyOf(await runTurn(client, sessionId, "again"))).toBe("Paid.")
    expect(paid).toMatchObject([{ org: "public", verifiedEmail: "Jane@example.com" }])
    expect(paid[0]).not.toHaveProperty("verifiedPhone")
    expect(mail.mails).toHaveLength(1)
  })

  it("O04: rejects every code after the last wrong attempt", async () => {
    const { served, mail, log } = await world([[pay], says("Who are you?")])
    const client = await served.connect()
    const { sessionId, conversationId } = await startTurn(client, "pay", contact)
    await client.end("r1")
    const code = await mail.code()
    expect(await verify(client, sessionId, wrong(code))).toMatchObject(invalid("INVALID_CODE", 2))
    expect(await verify(client, sessionId, `${code}${"0".repeat(100_000)}`)).toMatchObject(invalid("INVALID_CODE", 1))
    expect(await verify(client, sessionId, wrong(code))).toMatchObject(invalid("MAX_ATTEMPTS", 0))
    expect(await verify(client, sessionId, code)).toMatchObject(invalid("MAX_ATTEMPTS", 0))
    const stored = (await history(log, conversationId)).filter(({ type }) => type === "verification.failed")
    expect(stored).toMatchObject([
      { attemptsLeft: 2 },
      { attemptsLeft: 1 },
      { attemptsLeft: 0, why: "too-many-attempts" },
    ])
  })

  it("accepts a code once", async () => {
    const { served, mail } = await world([[pay], says("Who are you?")])
    const client = await served.connect()
    const { sessionId } = await startTurn(client, "pay", contact)
    await client.end("r1")
    const code = await mail.code()
    expect(await verify(client, sessionId, code)).toMatchObject({ type: "otp_verified" })
    expect(await verify(client, sessionId, code)).toMatchObject(invalid("NOT_FOUND", 0))
  })

  it("accepts only the newest code of a visit", async () => {
    const { served, mail } = await world([[pay], says("Who?"), [pay], says("Who?")])
    const client = await served.connect()
    const { sessionId } = await startTurn(client, "pay", contact)
    await client.end("r1")
    await runTurn(client, sessionId, "again")
    const [first, second] = [await mail.code(1), await mail.code(2)]
    expect(await verify(client, sessionId, first)).toMatchObject(invalid("INVALID_CODE", 2)) // the same code by chance: one in a million
    expect(await verify(client, sessionId, second)).toMatchObject({ type: "otp_verified" })
  })

  it("runs for the verified visit only, not for others of the conversation", async () => {
    const { served, mail, paid } = await world([[pay], says("Who?"), [pay], says("Who?"), [pay], says("Paid.")])
    const client = await served.connect()
    const { sessionId, conversationId } = await startTurn(client, "pay", contact)
    await client.end("r1")
    const code = await mail.code()
    const other = await client.create({ conversationId })
    expect(await verify(client, other.sessionId, code)).toMatchObject(invalid("NOT_FOUND", 0))
    expect(await verify(client, sessionId, code)).toMatchObject({ type: "otp_verified" })
    await runTurn(client, other.sessionId, "me too")
    expect(paid).toEqual([])
    expect(replyOf(await runTurn(client, sessionId, "now"))).toBe("Paid.")
    expect(paid).toHaveLength(1)
  })

  it("O06: offers no code without a contact", async () => {
    const { served, mail } = await world([[pay], says("Sorry.")])
    const client = await served.connect()
    const { sessionId } = await startTurn(client, "pay")
    expect(replyOf(await client.end("r1"))).toBe("Sorry.")
    expect(client.types("r1")).not.toContain("otp_verification_required")
    expect(await verify(client, sessionId, "123456")).toMatchObject(invalid("NOT_FOUND", 0))
    expect(mail.mails).toEqual([])
  })

  it.each(["a@example.com, b@example.com", "x\r\nBcc: b@example.com", "<a@example.com>", "a@b", "@example.com"])(
    "sends nothing to what is no address: %j",
    async (userEmail) => {
      const { served, mail } = await world([[pay], says("Sorry.")])
      const client = await served.connect()
      await startTurn(client, "pay", { userEmail })
      await client.end("r1")
      expect(client.types("r1")).not.toContain("otp_sent")
      expect(mail.mails).toEqual([])
    },
  )

  it("O06: that is for staff is refused without an offer", async () => {
    const wiped: string[] = []
    const wipe = testTool("wipe", () => (wiped.push("all"), { outcome: "done", output: "" }))
    const { served, mail } = await world([[{ call: { tool: "wipe", input: {} } }], says("No.")], { tools: [wipe] })
    const client = await served.connect()
    await startTurn(client, "wipe", contact)
    expect(replyOf(await client.end("r1"))).toBe("No.")
    expect(client.types("r1")).not.toContain("otp_verification_required")
    expect([wiped, mail.mails]).toEqual([[], []])
  })

  it("needs no verification with an internal agent", async () => {
    const wipe = testTool("wipe", () => ({ outcome: "done", output: "wiped" }))
    const answers = [[pay, { call: { tool: "wipe", input: {} } }], says("Done.")]
    const { served, paid } = await world(answers, { tools: [wipe], change: { service: { visibility: "internal" } } })
    const client = await served.connect()
    await startTurn(client, "go")
    expect(replyOf(await client.end("r1"))).toBe("Done.")
    expect(paid).toHaveLength(1)
    expect(paid[0]).not.toHaveProperty("verifiedEmail")
  })

  it("O07: sends the code to a phone number that the visitor gave during the conversation", async () => {
    const sent: string[] = []
    const intake = { call: { tool: "request_identity_intake", input: { fields: ["phone"], reason: "to reach you" } } }
    const { served, paid } = await world([[pay], [intake], says("Who?"), [pay], says("Paid.")], {
      channels: ["email", "sms"],
      tools: serviceTools(),
      send: async ({ channel, destination, code }) => void sent.push(channel, destination, code),
    })
    const client = await served.connect()
    const { sessionId } = await startTurn(client, "pay", { supports: ["identity_form"] })
    const { interactionId } = (await client.next("interaction_required", "r1")).data.data
    const values = { phone: "(415) 555-2671" }
    await client.ask({ action: "submit_interaction", requestId: "s", sessionId, interactionId, values })
    await client.end("r1")
    expect(await client.next("otp_verification_required")).toMatchObject({
      data: { data: { availableChannels: ["sms"] } },
    })
    expect(await client.next("otp_sent")).toMatchObject({
      data: { data: { channel: "sms", maskedDestination: "+1…71" } },
    })
    expect(sent.slice(0, 2)).toEqual(["sms", "+14155552671"])
    expect(await verify(client, sessionId, sent[2] ?? "")).toMatchObject({ type: "otp_verified" })
    await runTurn(client, sessionId, "again")
    expect(paid).toMatchObject([{ verifiedPhone: "+14155552671" }])
  })

  it("case 9: ends its turn normally when the mail is refused, and no code is accepted then", async () => {
    const { served, mail, warnings } = await world([[pay], says("Who are you?")])
    mail.onMail = () => {
      throw new Error("mailbox full")
    }
    const client = await served.connect()
    const { sessionId } = await startTurn(client, "pay", contact)
    expect(replyOf(await client.end("r1"))).toBe("Who are you?")
    await client.settled()
    expect(client.types("r1").slice(-2)).toEqual(["otp_verification_required", "eventual_response"])
    expect(client.frames.filter(({ type }) => type === "error" || type === "otp_sent")).toEqual([])
    expect(warnings).toEqual([expect.stringContaining("mailbox full")])
    expect(await verify(client, sessionId, "123456")).toMatchObject(invalid("NOT_FOUND", 0))
  })

  it.each([
    ["a file", () => ({ quotaFile: "/nowhere/codes.db" })],
    ["PostgreSQL", () => ({ quota: new PostgresCodeQuota(new Database({ url: nowhere }), new Uint8Array(32)) })],
  ])("ends its turn normally when the quota cannot be read from %s, and sends no code", async (_where, options) => {
    const { served, mail, warnings } = await world([[pay], says("Who are you?")], options())
    const client = await served.connect()
    await startTurn(client, "pay", contact)
    expect(replyOf(await client.end("r1"))).toBe("Who are you?")
    expect([mail.mails, warnings]).toEqual([[], [expect.stringContaining("a code could not be sent")]])
  })

  it("O01, O02: rejects every code when no code transport is configured, after checking the frame", async () => {
    const { served } = await world([[pay], says("Sorry.")], { change: { codes: undefined } })
    const client = await served.connect()
    const { sessionId } = await startTurn(client, "pay", contact)
    await client.end("r1")
    expect(client.types("r1")).not.toContain("otp_verification_required")
    client.say({ action: "verify_otp", sessionId, code: "1" })
    expect(await client.next("error")).toMatchObject({ error: { code: "VALIDATION_ERROR" } })
    const ask = (more: object) => client.ask({ action: "verify_otp", requestId: `v-${Math.random()}`, ...more })
    expect(await ask({ code: "1" })).toMatchObject({
      error: { code: "VALIDATION_ERROR", message: "'sessionId' is required" },
    })
    expect(await ask({ sessionId: missing })).toMatchObject({ error: { message: "'code' is required" } })
    expect(await ask({ sessionId, code: 123456 })).toMatchObject({ error: { message: "'code' is required" } })
    expect(await ask({ sessionId: missing, code: "1" })).toMatchObject({ error: { code: "SESSION_NOT_FOUND" } })
    expect(await ask({ sessionId, code: "1" })).toMatchObject(invalid("NOT_FOUND", 0))
  })
})
