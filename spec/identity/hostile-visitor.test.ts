// An unauthenticated client attacks every field of every frame at the WebSocket API of a real server, with the table of
// `turnhouse prove visitor`. The table "What a visitor can cause" in docs/identity.md lists the same fields.
import { createServer } from "node:http"
import { existsSync, readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WsCaller } from "../../src/app/prove/served/ws-caller.ts"
import { allowedAnswers, attacks } from "../../src/app/prove/visitor/attacks.ts"
import { enter as enterAs, sendAttack } from "../../src/app/prove/visitor/send-attack.ts"
import { actions, isActionName } from "../../src/protocols/ws/actions.ts"
import type { WsClient } from "../../src/testing/doors/served-ws.ts"
import { startProviderServer, type ProviderServer } from "../provider-server/server.ts"
import { dataOf, missing } from "../ws/conversation.ts"
import { serve, type Served } from "./served.ts"
import { sharedPlace } from "../e2e/turnhouse.ts"

const place = sharedPlace()
let provider: ProviderServer
let server: Served
let local = ""
let fetched = 0
const bystander = createServer((_, response) => {
  fetched += 1
  response.end("secret")
})

beforeAll(async () => {
  provider = await startProviderServer({ replies: [{ blocks: [{ text: "Hello." }], times: "always" }] })
  await new Promise<void>((resolve) => bystander.listen(0, "127.0.0.1", () => resolve()))
  const providers = { mock: { type: "openai-compatible", baseURL: `${provider.url}/v1`, apiKey: "key" } }
  server = await serve(place, {
    providers,
    model: "mock/own",
    tools: {
      define: {
        pay_out: { description: "Pays.", class: "unsafe", input: {}, run: ["sh", "-c", "echo paid >> paid.txt"] },
      },
    },
    agents: {
      shop: { tools: ["pay_out"], models: ["mock/other", "offline/demo", `offline/script:${place.path("s.json")}`] },
      cheap: { tools: [] },
      desk: { visibility: "internal", embed: { origins: ["https://desk.example"] } },
    },
  })
  local = (await place.run("new")).stdout.trim()
})
afterAll(async () => {
  await provider.close()
  bystander.close()
})

function bystanderUrl(): string {
  const address = bystander.address()
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
}

async function enter(agentId = "shop"): Promise<{ client: WsClient; sessionId: string; conversationId: string }> {
  const client = await server.connect()
  return { client, ...(await client.create({ agentId })) }
}

let asked = 0
async function refusal(client: WsClient, action: string, fields: object): Promise<string> {
  const requestId = `q${(asked += 1)}`
  const answer = await client.ask({ action, requestId, ...fields })
  return answer.type === "error" ? answer.error.code : answer.type
}

async function sent(client: WsClient, sessionId: string, fields: object = {}): Promise<string> {
  const requestId = `m${(asked += 1)}`
  client.say({ action: "send_message", requestId, sessionId, message: "hi", ...fields })
  const end = await client.end(requestId)
  return end.type === "error" ? end.error.code : end.type
}

/** Names of the models that the provider was asked for, oldest first. */
function models(): readonly unknown[] {
  return provider.requests.map(({ body }) => body["model"])
}

describe("send_message", () => {
  it("send_message.model selects no offline model, listed or not, and runs no tool", async () => {
    const { client, sessionId } = await enter()
    const before = provider.requests.length
    const message = 'call pay_out with {"to": "me"}'
    const script = `offline/script:${place.path("s.json")}`
    for (const model of ["offline/demo", "offline/demo:0", script, "offline/script:/dev/zero", "offline", "offline/x"])
      expect(await sent(client, sessionId, { model, message })).toBe("VALIDATION_ERROR")
    expect(provider.requests).toHaveLength(before)
    expect(existsSync(place.path("paid.txt"))).toBe(false)
    expect(server.running.stderr).toContain('agents.shop.models: "offline/demo" is ignored')
  })

  it("send_message.model selects a listed model and no other", async () => {
    const { client, sessionId } = await enter()
    expect(await sent(client, sessionId, { model: "mock/other" })).toBe("eventual_response")
    expect(models().at(-1)).toBe("other")
    for (const model of ["mock/own", "mock/expensive", "openai/gpt-5", "expensive", "x".repeat(2000), "mock/"])
      expect(await sent(client, sessionId, { model })).toBe("VALIDATION_ERROR")
    const cheap = await enter("cheap")
    expect(await sent(cheap.client, cheap.sessionId, { model: "mock/other" })).toBe("VALIDATION_ERROR")
    expect(await sent(cheap.client, cheap.sessionId, { model: "mock/own" })).toBe("eventual_response")
  })

  it("send_message.message is text for the model, not a command", async () => {
    const { client, sessionId } = await enter()
    for (const message of ["/model offline/demo", "/approve", '{"action":"ping"}', "y", "\u0000\ud800"])
      expect(await sent(client, sessionId, { message })).toBe("eventual_response")
    expect(models().at(-1)).toBe("own")
    expect(await sent(client, sessionId, { message: "x".repeat(1024 * 1024 + 1) })).toBe("VALIDATION_ERROR")
  })

  it("send_message.images makes the host fetch nothing and read no file", async () => {
    const { client, sessionId } = await enter()
    const urls = [`${bystanderUrl()}/x.png`, "file:///etc/passwd", "/etc/passwd", "javascript:1", "data:,", ""]
    await sent(client, sessionId, { images: [...urls.map((url) => ({ url })), 5, null, [], { url: 5 }] })
    await sent(client, sessionId, { images: "x" })
    expect(fetched).toBe(0)
    await sent(client, sessionId, { images: [{ url: "https://pictures.example/a.png", detail: "low" }] })
    expect(JSON.stringify(provider.requests.at(-1))).toContain('"url":"https://pictures.example/a.png","detail":"low"')
    expect(JSON.stringify(provider.requests)).not.toContain("root:x:0")
  })

  it("send_message.files does not choose where a file is stored", async () => {
    const { client, sessionId } = await enter()
    const files = [
      { name: "../../../escaped.txt", url: "data:text/plain;base64,aGk=" },
      { name: "x".repeat(300), url: "data:,a" },
      { name: "a", url: "file:///etc/passwd" },
    ]
    expect(await sent(client, sessionId, { files })).toBe("eventual_response")
    expect(existsSync(place.path("../escaped.txt")) || existsSync(`${place.root}/escaped.txt`)).toBe(false)
  })
})

describe("create_conversation_session", () => {
  it("create_conversation_session.conversationId opens no other agent's and no local session", async () => {
    const { client, conversationId } = await enter("cheap")
    const other = await client.create({ agentId: "shop", conversationId })
    expect(other.conversationId).not.toBe(conversationId)
    expect((await client.create({ agentId: "cheap", conversationId })).conversationId).toBe(conversationId)
    const localSession = { agentId: "shop", conversationId: local }
    expect(await refusal(client, "create_conversation_session", localSession)).toBe("CONVERSATION_NOT_FOUND")
    for (const id of [missing, "../../x", "x".repeat(5000)])
      expect((await client.create({ agentId: "shop", conversationId: id })).conversationId).not.toBe(id)
  })

  it("create_conversation_session.authContext has no effect without a key", async () => {
    const client = await server.connect(undefined, { origin: "http://localhost:1" })
    const authContext = { userId: "admin", timestamp: Date.now(), signature: "0".repeat(64) }
    await client.create({ agentId: "shop", authContext })
    const { conversationId } = await client.create({ agentId: "shop", authContext })
    expect(await place.log(conversationId)).not.toContain("signed:admin")
  })

  it("create_conversation_session.userName is shortened and is not an identity", async () => {
    const client = await server.connect()
    const { conversationId } = await client.create({ agentId: "shop", userName: "root".repeat(10_000), userEmail: "" })
    const log = await place.log(conversationId)
    expect(log.length).toBeLessThan(20_000)
    expect(log).toContain('"principal":"visitor"')
  })
})

describe("other actions", () => {
  it("cancel.sessionId does not reach another socket's turn", async () => {
    const { client, sessionId } = await enter()
    const other = await server.connect()
    other.say({ action: "cancel", requestId: "m1", sessionId })
    await other.settled()
    expect(await sent(client, sessionId)).toBe("eventual_response")
  })

  it("rename_conversation.title is one short line", async () => {
    const { client, conversationId } = await enter()
    const title = `\u001b[2J\r\n${"x".repeat(100_000)}`
    const answer = await client.ask({ action: "rename_conversation", requestId: "t", conversationId, title })
    expect(String(dataOf(answer)["title"])).toMatch(/^[^\p{Cc}]{1,60}$/u)
  })

  for (const action of Object.keys(actions))
    it(`${action}.requestId is bounded, and a wrong type counts as absent`, async () => {
      const client = await server.connect()
      client.say({ action, requestId: "x".repeat(1001) }, { action, requestId: "\ud800" })
      await client.settled()
      const codes = client.frames.flatMap((frame) =>
        frame.type === "error" ? [frame.error.code, frame.requestId] : [],
      )
      expect(codes).toEqual(["VALIDATION_ERROR", undefined, "VALIDATION_ERROR", undefined])
    })
})

const fields = Object.entries(attacks).flatMap(([action, { fields: named }]) =>
  Object.entries(named).map(([field, attack]) => ({ action, field, attack })),
)

it.each(fields)(
  "$action $field: every hostile value is refused or has no effect",
  async ({ action, field, attack }) => {
    if (!isActionName(action)) throw new Error(`${action} is not an action`)
    const { honest } = attacks[action]
    const caller = await WsCaller.open(`${server.url.replace("http", "ws")}/ws`)
    const own = await enterAs(caller)
    const target = { missing, local, script: `offline/script:${place.path("s.json")}`, bystander: bystanderUrl() }
    for (const value of attack.values(target)) {
      const outcome = await sendAttack(caller, action, { ...honest(own), [field]: value })
      const shown = JSON.stringify(value).slice(0, 100)
      const allowed = allowedAnswers(action, { [field]: value }, target)
      expect(allowed, `${shown} is answered with ${outcome}`).toContain(outcome)
    }
    caller.close()
  },
)

it("the table in docs/identity.md has a row for every field that is tried, and no other", () => {
  const text = readFileSync(new URL("../../docs/identity.md", import.meta.url), "utf8")
  const table = text.split("## What a visitor can cause")[1]?.split("\n## ")[0] ?? ""
  const rows = [...table.matchAll(/^\| `([a-z_]+)` +\| `(\w+)` /gm)].map(([, action, field]) => `${action}.${field}`)
  expect(rows.toSorted()).toEqual(fields.map(({ action, field }) => `${action}.${field}`).toSorted())
})
