import { describe, expect, it } from "vitest"
import { cancelled, notice, tokenEvent } from "../../protocols/ws/server-events.ts"
import { startTurn, answerMessages, hour, answerBusyProbe } from "./fixtures/resuming.ts"
import { startServer, visit } from "./fixtures/scripted-server.ts"
import { next, startSession } from "./fixtures/start-session.ts"
import { eventsOf, reply, row, token, toolCall, toolResult, textOf } from "./fixtures/turn-frames.ts"
import type { LinkState, Turn } from "./index.ts"

async function wordsUpTo(turn: Turn, text: string): Promise<void> {
  for (let tries = 0; turn.text !== text; tries += 1) {
    if (tries > 10_000) throw new Error(`it says '${turn.text}'`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe("a turn that runs while the connection is lost", () => {
  it("yields only the events that were not received before", async () => {
    const { server, session, peer, turn, message } = await startTurn()
    const events = eventsOf(turn)
    const before = [
      tokenEvent("stream_preamble", message.requestId, "Wait.", 1),
      tokenEvent("stream_reasoning", message.requestId, "hm", 1),
    ]
    peer.send(...before, token(message, "Let me "), token(message, "look."), toolCall(message, "find", {}))
    peer.send(toolResult(message, "find", "5"), token(message, "It "))
    await wordsUpTo(turn, "Let me look.It ")
    peer.drop()
    const second = await server.welcome()
    expect(second.create?.fields.text("conversationId")).toBe(session.conversationId)
    second.send(...before, token(message, "Let me look."), toolCall(message, "find", {}))
    second.send(toolResult(message, "find", "5"), token(message, "It is"))
    await answerMessages(second, [row("inbound", "hello", Date.now() + hour)])
    second.send(token(message, " 5."), toolCall(message, "find", {}), reply(message, "It is 5."))
    expect(await turn.result).toMatchObject({ text: "It is 5.", isFromMessages: false })
    const given = await events
    expect(textOf(given)).toBe("Let me look.It is 5.")
    expect(given.map(({ type }) => type).filter((type) => type !== "token")).toEqual([
      "preamble",
      "reasoning",
      "tool-call",
      "tool-result",
      "tool-call",
    ])
  })

  it("survives further losses during the repetition", async () => {
    const { server, peer, turn, message } = await startTurn()
    const events = eventsOf(turn)
    peer.send(token(message, "one two three "))
    await wordsUpTo(turn, "one two three ")
    peer.drop()
    const second = await server.welcome()
    second.send(token(message, "one two "))
    second.close(1012) // at once: perhaps before the client has joined
    const third = await server.welcome()
    third.send(token(message, "one two three four"))
    await answerMessages(third, [])
    third.send(reply(message, "one two three four"))
    await turn.result
    expect(textOf(await events)).toBe("one two three four")
  })

  it("keeps its pending card without repeating it", async () => {
    const { server, peer, turn, message } = await startTurn("delete it")
    const events = eventsOf(turn)
    const card = notice(
      "write_confirmation_required",
      message.requestId,
      { toolId: "delete", actionDescription: "Allow?" },
      1,
    )
    peer.send(card, toolCall(message, "delete", {}))
    peer.drop()
    const second = await server.welcome()
    second.send(card, toolCall(message, "delete", {}))
    await answerMessages(second, [])
    expect(turn.asked).toMatchObject({ type: "confirmation", tool: "delete" })
    const confirmed = turn.confirm(true)
    second.answer(await second.take("confirm_tool_action"), {})
    await confirmed
    second.send(toolResult(message, "delete", "gone"), token(message, "done"), reply(message, "done"))
    const types = (await events).map(({ type }) => type)
    expect(types).toEqual(["confirmation", "tool-call", "tool-result", "token"])
  })

  it("waits for a turn without events when the server says that it runs", async () => {
    const { server, peer, turn, message } = await startTurn()
    peer.drop()
    const second = await server.welcome()
    await answerMessages(second, [row("inbound", "hello", Date.now() + hour)])
    await answerBusyProbe(second, true)
    second.send(token(message, "at last"), reply(message, "at last"))
    expect(await turn.result).toMatchObject({ text: "at last" })
  })

  it("yields a correction when the server repeats a different text", async () => {
    const { server, peer, turn, message } = await startTurn()
    const events = eventsOf(turn)
    peer.send(token(message, "It is certain"))
    await wordsUpTo(turn, "It is certain")
    peer.drop()
    const second = await server.welcome()
    second.send(token(message, "It is "), token(message, "clear"))
    await answerMessages(second, [])
    second.send(token(message, "."), reply(message, "It is clear."))
    await turn.result
    expect(turn.text).toBe("It is clear.")
    expect(await events).toContainEqual({ type: "corrected", text: "It is clear" })
  })

  it("is cancelled after the resume when the caller cancelled meanwhile", async () => {
    const { server, session, peer, turn, message } = await startTurn()
    const lost = next(session, "reconnecting")
    peer.drop()
    await lost
    void turn.cancel()
    const second = await server.welcome()
    second.send(token(message, "go"))
    await answerMessages(second, [])
    expect((await second.take("cancel")).requestId).toBe(message.requestId)
    second.send(cancelled(message.requestId, 1))
    await expect(turn.result).rejects.toThrow("cancelled")
  })
})

describe("a turn that reaches its time limit while the connection is lost", () => {
  it("is cancelled with the first frame about it", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server)
    const turn = session.send("hello", { timeoutMs: 200 })
    const message = await peer.accept()
    peer.send(token(message, "I begin"))
    for await (const event of turn) if (event.type === "token") break
    peer.drop()
    const second = await server.peer()
    await expect(turn.result).rejects.toThrow("did not end within 200 ms")
    const connected = next(session, "connected")
    second.answer(await second.take("create_conversation_session"), visit(server.conversationId))
    await connected
    second.send(token(message, "I begin"), token(message, "and go on"))
    expect((await second.take("cancel")).requestId).toBe(message.requestId)
    const pinged = session.ping()
    second.answer(await second.take("ping"), {}) // and only once
    await pinged
  })
})

describe("an own turn that waits for another client's turn", () => {
  it("is resumed when the other turn has ended", async () => {
    const { server, peer, turn, message } = await startTurn()
    peer.drop()
    const second = await server.welcome()
    const other = { requestId: "of-another-client" }
    second.send(token(other, "not for you"))
    await answerMessages(second, [])
    await answerBusyProbe(second, true)
    second.send(reply(other, "not for you"))
    second.answer(await second.take("create_conversation_session"), visit(server.conversationId))
    second.send(token(message, "for you"))
    await answerMessages(second, [row("inbound", "hello", Date.now() + hour)])
    second.send(reply(message, "for you"))
    expect(await turn.result).toMatchObject({ text: "for you" })
    expect(turn.text).toBe("for you")
  })
})

describe("a turn that ended while the connection was lost", () => {
  it("gets its reply from the messages, and its reader the rest of the text", async () => {
    const { server, peer, turn, message } = await startTurn()
    const events = eventsOf(turn)
    peer.send(token(message, "It is"))
    await wordsUpTo(turn, "It is")
    peer.drop()
    const second = await server.welcome()
    const at = Date.now() + hour
    const older = [row("outbound", "old", 1), row("inbound", "hello", 0, "earlier")]
    await answerMessages(second, [row("outbound", "It is 5.", at), row("inbound", "hello", at), ...older])
    expect(await turn.result).toMatchObject({ text: "It is 5.", messageId: "outbound It is 5.", isFromMessages: true })
    expect(textOf(await events)).toBe("It is 5.")
  })

  it("is lost when the server drops turns with their connection", async () => {
    const { server, peer, turn, message, session } = await startTurn()
    peer.send(token(message, "It is"))
    peer.drop()
    const second = await server.welcome()
    const rows = [row("inbound", "hello", Date.now() + hour)]
    await answerMessages(second, rows)
    await answerBusyProbe(second, false)
    await answerMessages(second, rows)
    second.answer(await second.take("create_conversation_session"), visit(server.conversationId))
    await answerBusyProbe(second, false)
    await answerMessages(second, rows)
    await expect(turn.result).rejects.toMatchObject({ name: "TurnLost", isStored: true })
    const again = session.send("again")
    second.send(reply(await second.accept(), "here I am"))
    expect(await again.result).toMatchObject({ text: "here I am" })
  })

  it("is lost when the server no longer has the conversation", async () => {
    const { server, peer, turn, session } = await startTurn()
    const lost = next(session, "reconnecting")
    peer.drop()
    await lost
    const unsent = session.send("in the conversation that we had")
    await server.welcome("0d7d2b5c-3c0e-4b9e-8f3a-1c2d3e4f5a6b")
    await expect(turn.result).rejects.toThrow("no longer has the conversation")
    await expect(unsent.result).rejects.toMatchObject({ name: "TurnLost", isStored: false })
    expect(session.isResumed).toBe(false)
  })
})

describe("a session without a connection", () => {
  it("sends waiting messages after the reconnect and retries reads", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server)
    const page = session.messages()
    await peer.take("get_conversation_messages")
    const lost = next(session, "reconnecting")
    peer.drop()
    await lost
    const turn = session.send("are you there?")
    const second = await server.welcome()
    for (const frame of [await second.any(), await second.any()]) {
      if (frame.action === "send_message") second.send(reply(frame, "yes"))
      else second.answer(frame, { messages: [], nextCursor: null, hasMore: false })
    }
    expect(await turn.result).toMatchObject({ text: "yes" })
    expect(await page).toEqual({ messages: [], hasMore: false, nextCursor: undefined })
  })

  it("reports its state; a listener that throws affects no other", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server)
    const states: LinkState[] = []
    const thrown = uncaught()
    const leave = session.on("state", () => {
      throw new Error("a listener's own")
    })
    session.on("state", (state) => states.push(state))
    const connected = next(session, "connected")
    peer.close(1012, "restart")
    await server.welcome()
    await connected
    leave()
    expect(states).toMatchObject([
      { kind: "reconnecting", attempt: 1, code: 1012 },
      { kind: "connected", isResumed: true },
    ])
    expect(await thrown).toEqual(["a listener's own", "a listener's own"])
  })
})

/** The first two uncaught exceptions. */
function uncaught(): Promise<readonly string[]> {
  const before = process.listeners("uncaughtException")
  process.removeAllListeners("uncaughtException")
  const messages: string[] = []
  return new Promise((resolve) => {
    process.on("uncaughtException", (fault) => {
      messages.push(fault.message)
      if (messages.length < 2) return
      process.removeAllListeners("uncaughtException")
      for (const listener of before) process.on("uncaughtException", listener)
      resolve(messages)
    })
  })
}
