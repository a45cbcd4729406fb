// The test suite of every event log. An implementation calls `eventLogContract` in its test file. The suite controls clock
// and liveness, so that leases expire when a test needs it.
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { SessionId, StepId } from "../contract/ids.ts"
import { limits } from "../contract/limits.ts"
import { decodeEvent } from "../contract/stored-event.ts"
import { firstHash, nextHash } from "./chain.ts"
import type { EventLog, Lease } from "./event-log.ts"
import type { Liveness } from "./fence.ts"
import { appendOf, hostNamed, refusalOf, sessionIdOf, textEvent, valueOf } from "./fixtures.ts"

export interface LogConditions {
  readonly now: () => number
  readonly isAlive: Liveness
}

export interface LogUnderTest {
  readonly log: EventLog
  /** A second opener of the same log; the same object if a log has only one. */
  readonly openAnother: () => EventLog | Promise<EventLog>
  /** Closes everything and deletes its files. */
  readonly remove: () => Promise<void>
}

export function eventLogContract(
  name: string,
  open: (conditions: LogConditions) => LogUnderTest | Promise<LogUnderTest>,
): void {
  describe(`the ${name} log`, () => {
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

    async function secondHost(): Promise<Lease> {
      return valueOf(await log.registerHost(hostNamed("second", 2)))
    }

    async function textsOf(sessionId: SessionId): Promise<readonly unknown[]> {
      const { events } = valueOf(await log.load(sessionId))
      return events.map(({ event }) => (event.type === "text.ended" ? event.text : event.type))
    }

    describe("stores events", () => {
      it("numbers them from 1 and returns them in order and unchanged", async () => {
        const created = await log.create(lease, appendOf(one, 0, "a"))
        const appended = await log.append(lease, { ...appendOf(one, 1, "b", "c"), at: 77 })
        const expected = [
          { seq: 1, at: 1000, event: textEvent("a") },
          { seq: 2, at: 77, event: textEvent("b") },
          { seq: 3, at: 77, event: textEvent("c") },
        ]
        expect([...valueOf(created), ...valueOf(appended)]).toEqual(expected)
        expect(valueOf(await log.load(one))).toEqual({ snapshot: undefined, events: expected, streamed: [] })
      })

      it("keeps every character, also lone surrogates and NUL", async () => {
        const texts = ["nul \u0000 nul", "half \ud83d", "whole 😀", "line\u2028end\n\r\t", "‹quote\"'`\\›", ""]
        valueOf(await log.create(lease, appendOf(one, 0, ...texts)))
        expect(await textsOf(one)).toEqual(texts)
      })

      it("keeps the order of each session when many append at once", async () => {
        const sessions = Array.from({ length: 20 }, (_, index) => sessionIdOf(100 + index))
        await Promise.all(
          sessions.map(async (sessionId) => {
            valueOf(await log.create(lease, appendOf(sessionId, 0, "0")))
            for (let seq = 1; seq < 10; seq++) valueOf(await log.append(lease, appendOf(sessionId, seq, String(seq))))
          }),
        )
        for (const sessionId of sessions)
          expect(await textsOf(sessionId)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"])
        expect(valueOf(await log.inspect())).toEqual([])
      })

      it("shows them to a second opener of the same log", async () => {
        valueOf(await log.create(lease, appendOf(one, 0, "a")))
        valueOf(await log.append(lease, appendOf(one, 1, "b")))
        const other = await opened.openAnother()
        expect(valueOf(await other.load(one)).events).toHaveLength(2)
      })

      it("reads pages after a seq, up to a limit, and nothing past the end", async () => {
        valueOf(await log.create(lease, appendOf(one, 0, "a", "b", "c", "d")))
        const seqs = async (afterSeq: number, limit: number) =>
          valueOf(await log.read(one, afterSeq, limit)).map(({ seq }) => seq)
        expect(await seqs(0, 100)).toEqual([1, 2, 3, 4])
        expect(await seqs(1, 2)).toEqual([2, 3])
        expect(await seqs(3, 100)).toEqual([4])
        expect(await seqs(4, 100)).toEqual([])
        expect(await seqs(99, 100)).toEqual([])
        expect(await seqs(0, 0)).toEqual([])
      })

      it("chains hashes over their stored text", async () => {
        valueOf(await log.create(lease, appendOf(one, 0, "a", "b")))
        valueOf(await log.append(lease, appendOf(one, 2, "c")))
        const lines = valueOf(await log.readLines(one, 0, 100))
        let hash = firstHash(one)
        for (const line of lines) {
          hash = nextHash(hash, line.text)
          expect(line.hash).toBe(hash)
          expect(decodeEvent(line.text)).toMatchObject({ kind: "event", recorded: { seq: line.seq } })
        }
        expect(lines.map(({ seq }) => seq)).toEqual([1, 2, 3])
        expect(valueOf(await log.readLines(one, 1, 1))).toEqual([lines[1]])
      })
    })

    describe("consistency", () => {
      it("refuses a second session with the same id", async () => {
        valueOf(await log.create(lease, appendOf(one, 0, "a")))
        const second = await log.create(lease, appendOf(one, 0, "b"))
        expect(refusalOf(second)).toEqual({ code: "session.exists", sessionId: one })
        expect(await textsOf(one)).toEqual(["a"])
      })

      it("refuses an append that does not follow the newest event and stores nothing of it", async () => {
        valueOf(await log.create(lease, appendOf(one, 0, "a", "b")))
        for (const expectedSeq of [0, 1, 3]) {
          const late = await log.append(lease, appendOf(one, expectedSeq, "x"))
          expect(refusalOf(late)).toEqual({ code: "log.conflict", sessionId: one, expectedSeq, seq: 2 })
        }
        expect(await textsOf(one)).toEqual(["a", "b"])
      })

      it("refuses all but one of several appends after the same event", async () => {
        valueOf(await log.create(lease, appendOf(one, 0, "a")))
        const texts = ["b", "c", "d", "e"]
        const outcomes = await Promise.all(texts.map((text) => log.append(lease, appendOf(one, 1, text))))
        const refusals = outcomes.filter(({ kind }) => kind === "refused")
        expect(refusals.map((outcome) => refusalOf(outcome)?.code)).toEqual([
          "log.conflict",
          "log.conflict",
          "log.conflict",
        ])
        const winner = texts[outcomes.findIndex(({ kind }) => kind === "ok")]
        expect(await textsOf(one)).toEqual(["a", winner])
      })

      it("knows no session by an id with characters that a database may refuse", async () => {
        for (const wanted of ["nul\u0000", "half \ud83d", "' or 1=1 --"]) {
          expect(refusalOf(await log.find(wanted))?.code).toBe("session.unknown")
          expect(refusalOf(await log.findVisit(wanted))?.code).toBe("session.unknown")
        }
      })

      it("refuses every operation on an unknown session", async () => {
        const unknown = { code: "session.unknown", wanted: one }
        const streamed = { stepId: "stp_1", blocks: [] } as const
        expect(refusalOf(await log.load(one))).toEqual(unknown)
        expect(refusalOf(await log.read(one, 0, 1))).toEqual(unknown)
        expect(refusalOf(await log.readLines(one, 0, 1))).toEqual(unknown)
        expect(refusalOf(await log.inspect(one))).toEqual(unknown)
        expect(refusalOf(await log.claim(lease, one))).toEqual(unknown)
        expect(refusalOf(await log.append(lease, appendOf(one, 0, "a")))).toEqual(unknown)
        expect(refusalOf(await log.checkpoint(lease, one, streamed))).toEqual(unknown)
        expect(refusalOf(await log.saveSnapshot(lease, one, { seq: 1, value: null }))).toEqual(unknown)
      })

      it("refuses every operation after it was closed", async () => {
        valueOf(await log.create(lease, appendOf(one, 0, "a")))
        valueOf(await log.append(lease, appendOf(one, 1, "b")))
        await log.close()
        const outcomes = await Promise.all([
          log.registerHost(hostNamed("late")),
          log.renew(lease),
          log.create(lease, appendOf(two, 0, "a")),
          log.append(lease, appendOf(one, 2, "c")),
          log.claim(lease, one),
          log.load(one),
          log.read(one, 0, 1),
          log.list(),
          log.inspect(),
          log.releaseHost(lease),
        ])
        expect(outcomes.map((outcome) => refusalOf(outcome)?.code)).toEqual(outcomes.map(() => "log.unavailable"))
        await log.close()
      })
    })

    describe("allows only the owner to write", () => {
      beforeEach(async () => {
        valueOf(await log.create(lease, appendOf(one, 0, "a")))
      })

      it("refuses writes of other hosts", async () => {
        const other = await secondHost()
        const fenced = { code: "log.fenced", sessionId: one }
        expect(refusalOf(await log.append(other, appendOf(one, 1, "b")))).toEqual(fenced)
        expect(refusalOf(await log.checkpoint(other, one, { stepId: "stp_1", blocks: [] }))).toEqual(fenced)
        expect(refusalOf(await log.saveSnapshot(other, one, { seq: 1, value: 1 }))).toEqual(fenced)
        expect(await textsOf(one)).toEqual(["a"])
      })

      it("raises the epoch with every registration", async () => {
        const other = await secondHost()
        const reregistered = valueOf(await log.registerHost(hostNamed("first", 1)))
        expect(other.epoch).toBeGreaterThan(lease.epoch)
        expect(reregistered.epoch).toBeGreaterThan(other.epoch)
        valueOf(await log.releaseHost(reregistered))
        expect(valueOf(await log.registerHost(hostNamed("third", 3))).epoch).toBeGreaterThan(reregistered.epoch)
      })

      it("names the living owner when another host claims the session", async () => {
        const claimed = await log.claim(await secondHost(), one)
        expect(refusalOf(claimed)).toEqual({ code: "session.owned", sessionId: one, owner: "serve", pid: 1 })
        valueOf(await log.append(lease, appendOf(one, 1, "b")))
      })

      it("lets the owner claim its session again", async () => {
        expect(await log.claim(lease, one)).toEqual({ kind: "ok", value: undefined })
        valueOf(await log.append(lease, appendOf(one, 1, "b")))
      })

      it("gives the session to another host after the lease has expired", async () => {
        now += limits.leaseMs
        const other = await secondHost()
        valueOf(await log.append(lease, appendOf(one, 1, "late, but not claimed yet")))
        valueOf(await log.claim(other, one))
        expect(refusalOf(await log.append(lease, appendOf(one, 2, "b")))?.code).toBe("log.fenced")
        expect(valueOf(await log.renew(lease))).toBe(false)
        valueOf(await log.append(other, appendOf(one, 2, "c")))
      })

      it("keeps the owner while it renews its lease", async () => {
        const other = await secondHost()
        for (let round = 0; round < 5; round++) {
          now += limits.leaseMs - 1
          expect(valueOf(await log.renew(lease))).toBe(true)
        }
        expect(refusalOf(await log.claim(other, one))?.code).toBe("session.owned")
      })

      it("gives the session to another host at once if the owner's process is gone", async () => {
        gone.add(1)
        const other = await secondHost()
        valueOf(await log.claim(other, one))
        valueOf(await log.append(other, appendOf(one, 1, "b")))
        expect(refusalOf(await log.append(lease, appendOf(one, 2, "c")))?.code).toBe("log.fenced")
      })

      it("refuses writes after a release", async () => {
        const other = await secondHost()
        valueOf(await log.release(lease, one))
        expect(refusalOf(await log.append(lease, appendOf(one, 1, "b")))?.code).toBe("log.fenced")
        valueOf(await log.claim(other, one))
        valueOf(await log.release(lease, one))
        valueOf(await log.append(other, appendOf(one, 1, "b")))
      })

      it("releases all sessions of a host with its lease", async () => {
        valueOf(await log.create(lease, appendOf(two, 0, "a")))
        valueOf(await log.releaseHost(lease))
        expect(valueOf(await log.renew(lease))).toBe(false)
        for (const sessionId of [one, two])
          expect(refusalOf(await log.append(lease, appendOf(sessionId, 1, "b")))?.code).toBe("log.fenced")
        const other = await secondHost()
        for (const sessionId of [one, two]) valueOf(await log.claim(other, sessionId))
      })

      it("gives the session to one of two hosts that claim it at once", async () => {
        valueOf(await log.release(lease, one))
        const leases = [await secondHost(), valueOf(await log.registerHost(hostNamed("third", 3)))]
        const claims = await Promise.all(leases.map((each) => log.claim(each, one)))
        expect(claims.map(({ kind }) => kind).toSorted()).toEqual(["ok", "refused"])
        expect(claims.map((claim) => refusalOf(claim)?.code)).toContain("session.owned")
      })

      it("refuses a host that is not registered", async () => {
        const unknownLease = { hostId: "stranger", epoch: 4711 }
        valueOf(await log.release(lease, one))
        expect(refusalOf(await log.create(unknownLease, appendOf(two, 0, "a")))?.code).toBe("log.fenced")
        expect(refusalOf(await log.claim(unknownLease, one))?.code).toBe("log.fenced")
        expect(valueOf(await log.renew(unknownLease))).toBe(false)
      })
    })

    describe("stores streamed text", () => {
      const piece = (stepId: StepId, block: number, text: string, kind: "text" | "reasoning" = "text") =>
        log.checkpoint(lease, one, { stepId, blocks: [{ block, kind, text }] })

      beforeEach(async () => {
        valueOf(await log.create(lease, appendOf(one, 0, "a")))
      })

      it("joins pieces per step and block", async () => {
        await Promise.all([
          piece("stp_1", 1, "smi"),
          piece("stp_1", 0, "hmm, ", "reasoning"),
          piece("stp_2", 0, "other"),
          piece("stp_1", 0, "well", "reasoning"),
          piece("stp_1", 1, "le \ud83d"),
          piece("stp_1", 1, "\ude00"),
        ])
        expect(valueOf(await log.load(one)).streamed).toEqual([
          {
            stepId: "stp_1",
            blocks: [
              { block: 0, kind: "reasoning", text: "hmm, well" },
              { block: 1, kind: "text", text: "smile 😀" },
            ],
          },
          { stepId: "stp_2", blocks: [{ block: 0, kind: "text", text: "other" }] },
        ])
      })

      it("deletes it with the append that settles a step, also text left by an earlier step", async () => {
        await Promise.all([piece("stp_1", 0, "late"), piece("stp_2", 0, "mine")])
        valueOf(await log.append(lease, appendOf(one, 1, "something else")))
        expect(valueOf(await log.load(one)).streamed).toHaveLength(2)
        valueOf(await log.append(lease, { ...appendOf(one, 2, "mine"), settles: "stp_2" }))
        expect(valueOf(await log.load(one)).streamed).toEqual([])
      })

      it("keeps it if the append that would settle it is refused", async () => {
        valueOf(await piece("stp_1", 0, "mine"))
        const late = await log.append(lease, { ...appendOf(one, 7, "mine"), settles: "stp_1" })
        expect(refusalOf(late)?.code).toBe("log.conflict")
        expect(valueOf(await log.load(one)).streamed).toHaveLength(1)
      })
    })

    describe("loads from a snapshot", () => {
      beforeEach(async () => {
        valueOf(await log.create(lease, appendOf(one, 0, "a", "b", "c", "d")))
      })

      it("loads the newest one and the events after it", async () => {
        for (const seq of [1, 3, 2]) valueOf(await log.saveSnapshot(lease, one, { seq, value: { upTo: [seq] } }))
        const { snapshot, events } = valueOf(await log.load(one))
        expect(snapshot).toEqual({ seq: 3, value: { upTo: [3] } })
        expect(events.map(({ seq }) => seq)).toEqual([4])
        expect(valueOf(await log.read(one, 0, 10))).toHaveLength(4)
      })

      it("loads no events if the snapshot is of the newest one", async () => {
        valueOf(await log.saveSnapshot(lease, one, { seq: 4, value: "all" }))
        expect(valueOf(await log.load(one))).toMatchObject({ snapshot: { seq: 4, value: "all" }, events: [] })
      })

      it("refuses a snapshot of events that are not stored", async () => {
        for (const seq of [0, 5]) {
          const early = await log.saveSnapshot(lease, one, { seq, value: "future" })
          expect(refusalOf(early)).toEqual({ code: "log.conflict", sessionId: one, expectedSeq: seq, seq: 4 })
        }
        expect(valueOf(await log.load(one)).snapshot).toBeUndefined()
      })
    })

    describe("removes a session", () => {
      it("deletes everything of the session and nothing of another one", async () => {
        valueOf(await log.create(lease, appendOf(one, 0, "a")))
        valueOf(await log.create(lease, appendOf(two, 0, "b")))
        valueOf(await log.saveSnapshot(lease, one, { seq: 1, value: "s" }))
        valueOf(await log.checkpoint(lease, one, { stepId: "stp_1", blocks: [] }))
        valueOf(await log.remove(lease, one))
        expect(refusalOf(await log.load(one))).toEqual({ code: "session.unknown", wanted: one })
        expect(valueOf(await log.list()).map(({ sessionId }) => sessionId)).toEqual([two])
        expect(await textsOf(two)).toEqual(["b"])
        expect(valueOf(await log.inspect())).toEqual([])
        valueOf(await log.create(lease, appendOf(one, 0, "anew")))
        expect(valueOf(await log.load(one))).toMatchObject({ snapshot: undefined, streamed: [] })
        expect(await textsOf(one)).toEqual(["anew"])
      })

      it("refuses a host that does not own it", async () => {
        valueOf(await log.create(lease, appendOf(one, 0, "a")))
        expect(refusalOf(await log.remove(await secondHost(), one))).toEqual({ code: "log.fenced", sessionId: one })
        expect(refusalOf(await log.remove(lease, two))).toEqual({ code: "session.unknown", wanted: two })
      })
    })
  })
}
