import { describe, expect, it } from "vitest"
import { errorEvent } from "../../protocols/ws/server-events.ts"
import { answerMessages, hour, answerBusyProbe } from "./fixtures/resuming.ts"
import { startServer, visit, type Frame } from "./fixtures/scripted-server.ts"
import { startSession } from "./fixtures/start-session.ts"
import { reply, row } from "./fixtures/turn-frames.ts"
import { TurnLost, TurnRefused, type Turn } from "./index.ts"

describe("an unacknowledged message", () => {
  async function unanswered(): Promise<{ server: Awaited<ReturnType<typeof startServer>>; turn: Turn; first: Frame }> {
    const server = await startServer()
    const { session, peer } = await startSession(server)
    const turn = session.send("hello")
    const first = await peer.take("send_message")
    peer.drop()
    return { server, turn, first }
  }

  it("is sent again once, with the same id, when it is not stored", async () => {
    const { server, turn, first } = await unanswered()
    const second = await server.welcome()
    await answerMessages(second, [row("inbound", "hello", 0)])
    await answerBusyProbe(second, false)
    await answerMessages(second, [row("inbound", "hello", 0)])
    const again = await second.accept()
    expect(again.requestId).toBe(first.requestId)
    second.send(reply(again, "hi"))
    expect(await turn.result).toMatchObject({ text: "hi" })
  })

  it("is not sent again when the second check finds it", async () => {
    const { server, turn } = await unanswered()
    const second = await server.welcome()
    const at = Date.now() + hour
    await answerMessages(second, [])
    await answerBusyProbe(second, true)
    await answerMessages(second, [row("inbound", "hello", at)])
    await answerMessages(second, [row("outbound", "hi", at), row("inbound", "hello", at)])
    expect(await turn.result).toMatchObject({ text: "hi", isFromMessages: true })
  })

  it("is lost when its arrival is not known", async () => {
    const { server, turn } = await unanswered()
    const second = await server.welcome()
    await answerMessages(second, [row("inbound", "another client, or a secret", Date.now() + hour)])
    const fault = await turn.result.catch((thrown: unknown) => thrown)
    expect(fault).toBeInstanceOf(TurnLost)
    expect(fault).toMatchObject({ isStored: undefined })
  })

  it("is lost when it may be queued behind another client's turn", async () => {
    const { server, turn } = await unanswered()
    const second = await server.welcome()
    await answerMessages(second, [])
    await answerBusyProbe(second, true)
    await answerMessages(second, [])
    await expect(turn.result).rejects.toMatchObject({ name: "TurnLost", isStored: undefined })
  })

  it("is not sent again when the caller cancelled meanwhile", async () => {
    const { server, turn } = await unanswered()
    const over = turn.cancel()
    const second = await server.welcome()
    await answerMessages(second, [])
    await over
    await expect(turn.result).rejects.toThrow("cancelled")
  })

  it("is refused as too large and not sent again", async () => {
    const server = await startServer()
    const { session } = await startSession(server)
    const turn = session.send("x".repeat(2 * 1024 * 1024))
    await server.welcome()
    await expect(turn.result).rejects.toThrow(TurnRefused)
    await expect(turn.result).rejects.toMatchObject({ code: "FRAME_TOO_LARGE" })
  })
})

describe("a message with resend: always", () => {
  const resend = "always"

  it("is sent again with its id, and the server decides", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server, { resend })
    const turn = session.send("hello")
    const first = await peer.take("send_message")
    peer.drop()
    const second = await server.welcome()
    const again = await second.accept()
    expect([again.requestId, again.fields.text("message")]).toEqual([first.requestId, "hello"])
    second.send(reply(again, "hi"))
    expect(await turn.result).toMatchObject({ text: "hi", isFromMessages: false })
  })

  it("is sent again also after an acknowledgement without a further event", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server, { resend })
    const turn = session.send("hello")
    await peer.accept()
    peer.drop()
    const second = await server.welcome()
    second.send(reply(await second.accept(), "hi"))
    expect(await turn.result).toMatchObject({ text: "hi" })
  })

  it("is sent again after another client's turn", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server, { resend })
    const turn = session.send("hello")
    await peer.accept()
    peer.drop()
    const second = await server.welcome()
    const { requestId } = await second.take("send_message")
    second.send(errorEvent(requestId, { code: "TURN_IN_PROGRESS", message: "" }, Date.now()))
    second.send(reply({ requestId: "another" }, "not for you"))
    second.answer(await second.take("create_conversation_session"), visit(server.conversationId))
    second.send(reply(await second.accept(), "hi"))
    expect(await turn.result).toMatchObject({ text: "hi" })
  })

  it("is not sent again when the caller cancelled meanwhile", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server, { resend })
    const turn = session.send("hello")
    await peer.take("send_message")
    peer.drop()
    const over = turn.cancel()
    await answerMessages(await server.welcome(), [])
    await over
    await expect(turn.result).rejects.toThrow("cancelled")
  })
})
