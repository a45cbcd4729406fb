import { describe, expect, it } from "vitest"
import { errorEvent } from "../../protocols/ws/server-events.ts"
import { giveMessages, hour, sayBusy } from "./fixtures/resuming.ts"
import { startServer, visit, type Frame } from "./fixtures/scripted-server.ts"
import { startSession } from "./fixtures/start-session.ts"
import { reply, row } from "./fixtures/turn-frames.ts"
import { TurnLost, TurnRefused, type Turn } from "./index.ts"

describe("a message that was never acknowledged", () => {
  async function unanswered(): Promise<{ server: Awaited<ReturnType<typeof startServer>>; turn: Turn; first: Frame }> {
    const server = await startServer()
    const { session, peer } = await startSession(server)
    const turn = session.send("hello")
    const first = await peer.take("send_message")
    peer.drop()
    return { server, turn, first }
  }

  it("is sent again, once, when it is not among the messages, under the same id", async () => {
    const { server, turn, first } = await unanswered()
    const second = await server.welcome()
    await giveMessages(second, [row("inbound", "hello", 0)])
    await sayBusy(second, false)
    await giveMessages(second, [row("inbound", "hello", 0)])
    const again = await second.accept()
    expect(again.requestId).toBe(first.requestId)
    second.say(reply(again, "hi"))
    expect(await turn.result).toMatchObject({ text: "hi" })
  })

  it("is not sent again when it appears on the second look", async () => {
    const { server, turn } = await unanswered()
    const second = await server.welcome()
    const at = Date.now() + hour
    await giveMessages(second, [])
    await sayBusy(second, true)
    await giveMessages(second, [row("inbound", "hello", at)])
    await giveMessages(second, [row("outbound", "hi", at), row("inbound", "hello", at)])
    expect(await turn.result).toMatchObject({ text: "hi", isFromMessages: true })
  })

  it("is the caller's to decide about when it cannot be told", async () => {
    const { server, turn } = await unanswered()
    const second = await server.welcome()
    await giveMessages(second, [row("inbound", "somebody else, or a secret", Date.now() + hour)])
    const fault = await turn.result.catch((thrown: unknown) => thrown)
    expect(fault).toBeInstanceOf(TurnLost)
    expect(fault).toMatchObject({ isStored: undefined })
  })

  it("is the caller's to decide about when it may wait behind a turn of somebody else", async () => {
    const { server, turn } = await unanswered()
    const second = await server.welcome()
    await giveMessages(second, [])
    await sayBusy(second, true)
    await giveMessages(second, [])
    await expect(turn.result).rejects.toMatchObject({ name: "TurnLost", isStored: undefined })
  })

  it("is not sent again when its caller has cancelled it meanwhile", async () => {
    const { server, turn } = await unanswered()
    const over = turn.cancel()
    const second = await server.welcome()
    await giveMessages(second, [])
    await over
    await expect(turn.result).rejects.toThrow("cancelled")
  })

  it("was too large when the server says so, and nobody tries again", async () => {
    const server = await startServer()
    const { session } = await startSession(server)
    const turn = session.send("x".repeat(2 * 1024 * 1024))
    await server.welcome()
    await expect(turn.result).rejects.toThrow(TurnRefused)
    await expect(turn.result).rejects.toMatchObject({ code: "FRAME_TOO_LARGE" })
  })
})

describe("a message to a server that stores it once", () => {
  const resend = "always"

  it("is sent again under its id without a question, and what the server says of it is what became of it", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server, { resend })
    const turn = session.send("hello")
    const first = await peer.take("send_message")
    peer.drop()
    const second = await server.welcome()
    const again = await second.accept()
    expect([again.requestId, again.members.text("message")]).toEqual([first.requestId, "hello"])
    second.say(reply(again, "hi"))
    expect(await turn.result).toMatchObject({ text: "hi", isFromMessages: false })
  })

  it("is sent again also when it was acknowledged and nothing more was heard of it", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server, { resend })
    const turn = session.send("hello")
    await peer.accept()
    peer.drop()
    const second = await server.welcome()
    second.say(reply(await second.accept(), "hi"))
    expect(await turn.result).toMatchObject({ text: "hi" })
  })

  it("waits while the connection is in a turn of somebody else, and is sent again after it", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server, { resend })
    const turn = session.send("hello")
    await peer.accept()
    peer.drop()
    const second = await server.welcome()
    const { requestId } = await second.take("send_message")
    second.say(errorEvent(requestId, { code: "TURN_IN_PROGRESS", message: "" }, Date.now()))
    second.say(reply({ requestId: "another" }, "not for you"))
    second.answer(await second.take("create_conversation_session"), visit(server.conversationId))
    second.say(reply(await second.accept(), "hi"))
    expect(await turn.result).toMatchObject({ text: "hi" })
  })

  it("is not sent again when its caller has cancelled it meanwhile", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server, { resend })
    const turn = session.send("hello")
    await peer.take("send_message")
    peer.drop()
    const over = turn.cancel()
    await giveMessages(await server.welcome(), [])
    await over
    await expect(turn.result).rejects.toThrow("cancelled")
  })
})
