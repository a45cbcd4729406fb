import { beforeEach, describe, expect, it } from "vitest"
import type { OpenedHandle } from "../../contract/host-port.ts"
import { deltaItem, eventItem, StubConnection, stubId, StubSession } from "../../testing/doors/stub-port.ts"
import { doorLimits } from "./limits.ts"
import { Outbox } from "./outbox.ts"
import { Watched } from "./watched.ts"

describe("a watched session", () => {
  let connection: StubConnection
  let session: StubSession
  let opened: OpenedHandle
  let stopped = 0
  let watched: Watched

  beforeEach(() => {
    connection = new StubConnection()
    session = new StubSession()
    opened = { kind: "opened", handle: session }
    stopped = 0
    watched = new Watched({
      sessionId: stubId,
      outbox: new Outbox(connection, doorLimits),
      reopen: async () => opened,
      onStopped: () => (stopped += 1),
    })
  })

  function told(): unknown[] {
    return connection.frames.map((frame) => frame["seq"] ?? frame["type"])
  }

  async function settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
  }

  it("leaves a client alone that does not keep up, then tells of the gap and goes on after its cursor", async () => {
    await watched.follow(session, 0)
    session.tell(eventItem(1))
    connection.waiting = doorLimits.outboxBytes + 1
    session.tell(deltaItem("a"))
    session.tell(deltaItem("left out"))
    session.tell(eventItem(2))
    expect(session.watchers.size).toBe(0)
    connection.drain()
    await settle()
    session.tell(eventItem(3))
    expect(told()).toEqual([1, "delta", "gap", 2, 3])
    expect(connection.frames[2]).toMatchObject({ cursor: 1 })
    expect(session.cursors).toEqual([0, 1])
  })

  it("says nothing of a gap to a client that is slow to read what is stored", async () => {
    session.stored = [1, 2, 3].map((seq) => eventItem(seq))
    connection.waiting = doorLimits.outboxBytes + 1
    await watched.follow(session, 0)
    connection.drain()
    await settle()
    expect(told()).toEqual([1, 2, 3])
  })

  it("that cannot be opened again after a stall is closed with the reason", async () => {
    await watched.follow(session, 0)
    connection.waiting = doorLimits.outboxBytes + 1
    session.tell(eventItem(1))
    opened = { kind: "refused", refusal: { code: "host.leaving" } }
    connection.drain()
    await settle()
    expect(connection.frames.at(-1)).toEqual({ type: "closed", sessionId: stubId, refusal: { code: "host.leaving" } })
    expect(stopped).toBe(1)
  })

  it("whose log cannot be read is closed, and the connection lives", async () => {
    session.watch = () => Promise.reject(new Error("the disk is on fire"))
    await watched.follow(session, 0)
    expect(connection.frames).toMatchObject([{ type: "closed", refusal: { code: "log.unavailable" } }])
    expect(connection.isEnded).toBe(false)
  })

  it("is left when it is lost", async () => {
    await watched.follow(session, 0)
    session.tell({ kind: "lost", refusal: { code: "host.gone" } })
    expect(told()).toEqual(["closed"])
    expect([stopped, session.watchers.size]).toEqual([1, 0])
  })

  it("tells nothing after it was stopped, not even what is still being read", async () => {
    session.stored = [eventItem(1)]
    const following = watched.follow(session, 0)
    watched.stop()
    await following
    session.tell(eventItem(2))
    expect(told()).toEqual([1])
    expect(session.watchers.size).toBe(0)
  })
})
