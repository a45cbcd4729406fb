import { setImmediate } from "node:timers/promises"
import { describe, expect, it, vi } from "vitest"
import { limits } from "../contract/limits.ts"
import { openMemoryLog } from "../log/sqlite/sqlite-log.ts"
import { gate, scriptedSource, testClock } from "../testing/index.ts"
import { history, newSession, next, prompt, reopen, testHost, testTool, turn, you } from "../testing/test-host.ts"
import { SessionAdoption, type SessionAdoptionOptions } from "./session-adoption.ts"
import type { SessionHost } from "./session-host.ts"

function adoptionOf(host: SessionHost, change: Partial<SessionAdoptionOptions> = {}): SessionAdoption {
  const failOnWarning = (message: string) => expect.unreachable(message)
  return new SessionAdoption(host, { now: Date.now, warn: failOnWarning, ...change })
}

/** A host that is killed while its model speaks; its log, and the session that it leaves behind. */
async function killedInMidTurn(change: { readonly origin?: string } = {}) {
  const dead = new Set<number>()
  const log = openMemoryLog({ isAlive: ({ pid }) => !dead.has(pid) })
  const speaking = gate()
  const wait = testTool("wait", async () => (await speaking.pass(), { outcome: "done", output: "" }), { class: "read" })
  const { host } = await testHost(scriptedSource([[{ call: { tool: "wait", input: {} } }]]), [wait], {}, log)
  const session = await newSession(host, change)
  await prompt(session, "begin")
  await speaking.arrived
  dead.add(1)
  return { log, sessionId: session.id, dead }
}

/** A session without work that a killed host leaves behind; its next host is about to release it. */
async function abandoned() {
  const dead = new Set<number>()
  const log = openMemoryLog({ isAlive: ({ pid }) => !dead.has(pid) })
  const first = await testHost(scriptedSource([]), [], {}, log, 1)
  const { id } = await newSession(first.host)
  dead.add(1)
  const { host } = await testHost(scriptedSource([[{ text: "Here." }]]), [], { adopts: true }, log, 2)
  const release = log.release.bind(log)
  const releasing = gate()
  vi.spyOn(log, "release").mockImplementationOnce(async (...args) => (await releasing.pass(), release(...args)))
  const round = adoptionOf(host).round()
  await releasing.arrived
  return { host, id, finish: () => (releasing.open(), round) }
}

const answering = testTool("wait", () => ({ outcome: "done", output: "" }), { class: "read" })

async function successor(log: ReturnType<typeof openMemoryLog>) {
  return testHost(scriptedSource([[{ text: "Done." }]]), [answering], { adopts: true }, log, 2)
}

describe("a long-running host", () => {
  it("closes an ended session as soon as it has no watcher", async () => {
    const { host } = await testHost(scriptedSource([]))
    const session = await newSession(host)
    const leave = session.watch(() => {}, you)
    await session.send({ type: "end", when: "now" }, you)
    await adoptionOf(host).round()
    expect(host.size).toBe(1)
    leave()
    await adoptionOf(host).round()
    expect(host.size).toBe(0)
  })

  it("continues the turn of a host that died", async () => {
    const { log, sessionId } = await killedInMidTurn()
    const { host } = await successor(log)
    await adoptionOf(host).round()
    const session = await reopen(host, sessionId)
    if (session.state.turn !== undefined) await next(session, "turn.ended")
    const events = await history(log, sessionId)
    expect(events.filter(({ type }) => type === "turn.adopted" || type === "turn.ended")).toMatchObject([
      { type: "turn.adopted", attempt: 1 },
      { type: "turn.ended", reason: "done" },
    ])
  })

  it("keeps its own open sessions when its lease was renewed too late", async () => {
    const clock = testClock()
    const now = () => clock.now()
    const warnings: string[] = []
    const change = { now, warn: (message: string) => void warnings.push(message) }
    const { host } = await testHost(scriptedSource([[{ text: "Here." }]]), [], change, openMemoryLog({ now }))
    const session = await newSession(host)
    await clock.advance(limits.leaseMs + 1)
    await adoptionOf(host, { now }).round()
    await turn(session, "are you there?")
    await host.close()
    expect(warnings).toEqual([])
  })

  it("keeps a session that a client opens while it is being released", async () => {
    const { host, id, finish } = await abandoned()
    const opening = reopen(host, id)
    await setImmediate() // an opening that did not wait would be over
    await finish()
    expect(await turn(await opening, "are you there?")).toMatchObject({ reason: "done" })
  })

  it("leaves the turn of a dead child process to its parent, and closes the session", async () => {
    const { log, sessionId } = await killedInMidTurn({ origin: "rpc" })
    const { host } = await successor(log)
    const before = await history(log, sessionId)
    await adoptionOf(host).round()
    expect(await history(log, sessionId)).toEqual(before)
    expect(await log.leftOpen()).toEqual({ kind: "ok", value: [] })
    expect(host.size).toBe(0)
  })

  it("leaves an agent to the host that has its parent", async () => {
    const dead = new Set<number>()
    const log = openMemoryLog({ isAlive: ({ pid }) => !dead.has(pid) })
    const working = gate()
    const wait = testTool("wait", async () => (await working.pass(), { outcome: "done", output: "" }), {
      class: "read",
    })
    const call = scriptedSource([[{ call: { tool: "wait", input: {} } }]])
    const { host: first } = await testHost(call, [wait], {}, log, 1)
    const parent = await newSession(first)
    await parent.send({ type: "spawn", childId: "01890000-0000-7000-8000-00000000c001", task: "wait" }, you)
    await working.arrived
    dead.add(1)
    const { host: second } = await testHost(
      scriptedSource([[{ text: "Done." }]]),
      [answering],
      { adopts: true },
      log,
      2,
    )
    const opened = await second.open(parent.id, "at rest")
    const { host: third } = await testHost(scriptedSource([]), [answering], { adopts: true }, log, 3)
    await adoptionOf(third).round()
    expect(third.size).toBe(0)
    if (opened.kind === "refused") throw new Error(opened.refusal.code)
    const ended = next(opened.session, "child.ended")
    opened.session.begin()
    expect(await ended).toMatchObject({ outcome: "done" })
  })

  it("parks a turn that was left more than an hour ago, and a person can resume it", async () => {
    const { log, sessionId } = await killedInMidTurn()
    const later = Date.now() + limits.adoptionAgeMs + 60_000
    const { host } = await testHost(
      scriptedSource([[{ text: "Done." }]]),
      [answering],
      { adopts: true, now: () => later },
      log,
      2,
    )
    await adoptionOf(host).round()
    const session = await reopen(host, sessionId)
    expect(session.state.turn?.parked).toMatchObject({ why: "adoption" })
    const ended = next(session, "turn.ended")
    await session.send({ type: "resume" }, you)
    expect(await ended).toMatchObject({ reason: "done" })
  })

  it("parks a turn after three hosts made no progress with it", async () => {
    const { log, sessionId, dead } = await killedInMidTurn()
    for (let pid = 10; pid < 13; pid++) {
      const stuck = scriptedSource([[{ call: { tool: "wait", input: {} } }]])
      const never = testTool("wait", () => new Promise(() => {}), { class: "read" })
      const dying = await testHost(stuck, [never], { adopts: true }, log, pid)
      await adoptionOf(dying.host).round()
      expect(dying.host.size).toBe(1)
      dead.add(pid)
    }
    const { host } = await successor(log)
    const session = await reopen(host, sessionId)
    expect(session.state.turn?.parked).toMatchObject({ why: "adoption" })
  })

  it("continues the sessions of a leaving host", async () => {
    const log = openMemoryLog()
    const speaking = gate()
    const slow = testTool("slow", async () => (await speaking.pass(), { outcome: "done", output: "paid" }))
    const old = await testHost(scriptedSource([[{ call: { tool: "slow", input: {} } }]]), [slow], {}, log)
    const session = await newSession(old.host)
    await prompt(session, "pay")
    await speaking.arrived
    const leaving = old.host.leave(60_000)
    expect(await old.host.open(session.id)).toMatchObject({ kind: "opened" })
    await expect(newSession(old.host)).rejects.toThrow("host.leaving")
    speaking.open()
    await leaving
    const young = await testHost(scriptedSource([[{ text: "It is paid." }]]), [slow], { adopts: true }, log, 2)
    await adoptionOf(young.host).round()
    const reopened = await reopen(young.host, session.id)
    if (reopened.state.turn !== undefined) await next(reopened, "turn.ended")
    const events = await history(log, session.id)
    expect(events.filter(({ type }) => type.startsWith("tool."))).toMatchObject([
      { type: "tool.called" },
      { type: "tool.started" },
      { type: "tool.ended", output: "paid" },
    ])
    expect(events.at(-1)).toMatchObject({ type: "turn.ended", reason: "done" })
  })

  it("closes an idle session, but not one with a watcher", async () => {
    const clock = testClock()
    const { host } = await testHost(scriptedSource([[{ text: "one" }], [{ text: "two" }]]), [], {
      now: () => clock.now(),
    })
    const quiet = await newSession(host)
    const watched = await newSession(host)
    await turn(quiet, "hi")
    await turn(watched, "hi")
    watched.watch(() => {}, you)
    const adoption = adoptionOf(host, { now: () => clock.now() })
    await adoption.round()
    expect(host.size).toBe(2)
    await clock.advance(limits.idleSessionMs + 1)
    await adoption.round()
    expect((await host.sessions()).map(({ id }) => id)).toEqual([watched.id])
  })

  it("is not needed when no session has been open for ten minutes", async () => {
    const clock = testClock()
    const { host } = await testHost(scriptedSource([]), [], { now: () => clock.now() })
    const adoption = adoptionOf(host, { now: () => clock.now() })
    const session = await newSession(host)
    let isNeeded = true
    void adoption.unneeded.then(() => (isNeeded = false))
    await clock.advance(limits.idleHostMs + 1)
    await adoption.round()
    await host.closeSession(session.id)
    await adoption.round()
    expect(isNeeded).toBe(true)
    await clock.advance(limits.idleHostMs + 1)
    await adoption.round()
    await adoption.unneeded
    expect(isNeeded).toBe(false)
  })

  it("keeps an old session that gets its first prompt while the empty ones are listed", async () => {
    const clock = testClock()
    const now = () => clock.now()
    const log = openMemoryLog({ now })
    const first = await testHost(scriptedSource([]), [], { now }, log)
    const { id } = await newSession(first.host)
    await first.host.closeSession(id)
    await clock.advance(limits.emptySessionMs + 1)
    const { host } = await testHost(scriptedSource([]), [], { now }, log, 2)
    const other = await testHost(scriptedSource([[{ text: "hi" }]]), [], { now }, log, 3)
    const claim = log.claim.bind(log)
    vi.spyOn(log, "claim").mockImplementationOnce(async (...args) => {
      await turn(await reopen(other.host, id), "hi")
      await other.host.closeSession(id)
      return claim(...args)
    })
    await adoptionOf(host, { now }).round()
    expect(await log.find(id)).toMatchObject({ kind: "ok", value: { owner: undefined } })
  })

  it("removes sessions without a prompt after a week, and nothing else", async () => {
    const clock = testClock()
    const log = openMemoryLog({ now: () => clock.now() })
    const { host } = await testHost(scriptedSource([[{ text: "hi" }]]), [], { now: () => clock.now() }, log)
    const [empty, named, used] = [await newSession(host), await newSession(host, { name: "n" }), await newSession(host)]
    await turn(used, "hi")
    for (const { id } of [empty, named, used]) await host.closeSession(id)
    await clock.advance(limits.emptySessionMs + 1)
    const young = await testHost(scriptedSource([]), [], { now: () => clock.now() }, log, 2)
    await adoptionOf(young.host, { now: () => clock.now() }).round()
    const listed = await log.list()
    const ids = listed.kind === "ok" ? listed.value.map(({ sessionId }) => sessionId) : []
    expect(ids.toSorted()).toEqual([named.id, used.id].toSorted())
  })
})
