import { describe, expect, it } from "vitest"
import { startServer } from "./fixtures/scripted-server.ts"
import { next, quick, startSession } from "./fixtures/start-session.ts"
import { token } from "./fixtures/turn-frames.ts"
import { connect, ConnectionLost, NotConnected, NotReading, SessionClosed, TurnLost } from "./index.ts"

describe("closing", () => {
  it("settles pending turns and requests, and rejects later ones", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server)
    const turn = session.send("hello")
    peer.send(token(await peer.accept(), "par"))
    const [ping, page] = [session.ping(), session.messages()]
    const settled = Promise.allSettled([ping, page, turn.result])
    await session.close()
    const reasons = (await settled).map((end) => end.status === "rejected" && end.reason)
    expect(reasons).toEqual([expect.any(SessionClosed), expect.any(SessionClosed), expect.any(TurnLost)])
    await expect(session.ping()).rejects.toThrow(SessionClosed)
    await expect(session.send("more").result).rejects.toMatchObject({ name: "TurnLost", isStored: false })
    expect(await peer.ended).toBe(1000)
    await session.close()
  })

  it("does not wait for a server that does not close", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server, { timeouts: { closeMs: 20 } })
    peer.freeze()
    await session.close()
    expect(session.isConnected).toBe(false)
  })

  it("stops reconnecting", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server, { reconnect: { firstMs: 60_000, maxMs: 60_000 } })
    const lost = next(session, "reconnecting")
    peer.drop()
    await lost
    const waiting = session.messages()
    await session.close()
    await expect(waiting).rejects.toThrow(SessionClosed)
    expect(server.connections).toBe(1)
  })

  it("happens at the end of an `await using` block, and when its signal is aborted", async () => {
    const server = await startServer()
    const stop = new AbortController()
    const welcomed = server.welcome()
    {
      await using session = await connect(server.url, quick())
      expect(session.isConnected).toBe(true)
    }
    expect(await (await welcomed).ended).toBe(1000)
    const { session, peer } = await startSession(server, { signal: stop.signal })
    const closed = next(session, "closed")
    stop.abort()
    expect(await closed).toEqual({ kind: "closed", fault: undefined })
    await peer.ended
  })
})

describe("a connection that stays lost", () => {
  it("is given up after the configured attempts, and everything pending rejects", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server, { reconnect: { attempts: 3 } })
    const turn = session.send("hello")
    await peer.accept()
    const closed = next(session, "closed")
    await server.close()
    expect(await closed).toMatchObject({ fault: expect.any(NotConnected) })
    await expect(turn.result).rejects.toMatchObject({ name: "TurnLost", isStored: true })
    await expect(session.ping()).rejects.toThrow("could not be reached again")
  })

  it("is not retried after a final close code", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server)
    const closed = next(session, "closed")
    peer.close(1008, "policy")
    expect(await closed).toMatchObject({ fault: { code: 1008, message: expect.stringContaining("policy") } })
    expect(server.connections).toBe(1)
  })

  it("is not retried with reconnect: false, and a pending write rejects with ConnectionLost", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server, { reconnect: false })
    const turn = session.send("hello")
    await peer.take("send_message")
    peer.drop()
    await expect(turn.result).rejects.toMatchObject({ name: "TurnLost", isStored: undefined })
    await expect(session.messages()).rejects.toThrow(NotConnected)
  })

  it("is given up when the server keeps accepting and closing at once", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server, { reconnect: { attempts: 4 } })
    const closed = next(session, "closed")
    peer.drop()
    for (let attempt = 0; attempt < 4; attempt += 1) (await server.welcome()).drop()
    expect(await closed).toMatchObject({ fault: expect.any(NotConnected) })
  })
})

describe("a silent server", () => {
  it("is pinged after the heartbeat time, and dropped when it does not answer", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server, { timeouts: { heartbeatMs: 250 } })
    const lost = next(session, "reconnecting")
    await peer.take("ping")
    expect(await lost).toMatchObject({ code: 1006 })
    await server.welcome()
  })

  it("rejects a pending write and does not repeat it", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server)
    const verified = session.verify("1")
    await peer.take("verify_otp")
    peer.drop()
    await expect(verified).rejects.toThrow(ConnectionLost)
  })

  it("gets no more than the send buffer holds", async () => {
    const server = await startServer()
    const { session, peer } = await startSession(server, { limits: { waitingBytes: 1000 } })
    peer.freeze()
    const large = "x".repeat(64 * 1024)
    const turns = Array.from({ length: 300 }, () => session.send(large))
    const last = turns.at(-1)
    await expect(last?.result).rejects.toMatchObject({
      name: "TurnLost",
      isStored: false,
      cause: expect.any(NotReading),
    })
    await session.close()
    await Promise.allSettled(turns.map(({ result }) => result))
  })
})
