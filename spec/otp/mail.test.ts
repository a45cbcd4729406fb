// Sending codes to a mail server that fails.
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "vitest"
import { mailCode } from "../../src/features/chat-service/verification/effects/mail-code.ts"
import { mailServers } from "./mail-server.ts"

const mailServer = mailServers()
const sent = { channel: "email", destination: "jane@example.com", code: "012345", minutes: 10 } as const
const from = "Shop <shop@example.com>"

describe("a mail with a code", () => {
  it("names the purpose and the lifetime of the code, and has the configured sender", async () => {
    const mail = await mailServer()
    await mailCode({ url: mail.url, from, mustEncrypt: false }, sent)
    expect(mail.mails).toMatchObject([{ to: ["jane@example.com"], from: "shop@example.com" }])
    const [text] = mail.mails.map((one) => one.text)
    expect(text).toContain("Your verification code is 012345.")
    expect(text).toContain("within 10 minutes")
    expect(text).toMatch(/^To: jane@example\.com\r$/m)
    expect(text).toMatch(/^Auto-Submitted: auto-generated\r$/m)
  })

  it("is not sent without TLS if TLS is required", async () => {
    const mail = await mailServer()
    await expect(mailCode({ url: mail.url, from, mustEncrypt: true }, sent)).rejects.toThrow(/STARTTLS|TLS/)
    expect(mail.mails).toEqual([])
    await mailCode({ url: `${mail.url}/?requireTLS=false`, from, mustEncrypt: true }, sent)
    expect(mail.mails).toHaveLength(1)
  })

  it("times out when the server does not answer", async (test) => {
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
    test.onTestFinished(() => void silent.close())
    const address: AddressInfo | string | null = silent.address()
    const url = `smtp://127.0.0.1:${typeof address === "object" ? address?.port : ""}/?greetingTimeout=20`
    await expect(mailCode({ url, from, mustEncrypt: false }, sent)).rejects.toThrow(/[Gg]reeting/)
  })

  it("fails when no server listens", async () => {
    await expect(mailCode({ url: "smtp://127.0.0.1:9", from, mustEncrypt: false }, sent)).rejects.toThrow(
      "ECONNREFUSED",
    )
  })
})
