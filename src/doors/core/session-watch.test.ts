import { beforeEach, describe, expect, it } from "vitest"
import type { OpenedHandle, WatchItem } from "../../contract/host-port.ts"
import { deltaItem, eventItem, StubSession } from "../../testing/doors/stub-port.ts"
import { SessionWatch, type Flow, type SessionWatchOptions } from "./session-watch.ts"

class TestFlow implements Flow {
  isBehind = false
  #emptied = Promise.withResolvers<void>()

  isFull(): boolean {
    return this.isBehind
  }

  emptied(): Promise<void> {
    return this.#emptied.promise
  }

  async empty(): Promise<void> {
    this.isBehind = false
    this.#emptied.resolve()
    this.#emptied = Promise.withResolvers()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe("watching a session", () => {
  let session: StubSession
  let flow: TestFlow
  let received: (number | string)[]
  beforeEach(() => {
    session = new StubSession()
    flow = new TestFlow()
    received = []
  })

  function watch(change: Partial<SessionWatchOptions> = {}): SessionWatch {
    const onItem = (item: WatchItem) => void received.push(item.kind === "event" ? item.recorded.seq : item.kind)
    return new SessionWatch({ onItem, flow, onGap: () => void received.push("gap"), ...change })
  }

  it("passes on what is stored after the cursor, then what happens", async () => {
    session.stored = [eventItem(1), eventItem(2)]
    const watching = watch()
    await watching.follow(session, 1)
    session.publish(deltaItem("a"))
    session.publish(eventItem(3))
    expect(received).toEqual([2, "delta", 3])
    expect(watching.cursor).toBe(3)
  })

  it("pauses for a reader that is behind, then reports the gap and continues after the cursor", async () => {
    await watch().follow(session, 0)
    session.publish(eventItem(1))
    flow.isBehind = true
    session.publish(deltaItem("a"))
    session.publish(deltaItem("left out"))
    session.publish(eventItem(2))
    expect(session.watchers.size).toBe(0)
    await flow.empty()
    session.publish(eventItem(3))
    expect(received).toEqual([1, "delta", "gap", 2, 3])
    expect(session.cursors).toEqual([0, 1])
  })

  it("reports no gap to a reader that is slow to read what is stored", async () => {
    session.stored = [1, 2, 3].map((seq) => eventItem(seq))
    flow.isBehind = true
    await watch().follow(session, 0)
    expect(received).toEqual([1])
    await flow.empty()
    expect(received).toEqual([1, 2, 3])
  })

  it("continues on the handle that reopening gives", async () => {
    const next = new StubSession()
    await watch({ reopen: async () => ({ kind: "opened", handle: next }) }).follow(session, 0)
    flow.isBehind = true
    session.publish(eventItem(1))
    await flow.empty()
    next.publish(eventItem(2))
    expect(received).toEqual([1, "gap", 2])
    expect([session.watchers.size, next.cursors]).toEqual([0, [1]])
  })

  it.each<[string, () => Promise<OpenedHandle>, string]>([
    ["is refused", async () => ({ kind: "refused", refusal: { code: "host.leaving" } }), "host.leaving"],
    ["fails", () => Promise.reject(new Error("the disk is on fire")), "log.unavailable"],
  ])("ends as lost when reopening %s", async (_, reopen, code) => {
    const items: WatchItem[] = []
    const watching = watch({ reopen, onItem: (item) => void items.push(item) })
    await watching.follow(session, 0)
    flow.isBehind = true
    session.publish(eventItem(1))
    await flow.empty()
    expect(items.at(-1)).toMatchObject({ kind: "lost", refusal: { code } })
    expect(watching.isStopped).toBe(true)
  })

  it("ends with the item `lost` when the session is lost", async () => {
    await watch().follow(session, 0)
    session.publish({ kind: "lost", refusal: { code: "host.gone" } })
    session.publish(eventItem(1))
    expect(received).toEqual(["lost"])
    expect(session.watchers.size).toBe(0)
  })

  it("passes on nothing after it was stopped, not even what is still being read", async () => {
    session.stored = [eventItem(1)]
    const watching = watch()
    const following = watching.follow(session, 0)
    watching.stop()
    await following
    session.publish(eventItem(2))
    expect(received).toEqual([1])
    expect(session.watchers.size).toBe(0)
  })

  it("drops what an earlier reading still brings when it follows anew", async () => {
    const first = Promise.withResolvers<() => void>()
    let late: (item: WatchItem) => void = () => {}
    const slow = new StubSession()
    slow.watch = (_cursor, watcher) => {
      late = watcher
      return first.promise
    }
    const watching = watch()
    const following = watching.follow(slow, 0)
    await watching.follow(session, 0)
    late(eventItem(7))
    first.resolve(() => {})
    await following
    session.publish(eventItem(1))
    expect(received).toEqual([1])
  })
})
