// When the lease of a host may look expired to other hosts: not while the time that it was last granted has not passed by the
// clock of the machine, however that clock is set.
import { limits } from "../../../../contract/limits.ts"

/** Less than the distance of two events. */
const INSTANT_MS = 0.001

interface Moment {
  readonly at: number
  readonly value: number
}

/** The clock of the machine, which is set now and then. */
export class MachineClock {
  readonly #now: () => number
  readonly #offsets: Moment[] = [{ at: -Infinity, value: 1_700_000_000_000 }]

  constructor(now: () => number) {
    this.#now = now
  }

  read(): number {
    return this.readAt(this.#now())
  }

  readAt(at: number): number {
    return at + this.#offsetAt(at)
  }

  set(offsetMs: number): void {
    this.#offsets.push({ at: this.#now(), value: 1_700_000_000_000 + offsetMs })
  }

  /** Times at which it was set. */
  get changes(): readonly number[] {
    return this.#offsets.map(({ at }) => at)
  }

  #offsetAt(at: number): number {
    return this.#offsets.findLast((change) => change.at <= at)?.value ?? 0
  }
}

interface Grant {
  readonly sentAt: number
  readonly expiresAt: number
  /** Undefined until there is an answer: it may be stored or not. */
  answeredAt: number | undefined
}

export class LeaseTimes {
  readonly #clock: MachineClock
  readonly #grants: Grant[] = []

  constructor(clock: MachineClock) {
    this.#clock = clock
  }

  /** A request for the lease is sent. Returns what to call when it is granted. */
  request(sentAt: number): (answeredAt: number) => void {
    const grant: Grant = { sentAt, expiresAt: this.#clock.readAt(sentAt) + limits.leaseMs, answeredAt: undefined }
    this.#grants.push(grant)
    return (answeredAt) => (grant.answeredAt = answeredAt)
  }

  /** Whether it may look expired, or may have been lost, at any time from `from` to `until`. */
  mayBeLost(from: number, until: number): boolean {
    const held = this.#grants.findLast(({ sentAt, answeredAt }) => sentAt <= from && answeredAt !== undefined)
    return this.#mayLookExpired(held?.sentAt ?? from, until)
  }

  /** Whether it may look expired at any time from `from` to `until`. */
  #mayLookExpired(from: number, until: number): boolean {
    const changes = [
      ...this.#clock.changes,
      ...this.#grants.flatMap(({ sentAt, answeredAt = sentAt }) => [sentAt, answeredAt]),
    ]
    const breaks = changes.filter((at) => at >= from && at <= until)
    // Between two changes the clock only moves on, so that the last instant before a change decides.
    return this.#isExpiredAt(until, until) || breaks.some((at) => this.#isExpiredAt(at, at - INSTANT_MS))
  }

  /** `seenAt`: `at`, or the instant before it. */
  #isExpiredAt(at: number, seenAt: number): boolean {
    const sent = this.#grants.filter(({ sentAt }) => sentAt <= seenAt)
    const newest = sent.findLastIndex(({ answeredAt }) => answeredAt !== undefined && answeredAt <= seenAt)
    const clock = this.#clock.readAt(seenAt) + (at - seenAt)
    return sent.slice(Math.max(0, newest)).some(({ expiresAt }) => expiresAt <= clock)
  }
}
