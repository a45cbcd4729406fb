// One session on every wire: a visitor in a local session, and a local viewer in a visitor's session.
import { describe, expect, it } from "vitest"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { WsClient } from "../../src/testing/doors/served-ws.ts"
import { eventually } from "../e2e/eventually.ts"
import { openInput } from "../e2e/turnhouse.ts"
import { dataOf, replyOf, startTurn } from "../ws/conversation.ts"
import { served } from "./served.ts"

const server = served({})
const missing = { error: { code: "CONVERSATION_NOT_FOUND" } }
const create = { action: "create_conversation_session", agentId: "a" }

async function granted(session: string): Promise<{ readonly id: string; readonly url: string }> {
  const { code, stdout, stderr } = await server().place.run("link", "--door", "ws", "-s", session, "--json")
  expect([code, stderr]).toEqual([0, ""])
  return JSON.parse(stdout)
}

async function entering(url: string): Promise<WsClient> {
  return WsClient.open(url.replace(/^ws:\/\/[^/]+/, server().url.replace("http", "ws")))
}

describe("a local session", () => {
  it("is an error for a visitor without a link, and not a new conversation", async () => {
    const local = (await server().place.run("new")).stdout.trim()
    const client = await server().connect()
    expect(await client.ask({ ...create, requestId: "c", conversationId: local })).toMatchObject(missing)
  })

  it("opens to a visitor with a link, which opens nothing else and can be revoked", async () => {
    const { place } = server()
    const [local, other] = [(await place.run("new")).stdout.trim(), (await place.run("new")).stdout.trim()]
    const { id, url } = await granted(local)
    const client = await entering(url)
    const { conversationId } = await startTurn(client, "hello")
    expect(conversationId).toBe(local)
    expect(replyOf(await client.end("r1"))).toBe("Hello.")
    expect(await place.log(local)).toContain(`"principal":"${id}"`)
    expect(await client.ask({ ...create, requestId: "other", conversationId: other })).toMatchObject(missing)
    const listed = await client.ask({ action: "list_conversations", requestId: "list" })
    expect(dataOf(listed)).toEqual({ conversations: [] })
    const [status] = await server().get("/admin/conversations", { authorization: `Bearer ${url.replace(/^.*=/, "")}` })
    expect(status).toBe(200) // mode none accepts any token, for the organisation public
    expect(await place.run("link", "--revoke", id)).toMatchObject({ code: 0 })
    client.say({ action: "ping" })
    expect(await client.closed).toEqual({ code: 1008, reason: "the link was revoked" })
    const second = await server().connect(url.replace(/^.*token=/, ""))
    expect(await second.ask({ ...create, requestId: "c", conversationId: local })).toMatchObject(missing)
  })

  it.each([
    [["--door", "ws"], "needs --session"],
    [["--door", "tcp"], "Use house or ws."],
    [["--door", "ws", "--role", "approve"], "the role must be drive"],
  ])("gets no link for %j", async (args, why) => {
    expect(await server().place.run("link", ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) })
  })
})

describe("a visitor's session", () => {
  it("has a socket once the operator has attached", async () => {
    const { place } = server()
    const client = await server().connect()
    const { conversationId } = await startTurn(client)
    await client.end("r1")
    const socket = join(place.home, "sessions", `${conversationId}.sock`)
    expect(existsSync(socket)).toBe(false)
    const attached = place.start(["attach", conversationId, "--watch"], { input: openInput })
    await eventually("it has a socket", () => existsSync(socket) || undefined)
    attached.signal("SIGINT")
    await attached.ended
    const viewer = place.start(["attach", socket], { input: openInput })
    await viewer.prints("Hello.")
  })
})
