// How much everybody may ask for: connections at once, frames in a second, conversations in an hour. Each has an account,
// by name or by address. Accounts that have used nothing up are forgotten, and there is an end to how many are kept.

export interface AllowanceLimits {
  readonly connections: number
  readonly framesPerSecond: number
  readonly sessionsPerHour: number
}

const burstSeconds = 4
const hourSeconds = 3600
const fewAccounts = 1000
const mostAccounts = 50_000

export class Allowances {
  readonly #limits: AllowanceLimits
  readonly #now: () => number
  readonly #accounts = new Map<string, Account>()
  #lookAt = fewAccounts

  constructor(limits: AllowanceLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
  }

  get size(): number {
    return this.#accounts.size
  }

  /** False when they have as many connections as they may; else `leave` must follow. */
  enter(name: string): boolean {
    const account = this.#account(name)
    if (account.connections >= this.#limits.connections) return false
    account.connections += 1
    return true
  }

  leave(name: string): void {
    const account = this.#accounts.get(name)
    if (account === undefined) return
    account.connections -= 1
    if (account.isUnused(this.#now())) this.#accounts.delete(name)
  }

  takeFrame(name: string): boolean {
    return this.#account(name).frames.take(this.#now())
  }

  takeSession(name: string): boolean {
    return this.#account(name).sessions.take(this.#now())
  }

  #account(name: string): Account {
    const known = this.#accounts.get(name)
    if (known !== undefined) return known
    if (this.#accounts.size >= this.#lookAt) this.#tidy()
    const account = new Account(this.#limits, this.#now())
    this.#accounts.set(name, account)
    return account
  }

  /** Looking at all of them costs: it is done when there are many more than the last time. */
  #tidy(): void {
    const now = this.#now()
    for (const [name, account] of this.#accounts) if (account.isUnused(now)) this.#accounts.delete(name)
    if (this.#accounts.size > mostAccounts / 2) this.#forgetOldest(this.#accounts.size - mostAccounts / 2)
    this.#lookAt = this.#accounts.size + Math.max(fewAccounts, Math.min(this.#accounts.size, mostAccounts / 2))
  }

  /** Whoever is inside keeps theirs. */
  #forgetOldest(count: number): void {
    const idle = [...this.#accounts].filter(([, { connections }]) => connections <= 0)
    for (const [name] of idle.slice(0, count)) this.#accounts.delete(name)
  }
}

class Account {
  connections = 0
  readonly frames: Bucket
  readonly sessions: Bucket

  constructor({ framesPerSecond, sessionsPerHour }: AllowanceLimits, now: number) {
    this.frames = new Bucket(Math.max(1, framesPerSecond * burstSeconds), framesPerSecond, now)
    this.sessions = new Bucket(sessionsPerHour, sessionsPerHour / hourSeconds, now)
  }

  isUnused(now: number): boolean {
    return this.connections <= 0 && this.frames.isFull(now) && this.sessions.isFull(now)
  }
}

/** Fills up by so many a second; what does not fit in is lost. */
class Bucket {
  readonly #most: number
  readonly #perSecond: number
  #left: number
  #at: number

  constructor(most: number, perSecond: number, now: number) {
    this.#most = most
    this.#perSecond = perSecond
    this.#left = most
    this.#at = now
  }

  take(now: number): boolean {
    this.#fill(now)
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }

  isFull(now: number): boolean {
    this.#fill(now)
    return this.#left >= this.#most
  }

  #fill(now: number): void {
    if (this.#most === Infinity) return
    const seconds = Math.max(0, now - this.#at) / 1000
    this.#left = Math.min(this.#most, this.#left + seconds * this.#perSecond)
    this.#at = Math.max(this.#at, now)
  }
}
