// The test suite of the directory of every event log: living hosts, exclusive roles, sessions, owners, sessions left open.
// Runs beside the suite in event-log-contract.ts, under the same conditions.
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { LogConditions, LogUnderTest } from "./event-log-contract.ts"
import type { EventLog, Lease, ListFilter } from "./event-log.ts"
import { limits } from "../contract/limits.ts"
import {
  appendOf,
  createdEvent,
  hostNamed,
  refusalOf,
  sessionIdOf,
  textEvent,
  valueOf,
  visitEvent,
} from "./fixtures.ts"

export function directoryContract(
  name: string,
  open: (conditions: LogConditions) => LogUnderTest | Promise<LogUnderTest>,
): void {
  describe(`the directory of the ${name} log`, () => {
    const one = sessionIdOf(1)
    const two = sessionIdOf(2)
    let now = 0
    let gone: Set<number>
    let opened: LogUnderTest
    let log: EventLog
    let lease: Lease

    beforeEach(async () => {
      now = 1_000_000
      gone = new Set()
      opened = await open({ now: () => now, isAlive: ({ pid }) => !gone.has(pid) })
      log = opened.log
      lease = valueOf(await log.registerHost(hostNamed("first", 1)))
    })
    afterEach(() => opened.remove())

    async function leftOpen(): Promise<readonly string[]> {
      return valueOf(await log.leftOpen()).map(({ sessionId }) => sessionId)
    }

    describe("of hosts", () => {
      it("lists hosts that are alive", async () => {
        valueOf(await log.registerHost(hostNamed("second", 2)))
        gone.add(1)
        expect(valueOf(await log.hosts())).toEqual([{ hostId: "second", role: "serve", pid: 2 }])
        now += limits.leaseMs
        expect(valueOf(await log.hosts())).toEqual([])
      })

      it("refuses a second host that must be the only one of its role, and names the first", async () => {
        const second = await log.registerHost(hostNamed("second", 2), "the only one")
        expect(refusalOf(second)).toEqual({ code: "host.exists", role: "serve", hostId: "first", pid: 1 })
        const other = await log.registerHost({ ...hostNamed("third", 3), role: "host" }, "the only one")
        expect(other.kind).toBe("ok")
      })

      it("gives the role of a host that is dead, has left it, or whose lease expired", async () => {
        gone.add(1)
        const second = valueOf(await log.registerHost(hostNamed("second", 2), "the only one"))
        valueOf(await log.changeRole(second, "leaving"))
        const third = await log.registerHost(hostNamed("third", 3), "the only one")
        now += limits.leaseMs
        const fourth = await log.registerHost(hostNamed("fourth", 4), "the only one")
        expect([third.kind, fourth.kind]).toEqual(["ok", "ok"])
        expect(valueOf(await log.renew(second))).toBe(true)
      })

      it("refuses the renewal of a suspended host whose role was given away", async () => {
        now += limits.leaseMs
        valueOf(await log.registerHost(hostNamed("second", 2), "the only one"))
        expect(valueOf(await log.renew(lease))).toBe(false)
      })

      it("registers one of several hosts that must be the only one at the same time", async () => {
        const others = [await opened.openAnother(), await opened.openAnother()]
        const registrations = [log, ...others].map((otherLog, index) =>
          otherLog.registerHost({ ...hostNamed(`rival ${index}`, 10 + index), role: "host" }, "the only one"),
        )
        const kinds = (await Promise.all(registrations)).map(({ kind }) => kind)
        expect(kinds.toSorted()).toEqual(["ok", "refused", "refused"])
      })

      it("lists no session as left open after a release", async () => {
        valueOf(await log.create(lease, appendOf(one, 0, "a")))
        valueOf(await log.create(lease, appendOf(two, 0, "a")))
        valueOf(await log.release(lease, one))
        valueOf(await log.releaseHost(lease))
        expect(await leftOpen()).toEqual([])
      })

      it("names the owner of a session that is looked up", async () => {
        valueOf(await log.create(lease, appendOf(one, 0, "a")))
        expect(valueOf(await log.find(one))).toEqual(valueOf(await log.list())[0])
        gone.add(1)
        expect(valueOf(await log.find(one)).owner).toBeUndefined()
        expect(refusalOf(await log.find(two))).toEqual({ code: "session.unknown", wanted: two })
      })

      it("lists the sessions of a dead host as left open", async () => {
        valueOf(await log.create(lease, appendOf(one, 0, "a")))
        expect(await leftOpen()).toEqual([])
        gone.add(1)
        expect(await leftOpen()).toEqual([one])
        const second = valueOf(await log.registerHost(hostNamed("second", 2)))
        valueOf(await log.claim(second, one))
        expect(await leftOpen()).toEqual([])
      })

      it("lists a session that a living host released as left open", async () => {
        valueOf(await log.create(lease, appendOf(one, 0, "a")))
        valueOf(await log.release(lease, one, "left open"))
        expect(await leftOpen()).toEqual([one])
        expect(refusalOf(await log.append(lease, appendOf(one, 1, "b")))).toEqual({
          code: "log.fenced",
          sessionId: one,
        })
        const second = valueOf(await log.registerHost(hostNamed("second", 2)))
        valueOf(await log.claim(second, one))
        expect(await leftOpen()).toEqual([])
        expect(valueOf(await log.list())[0]?.owner).toEqual({ hostId: "second", role: "serve", pid: 2 })
      })

      it("lists the remaining sessions of a host that lost one to another host", async () => {
        valueOf(await log.create(lease, appendOf(one, 0, "a")))
        valueOf(await log.create(lease, appendOf(two, 0, "a")))
        now += limits.leaseMs
        const second = valueOf(await log.registerHost(hostNamed("second", 2)))
        valueOf(await log.claim(second, one))
        expect(await leftOpen()).toEqual([two])
        expect(valueOf(await log.renew(lease))).toBe(false)
      })
    })

    describe("of visits", () => {
      const visit = "6f1c0f4e-0000-4000-8000-000000000001"

      it("finds a visit and its seq after the append that opened it", async () => {
        expect(refusalOf(await log.findVisit(visit))).toEqual({ code: "session.unknown", wanted: visit })
        valueOf(await log.create(lease, appendOf(one, 0, "a")))
        valueOf(await log.append(lease, { ...appendOf(one, 1), events: [textEvent("b"), visitEvent(visit)] }))
        expect(valueOf(await log.findVisit(visit))).toEqual({ sessionId: one, seq: 3 })
        const another = "6f1c0f4e-0000-4000-8000-000000000002"
        valueOf(await log.create(lease, { ...appendOf(two, 0), events: [visitEvent(another)] }))
        expect(valueOf(await (await opened.openAnother()).findVisit(another))).toEqual({ sessionId: two, seq: 1 })
      })

      it("finds the first session of a visit id that is used twice", async () => {
        valueOf(await log.create(lease, { ...appendOf(one, 0), events: [visitEvent(visit)] }))
        valueOf(await log.create(lease, { ...appendOf(two, 0), events: [visitEvent(visit)] }))
        expect(valueOf(await log.findVisit(visit))).toEqual({ sessionId: one, seq: 1 })
      })

      it("does not find a visit of a removed session or a refused append", async () => {
        valueOf(await log.create(lease, { ...appendOf(one, 0), events: [visitEvent(visit)] }))
        const late = "6f1c0f4e-0000-4000-8000-000000000003"
        await log.append(lease, { ...appendOf(one, 7), events: [visitEvent(late)] })
        expect(refusalOf(await log.findVisit(late))).toMatchObject({ code: "session.unknown" })
        valueOf(await log.remove(lease, one))
        expect(refusalOf(await log.findVisit(visit))).toMatchObject({ code: "session.unknown" })
        valueOf(await log.create(lease, { ...appendOf(two, 0), events: [visitEvent(visit)] }))
        expect(valueOf(await log.findVisit(visit))).toEqual({ sessionId: two, seq: 1 })
      })
    })

    describe("of sessions", () => {
      it("lists them by newest activity, with summaries", async () => {
        valueOf(await log.create(lease, { ...appendOf(one, 0, "a"), at: 10, summary: { name: "one" } }))
        valueOf(await log.create(lease, { ...appendOf(two, 0, "a"), at: 20 }))
        const owner = { hostId: "first", role: "serve", pid: 1 }
        const rowTwo = { sessionId: two, createdAt: 20, updatedAt: 20, seq: 1, owner, summary: null }
        const rowOne = { sessionId: one, createdAt: 10, updatedAt: 10, seq: 1, owner, summary: { name: "one" } }
        expect(valueOf(await log.list())).toEqual([rowTwo, rowOne])
        valueOf(await log.append(lease, { ...appendOf(one, 1, "b"), at: 30 }))
        expect(valueOf(await log.list())).toEqual([{ ...rowOne, updatedAt: 30, seq: 2 }, rowTwo])
        valueOf(await log.append(lease, { ...appendOf(one, 2, "c"), at: 40, summary: { name: "uno" } }))
        expect(valueOf(await log.list())[0]).toMatchObject({ updatedAt: 40, summary: { name: "uno" } })
      })

      it("lists those of one organisation, or of one owner in it", async () => {
        const sessionOf = (org: string, owner: string) => (sessionId: string, at: number) =>
          log.create(lease, { sessionId, expectedSeq: 0, at, events: [{ ...createdEvent(sessionId), org, owner }] })
        valueOf(await sessionOf("acme", "a@acme.example")(sessionIdOf(1), 10))
        valueOf(await sessionOf("acme", "b@acme.example")(sessionIdOf(2), 20))
        valueOf(await sessionOf("public", "")(sessionIdOf(3), 30))
        valueOf(await sessionOf("acme", "a@acme.example")(sessionIdOf(4), 20))
        const listed = async (filter: ListFilter) =>
          valueOf(await log.list(filter)).map(({ sessionId }) => Number(sessionId.slice(-3)))
        expect(await listed({ org: "acme" })).toEqual([4, 2, 1])
        expect(await listed({ org: "acme", limit: 2 })).toEqual([4, 2])
        expect(await listed({ org: "acme", owner: "a@acme.example" })).toEqual([4, 1])
        expect(await listed({ org: "public", owner: "" })).toEqual([3])
        expect(await listed({ org: "nobody" })).toEqual([])
        expect(valueOf(await log.list({ org: "public" }))[0]).toEqual(valueOf(await log.find(sessionIdOf(3))))
      })

      it("shows an owner only while it is alive", async () => {
        valueOf(await log.create(lease, appendOf(one, 0, "a")))
        const owner = async () => valueOf(await log.list())[0]?.owner
        expect(await owner()).toEqual({ hostId: "first", role: "serve", pid: 1 })
        gone.add(1)
        expect(await owner()).toBeUndefined()
        gone.clear()
        now += limits.leaseMs
        expect(await owner()).toBeUndefined()
        expect(valueOf(await log.renew(lease))).toBe(true)
        expect(await owner()).toEqual({ hostId: "first", role: "serve", pid: 1 })
        valueOf(await log.release(lease, one))
        expect(await owner()).toBeUndefined()
      })
    })
  })
}
