// A simulated host: it registers, renews its lease while it runs, and claims, writes and releases sessions. What it asks of
// the log is recorded with its times.
import type { SessionEvent } from "../../../../contract/events.ts"
import type { SessionId } from "../../../../contract/ids.ts"
import { limits } from "../../../../contract/limits.ts"
import type { Refusal } from "../../../../contract/refusals.ts"
import type { Append, Lease } from "../../../../log/event-log.ts"
import type { SqliteLog, SqliteLogOptions } from "../../../../log/sqlite/sqlite-log.ts"
import type { WriteAnswer, WritePort } from "../../../../log/sqlite/writes/write-request.ts"
import { accepted } from "../../../app-fault.ts"
import type { Operation } from "../check/linearize.ts"
import type { LeaseCall } from "../check/lease-model.ts"
import { LeaseTimes, type MachineClock } from "./lease-times.ts"
import { SimulatedLife } from "./life.ts"
import type { VirtualTime } from "./virtual-time.ts"

export interface SimulatedHostOptions {
  /** Its pid. */
  readonly number: number
  readonly time: VirtualTime
  readonly clock: MachineClock
  readonly below: (below: number) => number
  readonly port: WritePort
  readonly openLog: (options: Omit<SqliteLogOptions, "path">, port: WritePort) => SqliteLog
  readonly isDead: (pid: number) => boolean
  readonly findHost: (pid: number) => SimulatedHost | undefined
}

type Act = "claim" | "append" | "read" | "release"

/** Of a message between a host and the writer. */
const MAX_MESSAGE_MS = 300
/** A busy machine renews later. */
const MAX_LATE_MS = 500
const MAX_EVENTS = 1000

export class SimulatedHost {
  readonly name: string
  isRegistered = false
  wasWronglyFenced = false
  readonly #options: SimulatedHostOptions
  readonly #life: SimulatedLife
  readonly #times: LeaseTimes
  readonly #log: SqliteLog
  /** The newest event that the host knows, by session. */
  readonly #known = new Map<SessionId, number>()
  #lease: Lease = { hostId: "", epoch: -1 }
  #diedAt = Infinity

  constructor(options: SimulatedHostOptions) {
    const { number, time, clock, isDead } = options
    this.name = `host ${number}`
    this.#options = options
    this.#life = new SimulatedLife(time)
    this.#times = new LeaseTimes(clock)
    const conditions = { now: () => clock.read(), isAlive: ({ pid }: { readonly pid: number }) => !isDead(pid) }
    this.#log = options.openLog(conditions, this.#port())
  }

  get isDead(): boolean {
    return this.#life.isDead
  }

  get isFrozen(): boolean {
    return this.#life.isFrozen
  }

  get died(): Promise<undefined> {
    return this.#life.died
  }

  async register(): Promise<void> {
    const { number, time } = this.#options
    const host = { hostId: this.name, role: "serve", pid: number, startTime: this.name, bootId: "boot" }
    const grant = this.#times.request(time.now)
    this.#lease = accepted(await this.#log.registerHost(host)).value
    grant(time.now)
    this.isRegistered = true
    void this.#keepRenewing()
  }

  async create(sessionId: SessionId, first: SessionEvent): Promise<void> {
    accepted(await this.#log.create(this.#lease, { sessionId, expectedSeq: 0, at: 0, events: [first] }))
    this.#known.set(sessionId, 1)
  }

  pause(ms: number): Promise<void> {
    return this.#life.pause(ms)
  }

  freeze(): void {
    this.#life.freeze()
  }

  thaw(): void {
    this.#life.thaw()
  }

  kill(): void {
    if (!this.isDead) this.#diedAt = this.#options.time.now
    this.#life.kill()
  }

  mayBeReplaced(from: number, until: number): boolean {
    return this.#diedAt <= until || this.#times.mayBeLost(from, until)
  }

  /** What it did, if anything. */
  async perform(act: Act, sessionId: SessionId, text: string): Promise<readonly Operation<LeaseCall>[]> {
    if (this.isDead) return []
    const invokedAt = this.#options.time.now
    const known = this.#known.get(sessionId) ?? 1
    const answered = this.#callOf(act, sessionId, text, known, invokedAt)
    const call = await Promise.race([answered, this.died])
    if (call !== undefined) return [{ call, invokedAt, respondedAt: this.#options.time.now }]
    const possible = this.#unanswered(act, text, known)
    return possible === undefined ? [] : [{ call: possible, invokedAt, respondedAt: undefined }]
  }

  /** It died before the answer; what it sent may have its effect. */
  #unanswered(act: Act, text: string, known: number): LeaseCall | undefined {
    if (act === "append") return { host: this.name, type: "appended", expectedSeq: known, text }
    if (act === "release") return { host: this.name, type: "released" }
    return act === "claim" ? { host: this.name, type: "claimed", mayReplace: this.#replaceable(0) } : undefined
  }

  #callOf(act: Act, sessionId: SessionId, text: string, known: number, invokedAt: number): Promise<LeaseCall> {
    switch (act) {
      case "claim":
        return this.#claim(sessionId, invokedAt)
      case "append":
        return this.#append(sessionId, text, known)
      case "read":
        return this.#read(sessionId)
      case "release":
        return this.#release(sessionId)
    }
  }

  async #claim(sessionId: SessionId, invokedAt: number): Promise<LeaseCall> {
    const host = this.name
    const claimed = await this.#log.claim(this.#lease, sessionId)
    if (claimed.kind === "ok") return { host, type: "claimed", mayReplace: this.#replaceable(invokedAt) }
    if (claimed.refusal.code === "log.fenced") return { host, type: "claim-fenced", mayBeLost: this.#mayBeLost() }
    if (claimed.refusal.code !== "session.owned") throw unexpected(claimed.refusal)
    const owner = this.#options.findHost(claimed.refusal.pid)
    return {
      host,
      type: "claim-refused",
      owner: owner?.name ?? "",
      isDead: owner !== undefined && owner.#diedAt < invokedAt,
    }
  }

  async #append(sessionId: SessionId, text: string, expectedSeq: number): Promise<LeaseCall> {
    const host = this.name
    const event = { type: "text.ended", stepId: "stp_1", block: 0, text } as const
    const append: Append = { sessionId, expectedSeq, at: 0, events: [event] }
    const appended = await this.#log.append(this.#lease, append)
    if (appended.kind === "ok") {
      this.#known.set(sessionId, expectedSeq + 1)
      return { host, type: "appended", expectedSeq, text }
    }
    const { refusal } = appended
    if (refusal.code === "log.fenced") return { host, type: "append-fenced" }
    if (refusal.code !== "log.conflict") throw unexpected(refusal)
    this.#known.set(sessionId, refusal.seq)
    return { host, type: "append-conflicted", expectedSeq, seq: refusal.seq }
  }

  async #read(sessionId: SessionId): Promise<LeaseCall> {
    const events = accepted(await this.#log.read(sessionId, 0, MAX_EVENTS)).value
    this.#known.set(sessionId, events.length)
    const texts = events.map(({ event }) => (event.type === "text.ended" ? event.text : "created"))
    return { host: this.name, type: "read", texts }
  }

  async #release(sessionId: SessionId): Promise<LeaseCall> {
    accepted(await this.#log.release(this.#lease, sessionId, this.#options.below(2) === 0 ? "left open" : undefined))
    return { host: this.name, type: "released" }
  }

  /** Hosts whose sessions it may have taken since. */
  #replaceable(since: number): readonly string[] {
    const { findHost, time } = this.#options
    const names: string[] = []
    for (let pid = 1; ; pid++) {
      const host = findHost(pid)
      if (host === undefined) return names
      if (host.mayBeReplaced(since, time.now)) names.push(host.name)
    }
  }

  #mayBeLost(): boolean {
    return this.#times.mayBeLost(0, this.#options.time.now)
  }

  async #keepRenewing(): Promise<void> {
    const { below, time } = this.#options
    for (;;) {
      await this.#life.pause(limits.leaseRenewMs + below(MAX_LATE_MS))
      const grant = this.#times.request(time.now)
      const isHeld = accepted(await this.#log.renew(this.#lease)).value
      if (isHeld) grant(time.now)
      else {
        this.wasWronglyFenced = !this.#mayBeLost()
        return
      }
    }
  }

  /** A request that was sent arrives, whatever becomes of the host. */
  #port(): WritePort {
    const { port, time, below } = this.#options
    return {
      prepare: () => port.prepare(),
      close: () => Promise.resolve(),
      send: (request) =>
        new Promise<WriteAnswer>((resolve) => {
          const answer = (value: WriteAnswer) => this.#life.schedule(below(MAX_MESSAGE_MS), () => resolve(value))
          time.schedule(below(MAX_MESSAGE_MS), () => void port.send(request).then(answer))
        }),
    }
  }
}

function unexpected(refusal: Refusal): Error {
  return new Error(`the log refused with ${refusal.code}`)
}
