import { beforeEach, describe, expect, it } from "vitest"
import type { OpenedHandle } from "../../contract/host-port.ts"
import { eventItem, stubId, StubSession } from "../../testing/doors/stub-port.ts"
import { SharedSession, SharedSessions, type SharedSessionOptions } from "./shared-session.ts"

interface View {
  events: number
}

type Client = (number | string)[]

describe("a session that clients share", () => {
  let session: StubSession
  let opened: OpenedHandle
  let closed: number
  beforeEach(() => {
    session = new StubSession()
    opened = { kind: "opened", handle: session }
    closed = 0
  })

  function options(change: Partial<SharedSessionOptions<View, Client>> = {}): SharedSessionOptions<View, Client> {
    return {
      open: async () => opened,
      load: async () => ({ kind: "loaded", view: { events: 0 }, cursor: 0 }),
      onItem: ({ view }, item, clients) => {
        if (item.kind === "event") view.events += 1
        for (const client of clients) client.push(item.kind === "event" ? item.recorded.seq : item.kind)
      },
      onClosed: () => (closed += 1),
      ...change,
    }
  }

  it("is watched once for all clients, and each is greeted with where it stands", async () => {
    session.stored = [eventItem(1)]
    const shared = new SharedSession(options())
    const one: Client = []
    const other: Client = []
    await shared.join(one, ({ view }) => one.push(`greeted after ${view.events}`))
    session.publish(eventItem(2))
    await shared.join(other, ({ view }) => other.push(`greeted after ${view.events}`))
    session.publish(eventItem(3))
    expect(one).toEqual(["greeted after 1", 2, 3])
    expect(other).toEqual(["greeted after 2", 3])
    expect(session.watchers.size).toBe(1)
  })

  it("is left with its last client and opened anew for the next", async () => {
    const shared = new SharedSession(options())
    const client: Client = []
    await shared.join(client)
    shared.leave(client)
    expect([session.watchers.size, closed, shared.live]).toEqual([0, 1, undefined])
    await shared.join(client)
    session.publish(eventItem(1))
    expect(client).toEqual([1])
  })

  it("keeps its clients and its view when only the watch is stopped, also while it opens", async () => {
    session.stored = [eventItem(1)]
    const shared: SharedSession<View, Client> = new SharedSession(
      options({
        onItem: ({ view }) => {
          view.events += 1
          shared.stopWatching()
        },
      }),
    )
    const client: Client = []
    const joined = await shared.join(client, ({ view }) => client.push(`greeted after ${view.events}`))
    expect(joined).toMatchObject({ kind: "joined", live: { view: { events: 1 } } })
    expect([client, [...shared.clients], session.watchers.size]).toEqual([["greeted after 1"], [client], 0])
  })

  it("is not joined by a client that leaves while it opens", async () => {
    const shared = new SharedSession(options())
    const client: Client = []
    const joining = shared.join(client)
    shared.leave(client)
    expect(await joining).toMatchObject({ kind: "refused", refusal: { code: "host.gone" } })
    session.publish(eventItem(1))
    expect([client, session.watchers.size]).toEqual([[], 0])
  })

  it("returns the refusal when it cannot be joined, and can be joined later", async () => {
    const shared = new SharedSession(options())
    opened = { kind: "refused", refusal: { code: "host.leaving" } }
    expect(await shared.join([])).toEqual({ kind: "refused", refusal: { code: "host.leaving" } })
    opened = { kind: "opened", handle: session }
    expect((await shared.join([])).kind).toBe("joined")
  })

  it("rejects every join when opening fails, and can be joined later", async () => {
    let isBroken = true
    const load = async () => {
      if (isBroken) throw new Error("the disk is on fire")
      return { kind: "loaded", view: { events: 0 }, cursor: 0 } as const
    }
    const shared = new SharedSession(options({ load }))
    await expect(shared.join([])).rejects.toThrow("on fire")
    isBroken = false
    expect((await shared.join([])).kind).toBe("joined")
  })

  it("notifies its clients that it was lost, and is opened anew for the next client", async () => {
    const shared = new SharedSession(options())
    const client: Client = []
    await shared.join(client)
    session.publish({ kind: "lost", refusal: { code: "host.gone" } })
    expect(client).toEqual(["lost"])
    expect([closed, shared.clients.size]).toEqual([1, 0])
    await shared.join(client)
    session.publish(eventItem(1))
    expect(client).toEqual(["lost", 1])
  })

  it("is the same object for the same id while it has clients", async () => {
    const sessions = new SharedSessions<View, Client>(() => options())
    const shared = sessions.of(stubId)
    expect(sessions.of(stubId)).toBe(shared)
    const client: Client = []
    await shared.join(client)
    shared.leave(client)
    expect(sessions.size).toBe(0)
    expect(sessions.of(stubId)).not.toBe(shared)
  })
})
