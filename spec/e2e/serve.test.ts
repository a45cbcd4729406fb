// `turnhouse serve` as a process: its start, its HTTP answers, and how it drains and exits.
import { createServer } from "node:net"
import { describe, expect, it } from "vitest"
import type { Step } from "../../src/models/offline/part.ts"
import { WsClient } from "../../src/testing/doors/served-ws.ts"
import { eventually } from "./eventually.ts"
import { json } from "./printed.ts"
import type { Running } from "./running.ts"
import { newPlace, type Place } from "./turnhouse.ts"

interface Served {
  readonly running: Running
  readonly url: string
  readonly connect: (query?: string) => Promise<WsClient>
}

async function serving(place: Place, ...args: readonly string[]): Promise<Served> {
  const running = place.start(["serve", "--port", "0", ...args])
  const url = await running.until("an address", () => /^listening on (http:\S+)$/m.exec(running.stdout)?.[1])
  const connect = (query = "") => WsClient.open(`${url.replace("http", "ws")}/ws${query}`)
  return { running, url, connect }
}

const paying = {
  confirm: ["pay"],
  define: {
    pay: { description: "Pays.", class: "unsafe", input: {}, run: ["sh", "-c", "echo paid >> paid.txt; echo paid"] },
  },
}
const payingSteps: Step[] = [[{ call: { tool: "pay", input: {} } }], [{ text: "All done." }]]
const slowChunks = Array.from({ length: 40 }, (_, n) => `word${n} `)
const slowStep: Step = slowChunks.flatMap((chunk) => [{ chunks: [chunk] }, { delayMs: 60 }])

function withModel(place: Place, steps: readonly Step[], more: object = {}): Place {
  place.config({ model: place.script(steps), ...more })
  return place
}

async function startConversation(client: WsClient, message = "hi") {
  const visit = await client.create()
  client.say({ action: "send_message", requestId: "r1", sessionId: visit.sessionId, message })
  return visit
}

const tokens = (client: WsClient) =>
  client
    .of("r1")
    .flatMap((frame) => (frame.type === "stream_token" ? frame.token : []))
    .join("")

describe.concurrent("a server that starts", () => {
  it("prints its address and no key, answers over HTTP, and exits on SIGTERM", async (test) => {
    const { running, url, connect } = await serving(newPlace(test))
    const client = await connect()
    await client.create()
    const look = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(url + path, init)
      return [response.status, (await response.text()).trim()]
    }
    expect(await look("/health")).toEqual([200, "ok"])
    expect(await look("/healthz")).toEqual([200, "ok"])
    expect(await look("/readyz")).toEqual([200, "ok"])
    expect(await look("/ws")).toEqual([426, expect.stringContaining("WebSocket")])
    expect(await look("/nowhere")).toEqual([404, expect.any(String)])
    expect(await look("/readyz", { method: "POST" })).toEqual([405, expect.any(String)])
    expect(await look("/readyz", { headers: { origin: "https://evil.example" } })).toEqual([403, expect.any(String)])
    expect(await look("/readyz", { headers: { origin: "null" } })).toEqual([403, expect.any(String)])
    expect(await look("/readyz", { headers: { origin: "http://localhost:3000" } })).toEqual([200, "ok"])
    await expect(WsClient.open(`${url.replace("http", "ws")}/other`)).rejects.toThrow("400")
    const [status, text] = await look("/metrics")
    expect(status).toBe(200)
    expect(text).toMatch(/^turnhouse_connections 1$/m)
    expect(text).toMatch(/^turnhouse_frames_out_total 1$/m)
    expect(text).toContain("nodejs_eventloop_lag_p99_seconds")
    running.signal("SIGTERM")
    expect(await client.closed).toEqual({ code: 1000, reason: "bye" })
    expect(await running.ended).toMatchObject({
      code: 0,
      stdout: `listening on ${url}\n`,
    })
  })

  it("accepts pages of configured origins only", async (test) => {
    const place = newPlace(test)
    place.config({ server: { origins: ["https://shop.example"] } })
    const { url } = await serving(place)
    const from = async (origin: string) => (await fetch(`${url}/healthz`, { headers: { origin } })).status
    expect([await from("https://shop.example"), await from("https://shop.example.evil")]).toEqual([200, 403])
  })

  it("refuses a public address without authentication, and an authentication mode without a key", async (test) => {
    const place = newPlace(test)
    expect(await place.run("serve", "--host", "0.0.0.0")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("--host 127.0.0.1"),
    })
    place.config({ server: { auth: { mode: "jwt" } } })
    const refused = await place.run("serve", "--port", "0")
    expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("server.auth.mode") })
  })

  it("reports a port that is in use in one line", async (test) => {
    const taken = createServer()
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, "127.0.0.1", () => {
        const address = taken.address()
        resolve(typeof address === "object" && address !== null ? address.port : 0)
      })
    })
    test.onTestFinished(() => void taken.close())
    const { code, stdout, stderr } = await newPlace(test).run("serve", "--port", String(port))
    expect([code, stdout]).toEqual([1, ""])
    expect(stderr).toMatch(/^turnhouse: port \d+ on 127\.0\.0\.1 is in use[^\n]*\n$/)
  })

  it("is the only one of its home", async (test) => {
    const place = newPlace(test)
    const { connect } = await serving(place)
    await (await connect()).create() // the engine is there
    const { code, stderr } = await place.run("serve", "--port", "0")
    expect(code).toBe(1)
    expect(stderr).toContain("is already running")
  })
})

describe.concurrent("a server that drains", () => {
  it("lets a turn finish first, and accepts no client meanwhile", async (test) => {
    const place = withModel(newPlace(test), [slowStep])
    const { running, url, connect } = await serving(place)
    const client = await connect()
    const { sessionId } = await startConversation(client)
    await client.next("stream_token", "r1")
    running.signal("SIGTERM")
    await eventually("readyz 503", async () => ((await fetch(`${url}/readyz`)).status === 503 ? true : undefined))
    await expect(connect()).rejects.toThrow("503")
    const late = await client.ask({ action: "create_conversation_session", requestId: "late", agentId: "a" })
    expect(late).toMatchObject({ error: { code: "INTERNAL_ERROR" } })
    expect(await client.end("r1")).toMatchObject({ type: "eventual_response" })
    expect(tokens(client)).toBe(slowChunks.join(""))
    expect(await client.closed).toEqual({ code: 1000, reason: "bye" })
    expect((await running.ended).code).toBe(0)
    const next = await serving(place)
    const other = await next.connect()
    const page = await other.ask({ action: "get_conversation_messages", requestId: "m", sessionId })
    expect(page).toMatchObject({ data: { messages: [{ content: { text: slowChunks.join("") } }, {}] } })
  })

  it("leaves a request pending for the next server, which any visit can answer, and the tool runs once", async (test) => {
    const place = withModel(newPlace(test), payingSteps, { tools: paying, agents: { a: { tools: ["pay"] } } })
    const first = await serving(place)
    const client = await first.connect()
    const { conversationId } = await startConversation(client)
    await client.next("write_confirmation_required", "r1")
    first.running.signal("SIGTERM")
    expect(await client.closed).toEqual({ code: 1000, reason: "bye" })
    expect((await first.running.ended).code).toBe(0)
    expect(client.types("r1")).not.toContain("cancelled")
    expect(place.has("paid.txt")).toBe(false)
    const second = await serving(place)
    const other = await second.connect()
    const { sessionId } = await other.create({ conversationId })
    await other.next("write_confirmation_required", "r1")
    other.say({ action: "confirm_tool_action", requestId: "c", sessionId, approved: true })
    expect(await other.end("r1")).toMatchObject({ data: { data: { response: { responseParts: ["All done."] } } } })
    expect(place.read("paid.txt")).toBe("paid\n")
  })

  it("interrupts a turn when the grace period is over, and the next server continues it", async (test) => {
    const place = withModel(newPlace(test), [slowStep])
    const first = await serving(place, "--grace", "0")
    const client = await first.connect()
    const { conversationId } = await startConversation(client)
    await client.next("stream_token", "r1")
    first.running.signal("SIGINT")
    await client.closed
    expect((await first.running.ended).code).toBe(0)
    const second = await serving(place)
    const other = await second.connect()
    const { sessionId } = await other.create({ conversationId })
    await eventually("the whole reply", async () => {
      const requestId = `m${other.frames.length}`
      const page = await other.ask({ action: "get_conversation_messages", requestId, sessionId })
      return JSON.stringify(page).includes(`"text":"${slowChunks.join("")}"`) ? true : undefined
    })
  })

  it("exits at once on a second signal", async (test) => {
    const place = withModel(newPlace(test), [[{ chunks: ["one"] }, { hang: true }]])
    const { running, connect } = await serving(place)
    const client = await connect()
    await startConversation(client)
    await client.next("stream_token", "r1")
    running.signal("SIGTERM")
    await eventually("a closed door", () =>
      connect().then(
        () => undefined,
        () => true,
      ),
    )
    running.signal("SIGTERM")
    expect((await running.ended).code).toBe(143)
  })
})

describe.concurrent("a server that is killed", () => {
  it("has lost nothing: the next server continues the turn, under the same id", async (test) => {
    const place = withModel(newPlace(test), [slowStep])
    const first = await serving(place)
    const client = await first.connect()
    const { conversationId } = await startConversation(client)
    await client.until(() => client.types("r1").length > 5)
    first.running.signal("SIGKILL")
    await first.running.ended
    const second = await serving(place)
    const other = await second.connect()
    await other.create({ conversationId })
    expect(await other.end("r1")).toMatchObject({
      data: { data: { response: { responseParts: [slowChunks.join("")] } } },
    })
    expect(tokens(other)).toBe(slowChunks.join(""))
  })
})

describe.concurrent("a turn that another host has adopted", () => {
  it("is shown and interrupted through a server like its own turns", async (test) => {
    const place = withModel(newPlace(test), [[...slowStep, { hang: true }]])
    await place.run("new") // starts the background host, which adopts sessions without an owner
    const first = await serving(place)
    const client = await first.connect()
    const { conversationId } = await startConversation(client)
    await client.next("stream_token", "r1")
    first.running.signal("SIGKILL")
    await first.running.ended
    await eventually("a new owner", async () => {
      const line = (await place.sessions()).find(({ id }) => id === conversationId)
      return JSON.stringify(line ?? {}).includes('"role":"host"') ? true : undefined
    })
    const second = await serving(place)
    const other = await second.connect()
    const { sessionId } = await other.create({ conversationId })
    await other.until(() => tokens(other).startsWith(slowChunks.slice(0, 25).join("")))
    other.say({ action: "cancel", requestId: "r1", sessionId })
    expect(await other.end("r1")).toMatchObject({ type: "cancelled" })
  })
})

describe.concurrent("the log of a server", () => {
  it("has a line of JSON for what came in, and nothing of what was said or of the address's query", async (test) => {
    const place = withModel(newPlace(test), [[{ text: "a secret answer" }]])
    const { running, url, connect } = await serving(place)
    const client = await connect("?token=hidden-token")
    await startConversation(client, "a secret question")
    await client.end("r1")
    await client.settled()
    await fetch(`${url}/healthz?token=hidden-token`)
    await fetch(`${url}/nowhere?token=hidden-token`)
    await client.close()
    running.signal("SIGTERM")
    const { stderr } = await running.ended
    const lines = stderr.trim().split("\n").map(json)
    expect(lines).toMatchObject([
      { event: "connected", principal: "visitor", connection: expect.stringMatching(/^con_/) },
      { event: "request", method: "GET", path: "/ws", outcome: 101 },
      { event: "action", action: "create_conversation_session", outcome: "ok", principal: "visitor" },
      { event: "action", action: "send_message", outcome: "ok", requestId: "r1" },
      { event: "request", path: "/nowhere", outcome: 404 },
      { event: "closed" },
    ])
    expect(stderr).not.toMatch(/secret|hidden/)
  })

  it("is silent when that is wanted", async (test) => {
    const { running, connect } = await serving(newPlace(test), "--quiet")
    const client = await connect()
    await client.create()
    running.signal("SIGTERM")
    expect((await running.ended).stderr).toBe("")
  })
})
