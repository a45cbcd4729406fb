// A log in memory, for tests and for trying things out: the same rules as on disk and nothing kept. Events are stored
// in their encoded form with their hashes, so that what a test reads back is what a disk would give back.
import type { Recorded } from "../../contract/events.ts"
import type { SessionId, VisitId } from "../../contract/ids.ts"
import { limits } from "../../contract/limits.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type {
  Append,
  Damage,
  EventLog,
  HostIdentity,
  Lease,
  ListFilter,
  LiveHost,
  LoadedSession,
  Outcome,
  Refused,
  SessionRow,
  Snapshot,
  StoredLine,
  StreamedStep,
  VisitPlace,
} from "../event-log.ts"
import {
  isHostAlive,
  refuseAppend,
  refuseSnapshot,
  refuseWrite,
  unknownSession,
  type HostRow,
  type Liveness,
} from "../fence.ts"
import { newestFirst } from "../newest-first.ts"
import { ok, refused } from "../outcome.ts"
import { ownerIn, visitsIn } from "../recorded.ts"
import { joinPieces } from "../streamed-text.ts"
import { decode, emptySession, fits, headOf, store, type StoredSession } from "./stored-session.ts"

export interface MemoryLogOptions {
  readonly now?: () => number
  readonly isAlive?: Liveness
}

export function openMemoryLog(options: MemoryLogOptions = {}): EventLog {
  return new MemoryLog(options)
}

/** An epoch that no host ever has: the owner of a session that was left open. */
const nobody = 0

const closed = refused({ code: "log.unavailable", what: "the log is closed" })

class MemoryLog implements EventLog {
  readonly #now: () => number
  readonly #isAlive: (host: HostRow) => boolean
  readonly #hosts = new Map<number, HostRow>()
  readonly #sessions = new Map<SessionId, StoredSession>()
  readonly #visits = new Map<VisitId, VisitPlace>()
  #lastEpoch = 0
  #isClosed = false

  constructor({ now = Date.now, isAlive = () => true }: MemoryLogOptions) {
    this.#now = now
    this.#isAlive = (host) => isHostAlive(host, now(), isAlive)
  }

  async registerHost(host: HostIdentity, manner?: "the only one"): Promise<Outcome<Lease>> {
    if (this.#isClosed) return closed
    const rivals = manner === undefined ? [] : [...this.#hosts.values()].filter(({ role }) => role === host.role)
    const rival = rivals.find((other) => this.#isAlive(other))
    if (rival !== undefined)
      return refused({ code: "host.exists", role: host.role, hostId: rival.hostId, pid: rival.pid })
    for (const { epoch } of rivals) this.#hosts.delete(epoch)
    const former = [...this.#hosts.values()].find(({ hostId }) => hostId === host.hostId)
    if (former !== undefined) this.#hosts.delete(former.epoch)
    const epoch = ++this.#lastEpoch
    this.#hosts.set(epoch, { ...host, epoch, expiresAt: this.#now() + limits.leaseMs })
    return ok({ hostId: host.hostId, epoch })
  }

  async changeRole({ epoch }: Lease, role: string): Promise<Outcome<void>> {
    if (this.#isClosed) return closed
    const host = this.#hosts.get(epoch)
    if (host !== undefined) this.#hosts.set(epoch, { ...host, role })
    return ok(undefined)
  }

  async hosts(): Promise<Outcome<readonly LiveHost[]>> {
    if (this.#isClosed) return closed
    const living = [...this.#hosts.values()].filter((host) => this.#isAlive(host))
    return ok(living.map(({ hostId, role, pid }) => ({ hostId, role, pid })))
  }

  async renew({ epoch }: Lease): Promise<Outcome<boolean>> {
    if (this.#isClosed) return closed
    const host = this.#hosts.get(epoch)
    if (host !== undefined) this.#hosts.set(epoch, { ...host, expiresAt: this.#now() + limits.leaseMs })
    return ok(host !== undefined)
  }

  async releaseHost({ epoch }: Lease): Promise<Outcome<void>> {
    if (this.#isClosed) return closed
    this.#hosts.delete(epoch)
    for (const session of this.#sessions.values()) if (session.ownerEpoch === epoch) session.ownerEpoch = undefined
    return ok(undefined)
  }

  async create({ epoch }: Lease, first: Append): Promise<Outcome<readonly Recorded[]>> {
    const { sessionId, at, expectedSeq } = first
    if (this.#isClosed) return closed
    if (this.#sessions.has(sessionId)) return refused({ code: "session.exists", sessionId })
    if (!this.#hosts.has(epoch)) return refused({ code: "log.fenced", sessionId })
    if (expectedSeq !== 0) return refused({ code: "log.conflict", sessionId, expectedSeq, seq: 0 })
    const session = { ...emptySession(sessionId, at, epoch), ...ownerIn(first) }
    this.#sessions.set(sessionId, session)
    return ok(this.#store(session, first))
  }

  async claim({ epoch }: Lease, sessionId: SessionId): Promise<Outcome<void>> {
    const found = this.#find(sessionId)
    if (found.kind === "refused") return found
    if (!this.#hosts.has(epoch)) return refused({ code: "log.fenced", sessionId })
    const session = found.value
    const owner = this.#hosts.get(session.ownerEpoch ?? 0)
    if (owner !== undefined && owner.epoch !== epoch) {
      if (this.#isAlive(owner)) return refused({ code: "session.owned", sessionId, owner: owner.role, pid: owner.pid })
      this.#hosts.delete(owner.epoch)
    }
    session.ownerEpoch = epoch
    return ok(undefined)
  }

  async release({ epoch }: Lease, sessionId: SessionId, manner?: "left open"): Promise<Outcome<void>> {
    if (this.#isClosed) return closed
    const session = this.#sessions.get(sessionId)
    if (session?.ownerEpoch === epoch) session.ownerEpoch = manner === "left open" ? nobody : undefined
    return ok(undefined)
  }

  append({ epoch }: Lease, append: Append): Promise<Outcome<readonly Recorded[]>> {
    return this.#write(
      append.sessionId,
      (session) => refuseAppend(headOf(session), epoch, append.expectedSeq),
      (session) => this.#store(session, append),
    )
  }

  checkpoint({ epoch }: Lease, sessionId: SessionId, streamed: StreamedStep): Promise<Outcome<void>> {
    return this.#write(
      sessionId,
      (session) => refuseWrite(headOf(session), epoch),
      (session) => void session.streamed.push(structuredClone(streamed)),
    )
  }

  saveSnapshot({ epoch }: Lease, sessionId: SessionId, snapshot: Snapshot): Promise<Outcome<void>> {
    return this.#write(
      sessionId,
      (session) => refuseSnapshot(headOf(session), epoch, snapshot.seq),
      (session) => {
        if (snapshot.seq >= (session.snapshot?.seq ?? 0)) session.snapshot = structuredClone(snapshot)
      },
    )
  }

  remove({ epoch }: Lease, sessionId: SessionId): Promise<Outcome<void>> {
    return this.#write(
      sessionId,
      (session) => refuseWrite(headOf(session), epoch),
      () => {
        this.#sessions.delete(sessionId)
        for (const [id, place] of this.#visits) if (place.sessionId === sessionId) this.#visits.delete(id)
      },
    )
  }

  async load(sessionId: SessionId): Promise<Outcome<LoadedSession>> {
    const found = this.#find(sessionId)
    if (found.kind === "refused") return found
    const { lines, snapshot, streamed } = found.value
    const events = lines.slice(snapshot?.seq ?? 0).map(decode)
    return ok({ snapshot: structuredClone(snapshot), events, streamed: joinPieces(streamed) })
  }

  async read(sessionId: SessionId, afterSeq: number, limit: number): Promise<Outcome<readonly Recorded[]>> {
    const lines = await this.readLines(sessionId, afterSeq, limit)
    return lines.kind === "refused" ? lines : ok(lines.value.map(decode))
  }

  async readLines(sessionId: SessionId, afterSeq: number, limit: number): Promise<Outcome<readonly StoredLine[]>> {
    const found = this.#find(sessionId)
    if (found.kind === "refused") return found
    const from = Math.max(0, afterSeq)
    return ok(found.value.lines.slice(from, from + Math.max(0, limit)))
  }

  async find(sessionId: SessionId): Promise<Outcome<SessionRow>> {
    const found = this.#find(sessionId)
    return found.kind === "refused" ? found : ok(this.#row(found.value))
  }

  async list(filter?: ListFilter): Promise<Outcome<readonly SessionRow[]>> {
    if (this.#isClosed) return closed
    const meant = [...this.#sessions.values()].filter((session) => filter === undefined || fits(session, filter))
    const rows = meant.map((session) => this.#row(session))
    return ok(rows.toSorted(newestFirst).slice(0, filter?.limit))
  }

  async findVisit(visitId: VisitId): Promise<Outcome<VisitPlace>> {
    if (this.#isClosed) return closed
    const place = this.#visits.get(visitId)
    return place === undefined ? refused({ code: "session.unknown", wanted: visitId }) : ok(place)
  }

  async leftOpen(): Promise<Outcome<readonly SessionRow[]>> {
    if (this.#isClosed) return closed
    const owned = [...this.#sessions.values()].filter(({ ownerEpoch }) => ownerEpoch !== undefined)
    const rows = owned.map((session) => this.#row(session)).filter(({ owner }) => owner === undefined)
    return ok(rows.toSorted((a, b) => a.updatedAt - b.updatedAt))
  }

  async inspect(sessionId?: SessionId): Promise<Outcome<readonly Damage[]>> {
    const found = sessionId === undefined ? undefined : this.#find(sessionId)
    if (found?.kind === "refused") return found
    return this.#isClosed ? closed : ok([]) // memory does not rot
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }

  async #write<Value>(
    sessionId: SessionId,
    refuse: (session: StoredSession) => Refusal | undefined,
    apply: (session: StoredSession) => Value,
  ): Promise<Outcome<Value>> {
    const found = this.#find(sessionId)
    if (found.kind === "refused") return found
    const refusal = refuse(found.value)
    return refusal === undefined ? ok(apply(found.value)) : refused(refusal)
  }

  #store(session: StoredSession, append: Append): readonly Recorded[] {
    const recorded = store(session, append)
    for (const { visitId, seq } of visitsIn(recorded))
      if (!this.#visits.has(visitId)) this.#visits.set(visitId, { sessionId: session.sessionId, seq })
    return recorded
  }

  #find(sessionId: SessionId): { readonly kind: "ok"; readonly value: StoredSession } | Refused {
    if (this.#isClosed) return closed
    const value = this.#sessions.get(sessionId)
    return value === undefined ? refused(unknownSession(sessionId)) : { kind: "ok", value }
  }

  #row({ sessionId, createdAt, updatedAt, lines, ownerEpoch, summary }: StoredSession): SessionRow {
    const host = this.#hosts.get(ownerEpoch ?? 0)
    const owner =
      host !== undefined && this.#isAlive(host) ? { hostId: host.hostId, role: host.role, pid: host.pid } : undefined
    return { sessionId, createdAt, updatedAt, seq: lines.length, owner, summary: structuredClone(summary) }
  }
}
