// What the simulated disk holds, kept beside the real log as a model of it: the lines and the owner of each session. Every
// answer of the writer is compared with it.
import { decodeEvent } from "../../../contract/stored-event.ts"
import type { Recorded } from "../../../contract/events.ts"
import type { WriteAnswer, WriteRequest, RequestOf } from "../../../log/sqlite/writes/write-request.ts"
import { evolve, initialState } from "../../../session/evolve.ts"
import type { SessionState } from "../../../session/state.ts"
import type { Report } from "../violation.ts"

export interface StoredSession {
  readonly lines: string[]
  readonly events: Recorded[]
  /** Folded from the events. */
  state: SessionState
  ownerEpoch: number | undefined
}

type EventRequest = RequestOf<"append"> | RequestOf<"create">

export class StoredSessions {
  readonly #sessions = new Map<string, StoredSession>()
  readonly #report: Report
  /** Sessions that went from one owner to another. */
  handOvers = 0
  /** Writes of an owner that had lost its session, which were refused. */
  fenced = 0

  constructor(report: Report) {
    this.#report = report
  }

  get all(): ReadonlyMap<string, StoredSession> {
    return this.#sessions
  }

  find(sessionId: string): StoredSession | undefined {
    return this.#sessions.get(sessionId)
  }

  /** Called when the request is on the disk, or refused. */
  take(request: WriteRequest, answer: WriteAnswer): void {
    if (answer.kind === "refused" && answer.refusal.code === "log.fenced") this.fenced += 1
    if (answer.kind !== "done") return
    switch (request.kind) {
      case "create":
      case "append":
        return this.#append(request)
      case "claim":
        return this.#claim(request)
      case "checkpoint":
      case "snapshot":
        return this.#expectOwner(request, this.#session(request.sessionId).events.at(-1)?.event.type)
      case "release":
        return this.#release(this.#session(request.sessionId), request.epoch)
      case "release-host":
        for (const session of this.#sessions.values()) this.#release(session, request.lease.epoch)
        return
      case "register":
      case "renew":
      case "change-role":
      case "remove":
        return
    }
  }

  #session(sessionId: string): StoredSession {
    const known = this.#sessions.get(sessionId)
    if (known !== undefined) return known
    const session: StoredSession = { lines: [], events: [], state: initialState, ownerEpoch: undefined }
    this.#sessions.set(sessionId, session)
    return session
  }

  #claim({ sessionId, epoch }: RequestOf<"claim">): void {
    const session = this.#session(sessionId)
    if (session.ownerEpoch !== undefined && session.ownerEpoch !== epoch) this.handOvers += 1
    session.ownerEpoch = epoch
  }

  #release(session: StoredSession, epoch: number): void {
    if (session.ownerEpoch === epoch) session.ownerEpoch = undefined
  }

  #expectOwner({ sessionId, epoch, kind }: EventRequest | RequestOf<"checkpoint" | "snapshot">, event = "none"): void {
    const { ownerEpoch } = this.#session(sessionId)
    if (ownerEpoch !== epoch)
      this.#report("broken", event, `a host that does not own the session stored a ${kind} (epoch ${epoch})`)
  }

  /** A request that is sent again after the death of a writer is answered alike, and stored once. */
  #append(request: EventRequest): void {
    const session = this.#session(request.sessionId)
    if (request.kind === "create") session.ownerEpoch ??= request.epoch
    const isStored = request.lines.every((line, index) => session.lines[request.expectedSeq + index] === line)
    if (isStored) return
    const events = eventsIn(request)
    this.#expectOwner(request, events[0]?.event.type)
    if (request.expectedSeq !== session.lines.length)
      this.#report(
        "doubled",
        events[0]?.event.type ?? "none",
        `an append after event ${request.expectedSeq} was accepted`,
      )
    session.lines.push(...request.lines)
    session.events.push(...events)
    session.state = events.reduce(evolve, session.state)
  }
}

const decoded = new WeakMap<WriteRequest, readonly Recorded[]>()

/** Decoded once: several parts of the simulation look at them. */
export function eventsIn(request: WriteRequest): readonly Recorded[] {
  if (request.kind !== "append" && request.kind !== "create") return []
  const events = decoded.get(request) ?? request.lines.map(recordedOf)
  decoded.set(request, events)
  return events
}

function recordedOf(line: string): Recorded {
  const event = decodeEvent(line)
  if (event.kind === "event") return event.recorded
  throw new Error(`a host stored a line that is no event: ${line}`)
}
