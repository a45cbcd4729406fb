// Limits of callers (concurrent connections, frames per second, conversations per hour) and of organisations (running turns,
// conversations per hour). A caller's account is kept by organisation and principal name, or by network address; unused
// accounts are removed, and their number is bounded. What an account uses on other nodes of a cluster counts too.
import { isOrgAccount, orgAccount } from "./account-names.ts"
import { OrgTurns, type TurnCounter } from "./org-turns.ts"
import type { SessionTake, SharedUse } from "./shared-use.ts"
import { TokenBucket } from "./token-bucket.ts"

export interface AllowanceLimits {
  readonly connections: number
  readonly framesPerSecond: number
  readonly sessionsPerHour: number
  /** Of each organisation. */
  readonly org: OrgLimits
}

export interface OrgLimits {
  readonly turns: number
  readonly sessionsPerHour: number
}

const BURST_SECONDS = 4
const HOUR_SECONDS = 3600
/** Accounts below which none is looked for to remove. */
const FEW_ACCOUNTS = 1000
const MAX_ACCOUNTS = 50_000

export class Allowances {
  /** Absent without a limit. */
  readonly turns: OrgTurns | undefined
  readonly #limits: AllowanceLimits
  readonly #now: () => number
  readonly #shared: SharedUse | undefined
  readonly #accounts = new Map<string, Account>()
  #nextCleanup = FEW_ACCOUNTS

  constructor(limits: AllowanceLimits, now: () => number, shared?: SharedUse) {
    this.#limits = limits
    this.#now = now
    this.#shared = shared
    this.turns = limits.org.turns === Infinity ? undefined : new OrgTurns(this.#turnCounter())
  }

  get size(): number {
    return this.#accounts.size
  }

  /** False if the account has reached its limit of connections; otherwise `leave` must follow. */
  enter(caller: string): boolean {
    const name = this.#nameOf(caller)
    const account = this.#account(name)
    if (account.active + account.elsewhere >= this.#limits.connections) return false
    this.#change(name, 1)
    return true
  }

  leave(caller: string): void {
    const name = this.#nameOf(caller)
    if (this.#accounts.has(name)) this.#change(name, -1)
  }

  takeFrame(caller: string): boolean {
    const name = this.#nameOf(caller)
    if (!this.#account(name).frames.take(this.#now())) return false
    this.#shared?.tookFrame(name)
    return true
  }

  /** From the allowances of both, or of none. */
  async takeSession(caller: string, org?: string): Promise<SessionTake> {
    const name = this.#nameOf(caller)
    const orgName = org === undefined ? undefined : this.#nameOfOrg(org)
    if (this.#shared !== undefined) return this.#shared.takeSession(name, orgName)
    const now = this.#now()
    const buckets = [name, ...(orgName === undefined ? [] : [orgName])].map((each) => this.#account(each).sessions)
    if (!buckets.every((bucket) => bucket.has(now))) return "used-up"
    for (const bucket of buckets) bucket.take(now)
    return "taken"
  }

  /** Of an account on the other nodes: the change of its connections or turns, and frames that they have let pass. */
  useElsewhere(name: string, active: number, frames: number): void {
    const account = this.#account(name)
    account.elsewhere = Math.max(0, account.elsewhere + active)
    account.frames.drain(frames, this.#now())
    this.#removeIfUnused(name, account)
  }

  #nameOf(caller: string): string {
    return this.#shared?.nameOf(caller) ?? caller
  }

  #nameOfOrg(org: string): string {
    return this.#shared?.nameOfOrg(org) ?? orgAccount(org)
  }

  #turnCounter(): TurnCounter {
    return {
      hasRoom: (org) => {
        const { active = 0, elsewhere = 0 } = this.#accounts.get(this.#nameOfOrg(org)) ?? {}
        return active + elsewhere < this.#limits.org.turns
      },
      count: (org, change) => this.#change(this.#nameOfOrg(org), change),
    }
  }

  #change(name: string, change: number): void {
    const account = this.#account(name)
    account.active += change
    this.#shared?.setActive(name, account.active)
    this.#removeIfUnused(name, account)
  }

  #removeIfUnused(name: string, account: Account): void {
    if (account.isUnused(this.#now())) this.#accounts.delete(name)
  }

  #account(name: string): Account {
    const known = this.#accounts.get(name)
    if (known !== undefined) return known
    if (this.#accounts.size >= this.#nextCleanup) this.#cleanUp()
    const limits = isOrgAccount(name) ? { framesPerSecond: Infinity, ...this.#limits.org } : this.#limits
    const account = new Account(limits, this.#now())
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

  /** Accounts with a connection or a turn at this node are kept. */
  #removeOldest(count: number): void {
    const idle = [...this.#accounts].filter(([, { active }]) => active <= 0)
    for (const [name] of idle.slice(0, count)) this.#accounts.delete(name)
  }
}

type AccountLimits = Pick<AllowanceLimits, "framesPerSecond" | "sessionsPerHour">

class Account {
  /** Connections or turns at this node. */
  active = 0
  /** At other nodes. */
  elsewhere = 0
  readonly frames: TokenBucket
  readonly sessions: TokenBucket

  constructor({ framesPerSecond, sessionsPerHour }: AccountLimits, now: number) {
    this.frames = new TokenBucket(Math.max(1, framesPerSecond * BURST_SECONDS), framesPerSecond, now)
    this.sessions = new TokenBucket(sessionsPerHour, sessionsPerHour / HOUR_SECONDS, now)
  }

  isUnused(now: number): boolean {
    return this.active + this.elsewhere <= 0 && this.frames.isFull(now) && this.sessions.isFull(now)
  }
}
