// Rate limits per client: concurrent connections, frames per second, conversations per hour. An account is kept by
// organisation and principal name, or by network address; unused accounts are removed, and their number is bounded. What
// an account uses on other nodes of a cluster counts too.
import type { SessionTake, SharedUse } from "./shared-use.ts"
import { TokenBucket } from "./token-bucket.ts"

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
  readonly #shared: SharedUse | undefined
  readonly #accounts = new Map<string, Account>()
  #nextCleanup = FEW_ACCOUNTS

  constructor(limits: AllowanceLimits, now: () => number, shared?: SharedUse) {
    this.#limits = limits
    this.#now = now
    this.#shared = shared
  }

  get size(): number {
    return this.#accounts.size
  }

  /** False if the account has reached its limit of connections; otherwise `leave` must follow. */
  enter(caller: string): boolean {
    const name = this.#nameOf(caller)
    const account = this.#account(name)
    if (account.connections + account.elsewhere >= this.#limits.connections) return false
    account.connections += 1
    this.#shared?.connected(name, account.connections)
    return true
  }

  leave(caller: string): void {
    const name = this.#nameOf(caller)
    const account = this.#accounts.get(name)
    if (account === undefined) return
    account.connections -= 1
    this.#shared?.connected(name, account.connections)
    this.#removeIfUnused(name, account)
  }

  takeFrame(caller: string): boolean {
    const name = this.#nameOf(caller)
    if (!this.#account(name).frames.take(this.#now())) return false
    this.#shared?.tookFrame(name)
    return true
  }

  async takeSession(caller: string): Promise<SessionTake> {
    const name = this.#nameOf(caller)
    if (this.#shared !== undefined) return this.#shared.takeSession(name)
    return this.#account(name).sessions.take(this.#now()) ? "taken" : "used-up"
  }

  /** Of an account on the other nodes: the change of its connections, and frames that they have let pass. */
  useElsewhere(name: string, connections: number, frames: number): void {
    const account = this.#account(name)
    account.elsewhere = Math.max(0, account.elsewhere + connections)
    account.frames.drain(frames, this.#now())
    this.#removeIfUnused(name, account)
  }

  #nameOf(caller: string): string {
    return this.#shared?.nameOf(caller) ?? caller
  }

  #removeIfUnused(name: string, account: Account): void {
    if (account.isUnused(this.#now())) this.#accounts.delete(name)
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

  /** Accounts with a connection to this node are kept. */
  #removeOldest(count: number): void {
    const idle = [...this.#accounts].filter(([, { connections }]) => connections <= 0)
    for (const [name] of idle.slice(0, count)) this.#accounts.delete(name)
  }
}

class Account {
  connections = 0
  /** Connections to other nodes. */
  elsewhere = 0
  readonly frames: TokenBucket
  readonly sessions: TokenBucket

  constructor({ framesPerSecond, sessionsPerHour }: AllowanceLimits, now: number) {
    this.frames = new TokenBucket(Math.max(1, framesPerSecond * BURST_SECONDS), framesPerSecond, now)
    this.sessions = new TokenBucket(sessionsPerHour, sessionsPerHour / HOUR_SECONDS, now)
  }

  isUnused(now: number): boolean {
    return this.connections + this.elsewhere <= 0 && this.frames.isFull(now) && this.sessions.isFull(now)
  }
}
