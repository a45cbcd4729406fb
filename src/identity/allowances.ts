// Rate limits per client: concurrent connections, frames per second, conversations per hour. An account is kept by
// principal name or network address; unused accounts are removed, and their number is bounded.

export interface AllowanceLimits {
  readonly connections: number
  readonly framesPerSecond: number
  readonly sessionsPerHour: number
}

const BURST_SECONDS = 4
const HOUR_SECONDS = 3600
/** Accounts below which none is looked for to remove. */
const FEW_ACCOUNTS = 1000
const MAX_ACCOUNTS = 50_000

export class Allowances {
  readonly #limits: AllowanceLimits
  readonly #now: () => number
  readonly #accounts = new Map<string, Account>()
  #nextCleanup = FEW_ACCOUNTS

  constructor(limits: AllowanceLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
  }

  get size(): number {
    return this.#accounts.size
  }

  /** False if the account has reached its limit of connections; otherwise `leave` must follow. */
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
    if (this.#accounts.size >= this.#nextCleanup) this.#cleanUp()
    const account = new Account(this.#limits, this.#now())
    this.#accounts.set(name, account)
    return account
  }

  /** Scans all accounts, so it runs only when there are many more than the last time. */
  #cleanUp(): void {
    const now = this.#now()
    for (const [name, account] of this.#accounts) if (account.isUnused(now)) this.#accounts.delete(name)
    if (this.#accounts.size > MAX_ACCOUNTS / 2) this.#removeOldest(this.#accounts.size - MAX_ACCOUNTS / 2)
    this.#nextCleanup = this.#accounts.size + Math.max(FEW_ACCOUNTS, Math.min(this.#accounts.size, MAX_ACCOUNTS / 2))
  }

  /** Accounts with a connection are kept. */
  #removeOldest(count: number): void {
    const idle = [...this.#accounts].filter(([, { connections }]) => connections <= 0)
    for (const [name] of idle.slice(0, count)) this.#accounts.delete(name)
  }
}

class Account {
  connections = 0
  readonly frames: Bucket
  readonly sessions: Bucket

  constructor({ framesPerSecond, sessionsPerHour }: AllowanceLimits, now: number) {
    this.frames = new Bucket(Math.max(1, framesPerSecond * BURST_SECONDS), framesPerSecond, now)
    this.sessions = new Bucket(sessionsPerHour, sessionsPerHour / HOUR_SECONDS, now)
  }

  isUnused(now: number): boolean {
    return this.connections <= 0 && this.frames.isFull(now) && this.sessions.isFull(now)
  }
}

/** Token bucket. */
class Bucket {
  readonly #capacity: number
  readonly #perSecond: number
  #left: number
  #at: number

  constructor(capacity: number, perSecond: number, now: number) {
    this.#capacity = capacity
    this.#perSecond = perSecond
    this.#left = capacity
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
    return this.#left >= this.#capacity
  }

  #fill(now: number): void {
    if (this.#capacity === Infinity) return
    const seconds = Math.max(0, now - this.#at) / 1000
    this.#left = Math.min(this.#capacity, this.#left + seconds * this.#perSecond)
    this.#at = Math.max(this.#at, now)
  }
}
