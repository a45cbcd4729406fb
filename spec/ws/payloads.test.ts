// Further cases 13, 14, 17, 18 and 23 to 25: preamble, skills, large frames, cost, and a log that cannot be written.
import { fixedSkills } from "../../src/testing/skills.ts"
import { describe, expect, it, vi } from "vitest"
import { refused } from "../../src/log/event-log.ts"
import type { Part } from "../../src/models/offline/index.ts"
import { gate } from "../../src/testing/gate.ts"
import { scriptedSource } from "../../src/testing/scripted-source.ts"
import { inOrder, systemOf } from "../../src/testing/service-world.ts"
import { type WsClient, wsWorlds } from "../../src/testing/doors/served-ws.ts"
import { messagesOf, replyOf, runTurn, startTurn, tokensOf } from "./conversation.ts"

const world = wsWorlds()
const say = (text: string): Part => ({ text })

describe("a preamble", () => {
  const models = (answer: readonly Part[], quick: readonly Part[]) => {
    const [slow, fast] = [scriptedSource([answer, [say("Again.")]]), scriptedSource([quick])]
    return { resolve: (name: string) => (name === "quick" ? fast : slow).resolve(name) }
  }
  const service = { preamble: "quick" }

  it("case 13: is one sentence before the first token, and not in the history", async () => {
    const held = gate()
    const given = models([{ gate: held }, say("Found.")], [say(" I am looking. ")])
    const { served } = await world([], [], {}, {}, { models: given, service })
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    expect(await client.next("stream_preamble", "r1")).toMatchObject({ token: "I am looking." })
    held.open()
    expect(replyOf(await client.end("r1"))).toBe("Found.")
    const types = client.types("r1").filter((type, index, all) => type !== all[index - 1])
    expect(types).toEqual(["immediate_response", "stream_preamble", "stream_token", "eventual_response"])
    expect((await messagesOf(client, sessionId)).rows.map(({ text }) => text)).toEqual(["Found.", "hi"])
  })

  it.each<readonly [string, readonly Part[]]>([
    ["is blank", [say("  ")]],
    ["fails", [{ error: { message: "no", status: 400 } }]],
  ])("case 13: one that %s is left out, and the turn is not affected", async (_, quick) => {
    const { served } = await world([], [], {}, {}, { models: models([say("Found.")], quick), service })
    const client = await served.connect()
    await startTurn(client)
    expect(replyOf(await client.end("r1"))).toBe("Found.")
    await client.settled()
    expect(client.types("r1")).not.toContain("stream_preamble")
  })

  it("case 13: is absent when no preamble model is set", async () => {
    const { served, source } = await world([[say("Found.")]])
    const client = await served.connect()
    await startTurn(client)
    await client.end("r1")
    expect(client.types("r1")).not.toContain("stream_preamble")
    expect(source.model.calls).toHaveLength(1)
  })
})

describe("a skill", () => {
  it("case 14: is in the system prompt of its turn and not in the stored message", async () => {
    const { models, requests } = inOrder([[say("Receipt?")], [say("Bye.")]])
    const skills = fixedSkills({ returns: "Always ask for the receipt." })
    const { served } = await world([], [], {}, {}, { models, skills })
    const client = await served.connect()
    const { sessionId } = await client.create()
    client.say({ action: "send_message", requestId: "r1", sessionId, message: "a return", skill: "returns" })
    expect(replyOf(await client.end("r1"))).toBe("Receipt?")
    await runTurn(client, sessionId, "bye")
    expect(requests.map((request) => systemOf(request).includes("Always ask for the receipt."))).toEqual([true, false])
    const { rows } = await messagesOf(client, sessionId)
    expect(rows.map(({ text }) => text)).toEqual(["Bye.", "bye", "Receipt?", "a return"])
  })
})

describe("large frames and many sockets", () => {
  it("case 17: a 12 MiB image reaches the model", async () => {
    const { served, source } = await world([[say("A cat.")]])
    const client = await served.connect()
    const { sessionId } = await client.create()
    const base64 = "QUJD".repeat(3 * 1024 * 1024)
    const images = [{ url: `data:image/png;base64,${base64}` }]
    client.say({ action: "send_message", requestId: "r1", sessionId, message: "What is it?", images })
    expect(replyOf(await client.end("r1"))).toBe("A cat.")
    const userMessage = source.model.calls[0]?.prompt.findLast(({ role }) => role === "user")
    expect(userMessage?.content).toMatchObject([{ type: "text" }, { type: "file", mediaType: "image/png" }])
    expect(JSON.stringify(userMessage).length).toBeGreaterThan(base64.length)
  })

  it("an image's detail reaches the model in each provider's form", async () => {
    const { served, source } = await world([[say("A cat.")]])
    const client = await served.connect()
    const { sessionId } = await client.create()
    const url = "https://pictures.example/cat.png"
    const images = [
      { url, detail: "low" },
      { url, detail: "huge" },
      { url: "data:image/png;base64,QUJD", detail: "high" },
    ]
    client.say({ action: "send_message", requestId: "r1", sessionId, message: "What is it?", images })
    await client.end("r1")
    const userMessage = source.model.calls[0]?.prompt.findLast(({ role }) => role === "user")
    const options = Array.isArray(userMessage?.content)
      ? userMessage.content.slice(1).map((part) => part.providerOptions)
      : []
    expect(options).toEqual([
      {
        openai: { imageDetail: "low" },
        azure: { imageDetail: "low" },
        openaiCompatible: { image_url: { url, detail: "low" } },
      },
      undefined,
      {
        openai: { imageDetail: "high" },
        azure: { imageDetail: "high" },
        openaiCompatible: { image_url: { url: "data:image/png;base64,QUJD", detail: "high" } },
      },
    ])
  })

  it("case 18: 50 sockets receive 2,000 tokens each, all of them and only their own", async () => {
    const words = (n: string) => Array.from({ length: 2000 }, (_, word) => `${n}.${word} `)
    const sources = new Map<string, ReturnType<typeof scriptedSource>>()
    const models = {
      resolve: (name: string) => {
        const source = sources.get(name) ?? scriptedSource([[{ chunks: words(name) }]], { maxOutput: 100_000 })
        sources.set(name, source)
        return source.resolve(name)
      },
    }
    const { served } = await world([], [], {}, {}, { models })
    const bystander = await served.connect()
    const clients = await Promise.all(Array.from({ length: 50 }, () => served.connect()))
    const visits = await Promise.all(clients.map((client) => client.create()))
    for (const [n, client] of clients.entries()) {
      const sessionId = visits[n]?.sessionId
      client.say({ action: "send_message", requestId: `r${n}`, sessionId, message: "go", model: `m${n}` })
    }
    // Checks only the newest frame: going through all of them would take longer than sending them.
    const end = (client: WsClient) =>
      client.until(() => (client.frames.at(-1)?.type === "eventual_response" ? client.frames.at(-1) : undefined))
    const ends = Promise.all(clients.map(end))
    await Promise.all(clients.map((client) => client.until(() => client.frames.length > 2)))
    await bystander.settled() // is still served
    const replies = (await ends).map(replyOf)
    const whole = clients.map((_, n) => words(`m${n}`).join(""))
    expect(replies.map((reply, n) => reply === whole[n])).not.toContain(false)
    expect(clients.map((client, n) => tokensOf(client, `r${n}`) === whole[n])).not.toContain(false)
    const strange = clients.flatMap((client, n) =>
      client.frames.filter((frame) => frame.type === "stream_token" && frame.requestId !== `r${n}`),
    )
    expect(strange).toEqual([])
  })

  it("case 25: a message of 10,001 characters is accepted, and a blank one is refused", async () => {
    const { served } = await world([[say("Long.")]])
    const client = await served.connect()
    const message = "é".repeat(10_001)
    const { sessionId } = await startTurn(client, message)
    expect(replyOf(await client.end("r1"))).toBe("Long.")
    for (const blank of ["", " ", "\n\t\u00a0 "])
      expect(
        await client.ask({ action: "send_message", requestId: `b${blank.length}`, sessionId, message: blank }),
      ).toMatchObject({ error: { code: "VALIDATION_ERROR" } })
    expect((await messagesOf(client, sessionId)).rows.map(({ text }) => text)).toEqual(["Long.", message])
  })

  it("case 25: a message above the server's limit or the prompt limit is refused and not stored", async () => {
    const { served } = await world([[say("Short.")]], [], {}, { limits: { messageCharacters: 10 } })
    const client = await served.connect()
    const { sessionId } = await client.create()
    const message = { action: "send_message", sessionId }
    expect(await client.ask({ ...message, requestId: "long", message: "12345678901" })).toMatchObject({
      error: { code: "VALIDATION_ERROR", message: "'message' may have at most 10 characters" },
    })
    expect(replyOf(await runTurn(client, sessionId, "1234567890"))).toBe("Short.")
    const { served: usual } = await world([])
    const other = await usual.connect()
    const visit = await other.create()
    const tooLarge = { ...message, sessionId: visit.sessionId, requestId: "large", message: "é".repeat(600_000) }
    expect(await other.ask(tooLarge)).toMatchObject({ error: { code: "VALIDATION_ERROR" } })
    expect((await messagesOf(other, visit.sessionId)).rows).toEqual([])
  })
})

describe("the cost of a turn", () => {
  it("case 23: is 0 for a model without a price, with its tokens reported", async () => {
    const models = scriptedSource([[say("one"), { usage: { input: 9, output: 4 } }]], { costUsd: () => undefined })
    const { served } = await world([], [], {}, {}, { models })
    const client = await served.connect()
    await startTurn(client)
    expect(await client.end("r1")).toMatchObject({
      data: { data: { usage: { costUsd: 0, promptTokens: 9, completionTokens: 4 } } },
    })
  })
})

describe("a log that cannot be written", () => {
  const full = refused({ code: "log.unavailable", what: "the disk is full" })

  it("case 24: at the visitor's message sends one error, stores nothing, and frees the socket", async () => {
    const { served, log } = await world([[say("Here.")]])
    const client = await served.connect()
    const { sessionId } = await client.create()
    const append = vi.spyOn(log, "append").mockResolvedValueOnce(full)
    client.say({ action: "send_message", requestId: "r1", sessionId, message: "lost" })
    expect(await client.end("r1")).toMatchObject({ error: { code: "STORAGE_ERROR" } })
    append.mockRestore()
    expect(replyOf(await runTurn(client, sessionId, "again"))).toBe("Here.")
    expect(client.types("r1")).toEqual(["error"])
    expect((await messagesOf(client, sessionId)).rows.map(({ text }) => text)).toEqual(["Here.", "again"])
  })

  it("case 24: at the reply sends no success before the reply is stored", async () => {
    const { served, log } = await world([[{ chunks: ["All ", "of it."] }]])
    const client = await served.connect()
    const { sessionId } = await client.create()
    const tried = Promise.withResolvers<void>()
    let isFull = true
    const real = log.append.bind(log)
    const append = vi.spyOn(log, "append").mockImplementation(async (lease, request) => {
      if (!isFull || !request.events.some(({ type }) => type === "text.ended")) return real(lease, request)
      tried.resolve()
      return full
    })
    client.say({ action: "send_message", requestId: "r1", sessionId, message: "hi" })
    await tried.promise
    await client.settled()
    expect(client.types("r1")).not.toContain("eventual_response")
    isFull = false
    expect(replyOf(await client.end("r1"))).toBe("All of it.")
    append.mockRestore()
    expect((await messagesOf(client, sessionId)).rows.map(({ text }) => text)).toEqual(["All of it.", "hi"])
    expect(client.types("r1").filter((type) => type === "eventual_response" || type === "error")).toHaveLength(1)
  })

  it("case 24: at the reply for a long time sends one error; the reply is stored when there is space", async () => {
    const { served, log } = await world([[say("All of it.")], [say("And more.")]])
    const client = await served.connect()
    const { sessionId } = await client.create()
    let isFull = true
    const real = log.append.bind(log)
    const append = vi.spyOn(log, "append").mockImplementation(async (lease, request) => {
      const isReply = request.events.some(({ type }) => type === "text.ended")
      return isFull && isReply ? full : real(lease, request)
    })
    client.say({ action: "send_message", requestId: "r1", sessionId, message: "hi" })
    expect(await client.end("r1")).toMatchObject({ error: { code: "STORAGE_ERROR" } })
    expect((await messagesOf(client, sessionId)).rows.map(({ text }) => text)).toEqual(["hi"])
    const early = { action: "send_message", requestId: "early", sessionId, message: "and?" }
    expect(await client.ask(early)).toMatchObject({ error: { code: "AGENT_ERROR" } }) // the socket is free, the turn has not ended
    isFull = false
    await vi.waitUntil(async () => (await messagesOf(client, sessionId)).rows.length === 2, { timeout: 20_000 })
    append.mockRestore()
    expect(replyOf(await runTurn(client, sessionId, "and?"))).toBe("And more.")
    expect(client.types("r1").at(-1)).toBe("error")
  })
})
