import { describe, expect, it } from "vitest"
import { cancelled, errorEvent, keepalive, tokenEvent } from "../../protocols/ws/server-events.ts"
import { startServer } from "./fixtures/scripted-server.ts"
import { eventsOf, reply, token, toolCall, toolResult, textOf } from "./fixtures/turn-frames.ts"
import { connectedSession, startSession } from "./fixtures/start-session.ts"
import { TurnCancelled, TurnFailed, TurnRefused, TurnTimedOut } from "./index.ts"

const now = Date.now()

describe("a turn", () => {
  it("yields its events in order, its text so far, and then its result", async () => {
    const { peer, session } = await connectedSession()
    const turn = session.send("what is it?")
    const message = await peer.accept()
    const { requestId } = message
    expect(message.fields.text("message")).toBe("what is it?")
    expect(message.fields.text("sessionId")).toBe(session.sessionId)
    peer.send(
      tokenEvent("stream_preamble", requestId, "One moment.", now),
      tokenEvent("stream_reasoning", requestId, "hm", now),
    )
    peer.send(token(message, "Let me "), token(message, "look."), toolCall(message, "find", { at: 1 }))
    peer.send(keepalive(requestId, now), toolResult(message, "find", "5"), token(message, "It is 5."))
    peer.send(reply(message, "It is 5."))
    const events = await eventsOf(turn)
    expect(events.filter(({ type }) => type !== "token")).toEqual([
      { type: "preamble", text: "One moment." },
      { type: "reasoning", text: "hm" },
      { type: "tool-call", tool: "find", input: { at: 1 } },
      { type: "alive" },
      { type: "tool-result", tool: "find", isError: false, result: "5" },
    ])
    expect(textOf(events)).toBe("Let me look.It is 5.")
    expect(turn.text).toBe("Let me look.It is 5.")
    expect(await turn.result).toMatchObject({ text: "It is 5.", messageId: "m1", suggestions: ["more"] })
    expect(session.turn).toBeUndefined()
  })

  it("is sent with model, skill, images, files and well-formed text", async () => {
    const { peer, session } = await connectedSession()
    const files = [{ name: "a.txt", url: "data:,a" }]
    session.send("\ud800", {
      model: "big",
      skill: "refunds",
      images: [{ url: "https://x/y.png", detail: "low" }],
      files,
    })
    const { fields } = await peer.accept()
    expect(fields.text("message")).toBe("\ufffd")
    expect([fields.text("model"), fields.text("skill")]).toEqual(["big", "refunds"])
    expect(fields.array("images")).toEqual([{ url: "https://x/y.png", detail: "low" }])
    expect(fields.array("files")).toEqual(files)
  })

  it("yields the reply as a token when the server streams none", async () => {
    const { peer, session } = await connectedSession()
    const turn = session.send("hello")
    peer.send(reply(await peer.accept(), "all at once"))
    expect(await eventsOf(turn)).toEqual([{ type: "token", text: "all at once" }])
  })

  it("can be awaited without reading it, and read afterwards", async () => {
    const { peer, session } = await connectedSession()
    const turn = session.send("hello")
    const message = await peer.accept()
    peer.send(token(message, "one "), token(message, "two"), reply(message, "one two"))
    expect(await turn.result).toMatchObject({ text: "one two", isFromMessages: false })
    expect(await eventsOf(turn)).toEqual([{ type: "token", text: "one two" }])
    await expect(eventsOf(turn)).rejects.toThrow("can be read once")
  })

  it("continues when its reader stops reading", async () => {
    const { peer, session } = await connectedSession()
    const turn = session.send("hello")
    const message = await peer.accept()
    peer.send(token(message, "one "))
    for await (const event of turn) if (event.type === "token") break
    peer.send(token(message, "two"), reply(message, "one two"))
    await turn.result
    expect(turn.text).toBe("one two")
  })
})

describe("a server with deviations", () => {
  it("may end a turn twice, send later frames about it, and send unknown frames", async () => {
    const { peer, session } = await connectedSession()
    const noise: string[] = []
    const joined: unknown[] = []
    session.on("noise", (text) => noise.push(text))
    session.on("turn", (turn) => joined.push(turn))
    const turn = session.send("hello")
    const message = await peer.accept()
    peer.sendRaw("{", "[]", '{"type":"weather","data":{}}')
    peer.send(token(message, "done"), reply(message, "done"), reply(message, "twice"), token(message, "late"))
    peer.send(
      cancelled(message.requestId, now),
      errorEvent(message.requestId, { code: "AGENT_ERROR", message: "late" }, now),
    )
    expect(await turn.result).toMatchObject({ text: "done" })
    const next = session.send("still there?")
    peer.send(reply(await peer.accept(), "yes"))
    expect(await next.result).toMatchObject({ text: "yes" })
    expect(turn.text).toBe("done")
    expect(noise).toEqual(["{", "[]", '{"type":"weather","data":{}}'])
    expect(joined).toEqual([])
  })

  it("may send extra fields, and arguments as text", async () => {
    const { peer, session } = await connectedSession()
    const turn = session.send("hello")
    const { requestId } = await peer.accept()
    peer.sendRaw(JSON.stringify({ type: "stream_token", requestId, token: "hi", status: 200, extra: { a: 1 } }))
    const call = { toolCall: { name: "t", arguments: '{"a":1}', id: 7 } }
    peer.sendRaw(JSON.stringify({ type: "stream_chunk", data: { requestId, state: { rawResponse: call, more: 1 } } }))
    const data = { requestId, data: { messageId: "m", response: { responseParts: ["hi", "there"] }, usage: { x: 1 } } }
    peer.sendRaw(JSON.stringify({ type: "eventual_response", requestId, data }))
    expect(await turn.result).toMatchObject({ text: "hi\n\nthere", citations: [], suggestions: [] })
    expect(await eventsOf(turn)).toContainEqual({ type: "tool-call", tool: "t", input: { a: 1 } })
  })

  it("may acknowledge a message after the first event", async () => {
    const { peer, session } = await connectedSession()
    const turn = session.send("hello")
    const message = await peer.take("send_message")
    peer.send(token(message, "quick"))
    peer.answer(message, {}, 202)
    peer.send(errorEvent(message.requestId, { code: "AGENT_ERROR", message: "out of luck" }, now))
    await expect(turn.result).rejects.toThrow(TurnFailed)
  })

  it("may report a code that was not sent and still complete the turn", async () => {
    const { peer, session } = await connectedSession()
    const turn = session.send("pay")
    const message = await peer.accept()
    peer.send(
      errorEvent(message.requestId, { code: "OTP_SEND_FAILED", message: "no mail today" }, now),
      reply(message, "later"),
    )
    expect(await turn.result).toMatchObject({ text: "later" })
    expect(await eventsOf(turn)).toContainEqual({ type: "code-not-sent", message: "no mail today" })
  })
})

describe("a turn without a reply", () => {
  it("is refused with the server's code when nothing is stored", async () => {
    const { peer, session } = await connectedSession()
    const turn = session.send("hello", { skill: "none" })
    const { requestId } = await peer.take("send_message")
    peer.send(errorEvent(requestId, { code: "SKILL_NOT_FOUND", message: "there is no such skill" }, now))
    const fault = await turn.result.catch((thrown: unknown) => thrown)
    expect(fault).toBeInstanceOf(TurnRefused)
    expect(fault).toMatchObject({ code: "SKILL_NOT_FOUND", message: "there is no such skill" })
    await expect(eventsOf(turn)).rejects.toBe(fault)
  })

  it("is refused beside a running one, which continues even when the refused one is cancelled", async () => {
    const { peer, session } = await connectedSession()
    const first = session.send("one")
    const message = await peer.accept()
    const second = session.send("two")
    const { requestId } = await peer.take("send_message")
    const over = second.cancel()
    peer.send(errorEvent(requestId, { code: "TURN_IN_PROGRESS", message: "busy" }, now))
    await over
    await expect(second.result).rejects.toMatchObject({ code: "TURN_IN_PROGRESS" })
    const pinged = session.ping()
    peer.answer(await peer.take("ping"), {}) // and no cancel before it
    await pinged
    peer.send(reply(message, "first"))
    expect(await first.result).toMatchObject({ text: "first" })
  })

  it("is cancelled by its caller, by a signal, and by an already aborted signal", async () => {
    const { peer, session } = await connectedSession()
    const first = session.send("one")
    const message = await peer.accept()
    peer.send(token(message, "par"))
    const over = first.cancel()
    expect((await peer.take("cancel")).requestId).toBe(message.requestId)
    peer.send(cancelled(message.requestId, now))
    await over
    await expect(first.result).rejects.toThrow(TurnCancelled)
    const stop = new AbortController()
    const second = session.send("two", { signal: stop.signal })
    const { requestId } = await peer.accept()
    stop.abort()
    await peer.take("cancel")
    peer.send(cancelled(requestId, now))
    await expect(second.result).rejects.toThrow(TurnCancelled)
    await expect(session.send("three", { signal: stop.signal }).result).rejects.toThrow(TurnCancelled)
    const pinged = session.ping()
    peer.answer(await peer.take("ping"), {}) // the third was never sent
    await pinged
  })

  it("is cancelled by a frame without a request id", async () => {
    const { peer, session } = await connectedSession()
    const turn = session.send("one")
    await peer.accept()
    peer.sendRaw('{"type":"cancelled","status":499,"data":{"status":499}}')
    await expect(turn.result).rejects.toThrow(TurnCancelled)
  })

  it("is lost when the server ignores the cancel", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server, { timeouts: { cancelMs: 20 } })
    const turn = session.send("one")
    peer.send(token(await peer.accept(), "I begin"))
    for await (const event of turn) if (event.type === "token") break
    await turn.cancel()
    await expect(turn.result).rejects.toMatchObject({ name: "TurnLost", isStored: true })
  })

  it("is cancelled on the server when its time limit is reached", async () => {
    const { peer, session } = await connectedSession()
    const turn = session.send("one", { timeoutMs: 30 })
    const { requestId } = await peer.accept()
    await expect(turn.result).rejects.toThrow(TurnTimedOut)
    expect((await peer.take("cancel")).requestId).toBe(requestId)
  })
})
