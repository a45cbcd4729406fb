import { describe, expect, it } from "vitest"
import { startServer } from "./fixtures/scripted-server.ts"
import { startSession } from "./fixtures/start-session.ts"
import { eventsOf, reply, token, toolCall } from "./fixtures/turn-frames.ts"
import { TurnTooLong } from "./index.ts"

describe("limits", () => {
  it("too many unread events fail the reader, not the turn", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server, { limits: { waitingEvents: 10 } })
    const turn = session.send("flood")
    const message = await peer.accept()
    for (let call = 0; call < 20; call += 1) peer.send(toolCall(message, `tool${call}`, {}))
    peer.send(reply(message, "done"))
    expect(await turn.result).toMatchObject({ text: "done" })
    await expect(eventsOf(turn)).rejects.toThrow(TurnTooLong)
  })

  it("too much text ends the turn and cancels it", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server, { limits: { turnLength: 100 } })
    const turn = session.send("flood")
    const message = await peer.accept()
    for (let piece = 0; piece < 20; piece += 1) peer.send(token(message, "ten words "))
    await expect(turn.result).rejects.toThrow(TurnTooLong)
    expect((await peer.take("cancel")).requestId).toBe(message.requestId)
  })
})
