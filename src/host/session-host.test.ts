import { describe, expect, it } from "vitest"
import type { WatchItem } from "../contract/host-port.ts"
import { ok, type EventLog } from "../log/event-log.ts"
import { openMemoryLog } from "../log/sqlite/sqlite-log.ts"
import { contextItems } from "../projection/context.ts"
import {
  history,
  newSession,
  next,
  plainSession,
  prompt,
  reopen,
  testHost,
  testTool,
  turn,
  you,
} from "../testing/test-host.ts"
import { gate, scriptedSource } from "../testing/index.ts"

describe("a host", () => {
  it("reopens a session only after it has been closed", async () => {
    const { host } = await testHost(scriptedSource([[{ text: "one" }], [{ text: "two" }]]))
    const session = await newSession(host)
    await turn(session, "hi")
    const closing = host.closeSession(session.id)
    const reopened = await reopen(host, session.id)
    await closing
    expect(reopened).not.toBe(session)
    expect(await turn(reopened, "still there?")).toMatchObject({ reason: "done" })
  })

  it("refuses a new session with the id of an open one, which stays open", async () => {
    const { host } = await testHost(scriptedSource([[{ text: "one" }]]))
    const session = await newSession(host)
    const second = await host.create({ ...plainSession, sessionId: session.id })
    expect(second).toEqual({ kind: "refused", refusal: { code: "session.exists", sessionId: session.id } })
    expect(await reopen(host, session.id)).toBe(session)
    expect(await turn(session, "hi")).toMatchObject({ reason: "done" })
  })

  it("notifies the watchers of a closed session", async () => {
    const { host } = await testHost(scriptedSource([]))
    const session = await newSession(host)
    const seen: string[] = []
    session.watch((item) => seen.push(item.kind))
    await host.closeSession(session.id)
    expect(seen).toEqual(["lost"])
  })

  it("stops its sessions as soon as its lease is lost, also while another one is being opened", async () => {
    const log = openMemoryLog()
    const { host: earlier } = await testHost(scriptedSource([]), [], {}, log)
    const waiting = await newSession(earlier)
    await earlier.leave(0)
    const claiming = gate()
    const claim: EventLog["claim"] = async (...args) => (await claiming.pass(), log.claim(...args))
    const renew = async () => ok(false)
    const slow = new Proxy(log, {
      get: (target, name) => {
        if (name === "claim") return claim
        if (name === "renew") return renew
        const member: unknown = Reflect.get(target, name)
        return typeof member === "function" ? member.bind(target) : member
      },
    })
    const { host } = await testHost(scriptedSource([]), [], {}, slow)
    const session = await newSession(host)
    const items: WatchItem[] = []
    session.watch((item) => items.push(item))
    const opening = host.open(waiting.id)
    await claiming.arrived
    expect(await host.lost).toBe("taken over")
    const fenced = { kind: "lost", refusal: { code: "log.fenced", sessionId: session.id } }
    expect(items).toEqual([fenced])
    claiming.open()
    const opened = await opening
    if (opened.kind === "refused") throw new Error(opened.refusal.code)
    expect(await opened.session.send({ type: "interrupt" }, you)).toMatchObject({ refusal: { code: "log.fenced" } })
  })

  it("reports every session that is open or opened later to a listener", async () => {
    const { host } = await testHost(scriptedSource([]))
    const [before, gone] = [await newSession(host), await newSession(host)]
    await host.closeSession(gone.id)
    const shown: string[] = []
    const leave = host.onSession(({ id }) => shown.push(id))
    const after = await newSession(host)
    await host.closeSession(before.id)
    await reopen(host, before.id)
    leave()
    await newSession(host)
    expect(shown).toEqual([before.id, after.id, before.id])
  })

  it("can open a session after a failed attempt", async () => {
    const started = gate()
    const pay = testTool("pay", async () => (await started.pass(), { outcome: "done", output: "" }))
    const first = await testHost(scriptedSource([[{ call: { tool: "pay", input: {} } }]]), [pay])
    const session = await newSession(first.host)
    await prompt(session, "pay")
    await started.arrived
    await first.crash()
    let tries = 0
    const sweep = async () => {
      tries += 1
      if (tries === 1) throw new Error("too many open files")
      return []
    }
    const second = await testHost(
      scriptedSource([[{ call: { tool: "pay", input: {} } }], [{ text: "?" }]]),
      [pay],
      { sweep },
      first.log,
    )
    await expect(second.host.open(session.id)).rejects.toThrow("too many open files")
    expect((await second.host.open(session.id)).kind).toBe("opened")
  })

  it("continues when a watcher throws", async () => {
    const { host } = await testHost(scriptedSource([[{ text: "Hello." }]]))
    const session = await newSession(host)
    session.watch(() => {
      throw new Error("a bug in a view")
    })
    expect(await turn(session, "hi")).toMatchObject({ reason: "done" })
  })
})

describe("a session", () => {
  it("sends its first prompt to the model even if it alone fills the context", async () => {
    const { host } = await testHost(scriptedSource([[{ text: "Long indeed." }]], { contextWindow: 2000 }))
    const session = await newSession(host)
    await turn(session, "word ".repeat(3000))
    expect(contextItems(session.context).map((item) => item.kind)).toEqual(["user", "assistant"])
  })

  it("does not count an image as text", async () => {
    const { host, log } = await testHost(scriptedSource([[{ text: "A cat." }]], { contextWindow: 20_000 }))
    const session = await newSession(host)
    const ended = next(session, "turn.ended")
    const picture = { name: "a.png", mediaType: "image/png", data: "A".repeat(500_000) }
    await session.send(
      { type: "prompt", promptId: "prm_p", text: "what is it?", attachments: [picture], ifBusy: "wait" },
      you,
    )
    await ended
    expect((await history(log, session.id)).map(({ type }) => type)).not.toContain("compaction.started")
  })

  it("can be rewound only to the end of a turn", async () => {
    const { host } = await testHost(scriptedSource([[{ text: "one" }], [{ text: "two" }]]))
    const session = await newSession(host)
    await turn(session, "first")
    const afterFirst = session.state.seq
    await turn(session, "second")
    expect(await session.send({ type: "rewind", toSeq: afterFirst - 2 }, you)).toMatchObject({ kind: "refused" })
    expect(await session.send({ type: "rewind", toSeq: afterFirst }, you)).toMatchObject({ kind: "accepted" })
    expect(contextItems(session.context)).toMatchObject([{ text: "first" }, { parts: [{ text: "one" }] }])
  })

  it("gives a call a result when a gate fails", async () => {
    const gates = [() => Promise.reject(new Error("a bug in a gate"))]
    const echo = testTool("echo", () => ({ outcome: "done", output: "" }))
    const { host, log } = await testHost(
      scriptedSource([[{ call: { tool: "echo", input: {} } }], [{ text: "Hm." }]]),
      [echo],
      { gates },
    )
    const session = await newSession(host)
    expect(await turn(session, "go")).toMatchObject({ reason: "done" })
    expect(await history(log, session.id)).toContainEqual(
      expect.objectContaining({ type: "tool.refused", by: "tools" }),
    )
  })

  it("lets no second writer use a resource while an interrupted one is still ending", async () => {
    const running: string[] = []
    const blocked = gate()
    const write = testTool(
      "write",
      async (_, { callId }) => {
        running.push(callId)
        await blocked.pass()
        return { outcome: "done", output: "" }
      },
      { resources: () => ["file:/a"] },
    )
    const call = { call: { tool: "write", input: {} } }
    const { host } = await testHost(scriptedSource([[call, call], [call], [{ text: "ok" }]]), [write])
    const session = await newSession(host)
    const stopped = turn(session, "both")
    await blocked.arrived
    await session.send({ type: "interrupt" }, you)
    await stopped
    const ended = turn(session, "again")
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(running).toHaveLength(1)
    blocked.open()
    await ended
    expect(running).toHaveLength(2)
  })

  it("stops the processes of an ended session and keeps it open for watchers", async () => {
    const left: string[] = []
    const leaveSession = async (sessionId: string) => void left.push(sessionId)
    const { host } = await testHost(scriptedSource([]), [], { leaveSession })
    const session = await newSession(host)
    await session.send({ type: "end", when: "now" }, you)
    expect(left).toEqual([session.id])
    expect(host.size).toBe(1)
  })

  it("reopens a session that another host had owned", async () => {
    const log = openMemoryLog()
    const { host } = await testHost(scriptedSource([[{ text: "one" }]]), [], {}, log)
    const session = await newSession(host)
    session.lose({ code: "log.conflict", sessionId: session.id, expectedSeq: 1, seq: 2 })
    const reopened = await reopen(host, session.id)
    expect(reopened).not.toBe(session)
    expect(await turn(reopened, "still there?")).toMatchObject({ reason: "done" })
  })
})
