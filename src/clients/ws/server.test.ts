// The client against a real server: sockets, session and log are real, the model is scripted.
import { afterEach, describe, expect, it } from "vitest"
import type { Part, Step } from "../../models/offline/index.ts"
import { gate } from "../../testing/gate.ts"
import { testTool } from "../../testing/test-host.ts"
import { wsWorld, type WsWorld } from "../../testing/doors/served-ws.ts"
import { serviceTools } from "../../features/chat-service/tools.ts"
import { quick } from "./fixtures/start-session.ts"
import { eventsOf, textOf } from "./fixtures/turn-frames.ts"
import {
  connect,
  TurnCancelled,
  type ClientSession,
  type ConnectOptions,
  type Turn,
  type WebSocketLike,
} from "./index.ts"

const worlds: WsWorld[] = []
const sessions: ClientSession[] = []
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.close()
  for (const one of worlds.splice(0)) await one.close()
})

async function world(...given: Parameters<typeof wsWorld>): Promise<WsWorld> {
  const made = await wsWorld(...given)
  worlds.push(made)
  return made
}

async function enter({ served }: WsWorld, options: Partial<ConnectOptions> = {}): Promise<ClientSession> {
  const session = await connect(served.url, quick(options))
  sessions.push(session)
  return session
}

const look = testTool("look", () => ({ outcome: "done", output: "a teapot" }), { class: "read" })

describe("with the WebSocket server", () => {
  it("sends, reads, lists and renames", async () => {
    const here = await world(
      [[{ text: "I look." }, { call: { tool: "look", input: { at: "it" } } }], [{ text: "A teapot." }]],
      [look],
    )
    const session = await enter(here)
    const turn = session.send("what is it?")
    const events = await eventsOf(turn)
    expect(events.filter(({ type }) => type !== "token")).toEqual([
      { type: "tool-call", tool: "look", input: { at: "it" } },
      { type: "tool-result", tool: "look", isError: false, result: "a teapot" },
    ])
    expect(textOf(events)).toBe("I look.A teapot.")
    const { text, messageId } = await turn.result
    expect(text).toBe("A teapot.")
    const { messages } = await session.messages()
    expect(messages.map((message) => message.text)).toEqual(["A teapot.", "what is it?"])
    expect(messages[0]?.id).toBe(messageId)
    expect(await session.rename(" Tea ")).toBe("Tea")
    expect(await session.conversations()).toMatchObject([{ conversationId: session.conversationId, title: "Tea" }])
    expect(await session.verify("1")).toMatchObject({ isVerified: false, error: "NOT_FOUND" })
    expect(await session.ping()).toBeGreaterThanOrEqual(0)
  })

  it("confirms a tool and answers a card", async () => {
    const fields = { fields: ["email"], reason: "to find you" }
    const steps: Step[] = [
      [{ call: { tool: "pay", input: {} } }],
      [{ call: { tool: "request_identity_intake", input: fields } }],
      [{ text: "Paid." }],
    ]
    const pay = testTool("pay", () => ({ outcome: "done", output: "ok" }))
    const here = await world(steps, [pay, ...serviceTools()], { confirm: ["pay"] })
    const session = await enter(here, { supports: ["identity_form"] })
    const turn = session.send("pay")
    const types: string[] = []
    for await (const event of turn) {
      types.push(event.type)
      if (event.type === "confirmation") await turn.confirm(true)
      if (event.type !== "interaction") continue
      await expect(turn.answer({ email: "nowhere" })).rejects.toMatchObject({ errors: [{ field: "email" }] })
      await turn.answer({ email: "a@b.example" })
    }
    expect(await turn.result).toMatchObject({ text: "Paid." })
    const [confirmation, call, result, card] = types
    expect([confirmation, call, result, card]).toEqual(["confirmation", "tool-call", "tool-result", "interaction"])
  })

  it("cancels a turn and starts the next one at once", async () => {
    const here = await world([[{ text: "I begin" }, { hang: true }], [{ text: "Again." }]])
    const session = await enter(here)
    const turn = session.send("hello")
    for await (const event of turn) if (event.type === "token") break
    await turn.cancel()
    await expect(turn.result).rejects.toThrow(TurnCancelled)
    expect(await session.send("again").result).toMatchObject({ text: "Again." })
  })
})

describe("with the WebSocket server and a lost connection", () => {
  it("passes a turn exactly once over several losses", async () => {
    const pieces = Array.from({ length: 200 }, (_, index) => `w${index} `)
    const parts: Part[] = pieces.flatMap((piece) => [{ chunks: [piece] }, { delayMs: 1 }])
    const here = await world([[{ text: "I look." }, { call: { tool: "look", input: {} } }], parts], [look])
    const session = await enter(here, { reconnect: { attempts: 100 } })
    const turn = session.send("say it all")
    const events = []
    let cuts = 0
    for await (const event of turn) {
      events.push(event)
      if (turn.text.length < (cuts + 1) * 100) continue
      cuts += 1
      void here.served.upgrades.closeAll(1012, "come back")
    }
    expect(cuts).toBeGreaterThan(3)
    expect(textOf(events)).toBe(`I look.${pieces.join("")}`)
    expect(events.filter(({ type }) => type !== "token").map(({ type }) => type)).toEqual(["tool-call", "tool-result"])
    expect(await turn.result).toMatchObject({ text: pieces.join("") })
  })

  it("returns the reply of a turn that ended meanwhile", async () => {
    const [middle, away] = [gate(), gate()]
    const here = await world([[{ chunks: ["It is "] }, { gate: middle }, { chunks: ["done."] }]])
    let connections = 0
    const session = await enter(here, {
      token: async () => {
        connections += 1
        if (connections > 1) await away.passed
        return "any"
      },
    })
    const turn = session.send("hello")
    const events = eventsOf(turn)
    await middle.arrived
    await here.served.upgrades.closeAll(1012, "come back")
    const other = await enter(here, { conversationId: session.conversationId })
    const joined = other.turn ?? (await new Promise<Turn>((resolve) => other.on("turn", resolve)))
    middle.open()
    expect(await joined.result).toMatchObject({ text: "It is done." })
    away.open()
    expect(await turn.result).toMatchObject({ text: "It is done.", isFromMessages: true })
    expect(textOf(await events)).toBe("It is done.")
  })

  it("continues a turn without any text yet", async () => {
    const middle = gate()
    const here = await world([[{ gate: middle }, { text: "At last." }]])
    const session = await enter(here)
    const turn = session.send("hello")
    await middle.arrived
    const connected = new Promise<void>((resolve) =>
      session.on("state", ({ kind }) => kind === "connected" && resolve()),
    )
    await here.served.upgrades.closeAll(1012, "come back")
    await connected
    await session.messages()
    middle.open()
    expect(await turn.result).toMatchObject({ text: "At last.", isFromMessages: false })
  })

  it.for([
    ["was never sent", false],
    ["was sent and not acknowledged", true],
  ] as const)("stores a message once that %s", async ([, isSent]) => {
    const here = await world([[{ text: "Once." }], [{ text: "Twice." }]])
    const session = await enter(here, { WebSocket: losing(isSent) })
    const turn = session.send("do it")
    expect(await turn.result).toMatchObject({ text: "Once." })
    expect(textOf(await eventsOf(turn))).toBe("Once.")
    const { messages } = await session.messages()
    expect(messages.map(({ text }) => text)).toEqual(["Once.", "do it"])
  })

  it("runs a queued message after another client's turn with resend: always", async () => {
    const held = gate()
    const here = await world([[{ gate: held }, { text: "First." }], [{ text: "Second." }]])
    const other = await enter(here)
    const session = await enter(here, { conversationId: other.conversationId, resend: "always" })
    const first = other.send("long")
    await held.arrived
    const turn = session.send("mine")
    await session.ping() // it is stored, and waits
    const back = new Promise<void>((resolve) => session.on("state", ({ kind }) => kind === "connected" && resolve()))
    await here.served.upgrades.closeAll(1012, "come back")
    await back
    await session.ping()
    held.open()
    expect(await first.result).toMatchObject({ text: "First." })
    expect(await turn.result).toMatchObject({ text: "Second." })
    expect((await session.messages()).messages.map(({ text }) => text)).toEqual(["Second.", "mine", "First.", "long"])
  })
})

/** A WebSocket that breaks at the first message: before or after it is written. */
function losing(isSent: boolean): new (url: string) => WebSocketLike {
  let isBroken = false
  return class extends WebSocket {
    override send(text: string): void {
      const breaks = !isBroken && text.includes('"send_message"')
      if (!breaks || isSent) super.send(text)
      if (!breaks) return
      isBroken = true
      this.close()
    }
  }
}
