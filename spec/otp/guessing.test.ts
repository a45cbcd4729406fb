// A client that guesses codes has few attempts, also with other codes, after a reconnect, or after waiting.
import { describe, expect, it } from "vitest"
import { limits } from "../../src/contract/limits.ts"
import { testClock } from "../../src/testing/test-clock.ts"
import { replyOf, runTurn, startTurn } from "../ws/conversation.ts"
import { wrong } from "./mail-server.ts"
import { contact, invalid, otpWorlds, pay, says, verify, type OtpWorld } from "./world.ts"

const world = otpWorlds()
const turns = (count: number) => Array.from({ length: count }, () => [[pay], says("Who are you?")]).flat()

/** A new conversation in which the visitor calls a tool that needs verification. */
async function startPayTurn({ served }: OtpWorld, userEmail: string) {
  const client = await served.connect()
  const { sessionId } = await startTurn(client, "pay", { userEmail })
  await client.end("r1")
  return { client, sessionId, isSent: client.types("r1").includes("otp_sent") }
}

describe("guessing", () => {
  it("is limited per contact across conversations", async () => {
    const made = await world(turns(limits.codesPerContact + 3))
    const sent: boolean[] = []
    for (let visit = 0; visit < limits.codesPerContact + 2; visit++) {
      const { isSent } = await startPayTurn(made, visit % 2 === 0 ? "jane@example.com" : " JANE@Example.COM")
      sent.push(isSent)
    }
    expect(sent).toEqual([...Array.from({ length: limits.codesPerContact }, () => true), false, false])
    expect(made.mail.mails).toHaveLength(limits.codesPerContact)
    expect((await startPayTurn(made, "joe@example.com")).isSent).toBe(true)
  })

  it("is limited per visit across contacts", async () => {
    const made = await world(turns(limits.codesPerVisit + 1), {})
    const { client, sessionId } = await startPayTurn(made, "0@example.com")
    for (let turn = 1; turn <= limits.codesPerVisit; turn++) {
      await client.create({ userEmail: `${turn}@example.com`, conversationId: await conversationOf(client, sessionId) })
      expect(replyOf(await runTurn(client, sessionId, `turn ${turn}`))).toBe("Who are you?")
    }
    expect(made.mail.mails).toHaveLength(limits.codesPerVisit)
  })

  it("can continue after an hour, not before", async () => {
    const clock = testClock(Date.now())
    const made = await world(turns(limits.codesPerContact + 2), { now: () => clock.now() })
    for (let code = 0; code < limits.codesPerContact; code++) await startPayTurn(made, contact.userEmail)
    await clock.advance(60 * 60 * 1000 - 1)
    expect((await startPayTurn(made, contact.userEmail)).isSent).toBe(false)
    await clock.advance(1)
    expect((await startPayTurn(made, contact.userEmail)).isSent).toBe(true)
  })

  it("fails with an expired code", async () => {
    const clock = testClock(Date.now())
    const { mail, ...made } = await world(turns(2), { now: () => clock.now() })
    const { client, sessionId } = await startPayTurn({ mail, ...made }, contact.userEmail)
    const code = await mail.code()
    await clock.advance(limits.codeMs - 1)
    expect(await verify(client, sessionId, wrong(code))).toMatchObject(invalid("INVALID_CODE", 2))
    await clock.advance(1)
    expect(await verify(client, sessionId, code)).toMatchObject(invalid("EXPIRED", 0))
    expect(await verify(client, sessionId, code)).toMatchObject(invalid("EXPIRED", 0))
    await runTurn(client, sessionId, "another one")
    expect(await verify(client, sessionId, await mail.code(2))).toMatchObject({ type: "otp_verified" })
  })

  it("counts concurrent attempts", async () => {
    const made = await world(turns(1))
    const { client, sessionId } = await startPayTurn(made, contact.userEmail)
    const code = await made.mail.code()
    const others = await Promise.all(Array.from({ length: 10 }, () => made.served.connect()))
    const tried = await Promise.all(others.map((other) => verify(other, sessionId, wrong(code))))
    const errors = tried.map((frame) => (frame.type === "otp_invalid" ? frame.data.data.error : frame.type))
    expect(errors.filter((error) => error === "INVALID_CODE")).toHaveLength(2)
    expect(errors.filter((error) => error === "MAX_ATTEMPTS")).toHaveLength(8)
    expect(await verify(client, sessionId, code)).toMatchObject(invalid("MAX_ATTEMPTS", 0))
  })

  it("is counted in the log, so that reopening the session does not reset attempts", async () => {
    const made = await world(turns(1))
    const { client, sessionId } = await startPayTurn(made, contact.userEmail)
    const code = await made.mail.code()
    await verify(client, sessionId, wrong(code))
    await verify(client, sessionId, wrong(code))
    await client.close()
    await made.host.closeSession(await conversationOf(await made.served.connect(), sessionId))
    const other = await made.served.connect()
    expect(await verify(other, sessionId, wrong(code))).toMatchObject(invalid("MAX_ATTEMPTS", 0))
    expect(await verify(other, sessionId, code)).toMatchObject(invalid("MAX_ATTEMPTS", 0))
  })
})

async function conversationOf(
  client: Awaited<ReturnType<typeof startPayTurn>>["client"],
  sessionId: string,
): Promise<string> {
  const found = await client.ask({ action: "get_session", requestId: `get-${Math.random()}`, sessionId })
  const id = found.type === "immediate_response" ? found.data["conversationId"] : undefined
  if (typeof id !== "string") throw new Error("no conversation")
  return id
}
