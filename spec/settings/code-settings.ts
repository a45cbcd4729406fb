// Settings of one-time codes, on a server that is a process of its own and a real mail server.
import { expect } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"
import { serve } from "../identity/served.ts"
import { MailServer } from "../otp/mail-server.ts"
import { contact } from "../otp/world.ts"
import { startTurn } from "../ws/conversation.ts"
import type { SettingTests, Test } from "./setting-tests.ts"

const pay = { description: "Pays.", input: { type: "object" }, class: "read", run: ["echo", "paid"] }
const from = "shop@example.com"

async function mailServer(test: Test): Promise<MailServer> {
  const mail = await MailServer.open()
  test.onTestFinished(() => mail.close())
  return mail
}

/** A visitor's turn that calls a tool for verified visitors. */
async function startPayTurn(test: Test, otp: object) {
  const place = newPlace(test)
  const tools = { define: { pay }, endUser: ["pay"] }
  const served = await serve(place, { tools, otp }, [
    [{ call: { tool: "pay", input: {} } }],
    [{ text: "Please wait." }],
  ])
  const client = await served.connect()
  await startTurn(client, "pay", contact)
  return { client, served }
}

export const codeSettings: SettingTests = {
  "otp.mode": async (_, test) => {
    const transport = { type: "log" }
    const parked = await startPayTurn(test, { transport }) // the default is park
    expect((await parked.client.next("otp_verification_required", "r1")).type).toBe("otp_verification_required")
    expect(parked.client.types("r1")).not.toContain("eventual_response")
    const after = await startPayTurn(test, { mode: "after", transport })
    expect((await after.client.end("r1")).type).toBe("eventual_response")
  },
  "otp.transport.type": async (_, test) => {
    const { served } = await startPayTurn(test, { transport: { type: "log" } })
    await served.running.until("a code", () => /one-time code for \S+: \d{6}/.exec(served.running.stderr) ?? undefined)
    const mail = await mailServer(test)
    const mailed = await startPayTurn(test, { transport: { type: "smtp", url: mail.url }, from })
    expect(await mail.code()).toMatch(/^\d{6}$/)
    expect(mailed.served.running.stderr).not.toContain("one-time code")
  },
  "otp.transport.url": async (_, test) => {
    const [one, other] = [await mailServer(test), await mailServer(test)]
    await startPayTurn(test, { transport: { type: "smtp", url: other.url }, from })
    await other.code()
    expect([one.mails.length, other.mails.length]).toEqual([0, 1])
  },
  "otp.from": async (_, test) => {
    const mail = await mailServer(test)
    for (const sender of ["shop@example.com", "desk@example.com"])
      await startPayTurn(test, { transport: { type: "smtp", url: mail.url }, from: sender })
    await mail.code(2)
    expect(mail.mails.map((sent) => sent.from)).toEqual(["shop@example.com", "desk@example.com"])
  },
}
