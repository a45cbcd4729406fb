// Codes with the server as a process: what remains after a crash, what the next server knows, and that a code is in the
// mail and nowhere else.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, type TestContext } from "vitest"
import { gate } from "../../src/testing/gate.ts"
import { WsClient } from "../../src/testing/doors/served-ws.ts"
import { eventually } from "../e2e/eventually.ts"
import { eventsOf, type Json } from "../e2e/printed.ts"
import { newPlace, type Place } from "../e2e/turnhouse.ts"
import { startProviderServer } from "../provider-server/server.ts"
import { replyOf, runTurn, startTurn } from "../ws/conversation.ts"
import { MailServer } from "./mail-server.ts"
import { contact, invalid, verify } from "./world.ts"

const paying = { blocks: [{ tool: "pay_invoice", input: { number: "17" } }] }
const asking = { blocks: [{ text: "Who are you?" }] }
const done = { blocks: [{ text: "Paid." }] }

/** A shop with one tool for verified visitors, which records the visitors it ran for. */
async function shop(
  test: TestContext,
  turns: readonly (typeof paying | typeof asking | typeof done)[],
  mode = "after",
) {
  const provider = await startProviderServer({ replies: turns })
  test.onTestFinished(() => provider.close())
  const mail = await MailServer.open()
  test.onTestFinished(() => mail.close())
  const place = newPlace(test)
  const tool = place.write("pay.sh", `echo "$TURNHOUSE_VERIFIED_EMAIL" >> ${place.path("paid")}; echo paid`)
  const description = "Pays an invoice."
  place.config({
    model: "mock/m",
    providers: { mock: { type: "openai-compatible", baseURL: `${provider.url}/v1`, apiKey: "x" } },
    tools: {
      define: { pay_invoice: { description, input: {}, class: "unsafe", run: ["sh", tool] } },
      endUser: ["pay_*"],
      sandbox: "off",
    },
    otp: { mode, transport: { type: "smtp", url: mail.url }, from: "shop@example.com" },
  })
  return { place, mail }
}

async function serving(place: Place) {
  const running = place.start(["serve", "--port", "0"])
  const url = await running.until("an address", () => /^listening on http:(\S+)$/m.exec(running.stdout)?.[1])
  return { running, connect: () => WsClient.open(`ws:${url}/ws`) }
}

async function killed({ running }: Awaited<ReturnType<typeof serving>>): Promise<string> {
  running.signal("SIGKILL")
  return (await running.ended).stderr
}

/** A code that is not part of a number or an id. */
function placesOf(code: string, place: Place, printed: readonly string[]): readonly string[] {
  const needle = new RegExp(`(?<![0-9a-zA-Z-])${code}(?![0-9a-zA-Z-])`)
  const files = readdirSync(place.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const found = files.filter((file) => needle.test(readFileSync(join(file.parentPath, file.name), "latin1")))
  return [...found.map(({ name }) => name), ...printed.filter((text) => needle.test(text))]
}

function onlyIn(mail: MailServer, place: Place, printed: readonly string[]): void {
  const codes = mail.mails.map(({ text }) => /\b\d{6}\b/.exec(text)?.[0] ?? "")
  expect(codes.flatMap((code) => placesOf(code, place, printed))).toEqual([])
}

describe.concurrent("a server that is killed", () => {
  it("case 22: after it sent a code leaves the code valid, and a verified visit stays verified after the next kill", async (test) => {
    const { place, mail } = await shop(test, [paying, asking, paying, done, paying, done])
    const first = await serving(place)
    const visitor = await first.connect()
    const { sessionId } = await startTurn(visitor, "pay", contact)
    expect(replyOf(await visitor.end("r1"))).toBe("Who are you?")
    const code = await mail.code()
    const printed = [await killed(first)]
    const second = await serving(place)
    const again = await second.connect()
    expect(await verify(again, sessionId, code)).toMatchObject({ type: "otp_verified" })
    expect(replyOf(await runTurn(again, sessionId, "now"))).toBe("Paid.")
    printed.push(await killed(second))
    const third = await serving(place)
    const later = await third.connect()
    expect(replyOf(await runTurn(later, sessionId, "and the next"))).toBe("Paid.")
    expect(await verify(later, sessionId, code)).toMatchObject(invalid("NOT_FOUND", 0))
    printed.push(await killed(third))
    expect(place.read("paid")).toBe("jane@example.com\njane@example.com\n")
    expect(mail.mails).toHaveLength(1)
    onlyIn(mail, place, printed)
  })

  it("while a mail is being sent leaves the code valid, and no code is sent twice", async (test) => {
    const { place, mail } = await shop(test, [paying, asking, paying, done])
    const held = gate()
    mail.onMail = () => held.pass()
    const first = await serving(place)
    const visitor = await first.connect()
    const { sessionId, conversationId } = await startTurn(visitor, "pay", contact)
    await held.arrived
    const printed = [await killed(first)]
    held.open()
    const code = await mail.code()
    const second = await serving(place)
    await eventually("the end of the turn, which needs no code", async () =>
      eventsOf(await place.log(conversationId), "turn.ended").at(0),
    )
    const again = await second.connect()
    expect(await verify(again, sessionId, code)).toMatchObject({ type: "otp_verified" })
    expect(replyOf(await runTurn(again, sessionId, "now"))).toBe("Paid.")
    printed.push(await killed(second))
    expect(mail.mails).toHaveLength(1)
    const log = await place.log(conversationId)
    expect(eventsOf(log, "verification.prepared")).toHaveLength(1)
    expect(eventsOf(log, "turn.ended")).toMatchObject([{ reason: "done" }, { reason: "done" }])
    onlyIn(mail, place, [...printed, log])
  })

  it("while a call waits for its code continues the same turn", async (test) => {
    const { place, mail } = await shop(test, [paying, done], "park")
    const first = await serving(place)
    const visitor = await first.connect()
    const { sessionId, conversationId } = await startTurn(visitor, "pay", contact)
    await visitor.next("otp_sent", "r1")
    const code = await mail.code()
    await killed(first)
    const second = await serving(place)
    const again = await second.connect()
    await again.create({ conversationId })
    expect(await verify(again, sessionId, code)).toMatchObject({ type: "otp_verified" })
    expect(replyOf(await again.end("r1"))).toBe("Paid.")
    expect(place.read("paid")).toBe("jane@example.com\n")
    expect(mail.mails).toHaveLength(1)
  })
})

describe.concurrent("a server with codes", () => {
  it("prints them if configured, marked, and stores them nowhere", async (test) => {
    const place = newPlace(test)
    const model = place.script([[{ call: { tool: "escalate", input: { reason: "?" } } }], [{ text: "Hello." }]])
    place.config({ model, tools: { endUser: ["escalate"] }, otp: { transport: { type: "log" } } })
    const server = await serving(place)
    const client = await server.connect()
    const { sessionId } = await startTurn(client, "hi", contact)
    const line = await server.running.until(
      "a code",
      () => /^one-time code for (\S+): (\d{6}) \(.*for development\)$/m.exec(server.running.stderr) ?? undefined,
    )
    expect(line[1]).toBe("j…@example.com")
    const code = line[2] ?? ""
    expect(await verify(client, sessionId, code)).toMatchObject({ type: "otp_verified" })
    await client.end("r1") // the call waits for the code, unless the configuration says otherwise
    await killed(server)
    expect(placesOf(code, place, [])).toEqual([])
  })

  const proxied = { server: { auth: { mode: "proxy" }, behindProxy: true } }
  it.for<[otp: Json, more: Json, complaint: RegExp]>([
    [{ transport: { type: "log" } }, proxied, /otp\.transport "log" prints codes/],
    [{ transport: { type: "smtp", url: "smtp://127.0.0.1:1" } }, {}, /"otp\.from" is missing/],
    [{ transport: { type: "smtp", url: "http://127.0.0.1:1" }, from: "a@b.example" }, {}, /must begin with smtp/],
  ])("does not start with %j", async ([otp, more, complaint], test) => {
    const place = newPlace(test)
    place.config({ otp, ...more })
    const { code, stderr } = await place.run("serve", "--port", "0")
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(complaint) })
  })
})
