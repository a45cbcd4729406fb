import { connect } from "node:net"
import { createTransport } from "nodemailer"
import { afterEach, describe, expect, it } from "vitest"
import { MailSink } from "./mail-sink.ts"

let sink: MailSink | undefined
afterEach(() => sink?.close())

describe("a mail sink", () => {
  it("keeps the mails of a real client, in order", async () => {
    sink = await MailSink.open()
    const transport = createTransport(sink.url)
    for (const text of ["one", ".two"]) await transport.sendMail({ from: "a@example.com", to: "b@example.com", text })
    transport.close()
    const [first, second] = [await sink.next(), await sink.next()]
    expect(first).toContain("To: b@example.com")
    expect(first).toMatch(/\n\none$/m)
    expect(second).toMatch(/\n\n\.two$/m)
  })

  it("drops a client that sends more than a mail with a code can have", async () => {
    sink = await MailSink.open()
    const socket = connect(Number(new URL(sink.url).port), "127.0.0.1").on("error", () => {})
    socket.write("x".repeat(200_000))
    socket.resume()
    await new Promise((resolve) => socket.once("close", resolve))
    expect(socket.destroyed).toBe(true)
  })
})
