// Conversations per hour over all nodes: a token bucket per caller and per organisation in PostgreSQL, by the clock of the
// server. Each take is one statement, or two in a transaction, so the limits are exact.
import type { Queries } from "../../postgres/database.ts"
import { serverTime, type DatabasePart } from "../../postgres/database-part.ts"
import { DatabaseFault } from "../../postgres/database-fault.ts"
import type { SessionTake } from "./shared-use.ts"

const HOUR_MS = 3_600_000

export interface SessionAllowanceOptions {
  readonly part: DatabasePart
  /** Of a caller. */
  readonly perHour: number
  /** Of an organisation. */
  readonly orgPerHour: number
  readonly warn: (message: string) => void
  /** Replaces the server's clock, in tests. */
  readonly now?: () => number
}

const filled = `least($2::float8, stored.remaining + greatest(0, excluded.at - stored.at) * $2::float8 / ${HOUR_MS})`
const take = `
  insert into turnhouse.session_allowances as stored (account, remaining, at)
  values ($1, $2::float8 - 1, coalesce($3::bigint, ${serverTime}))
  on conflict (account) do update set remaining = ${filled} - 1, at = greatest(stored.at, excluded.at)
  where ${filled} >= 1
  returning remaining`

interface Take {
  readonly account: string
  readonly perHour: number
}

/** Rolls the transaction back. */
class UsedUp extends Error {}

export class SessionAllowance {
  readonly #options: SessionAllowanceOptions

  constructor(options: SessionAllowanceOptions) {
    this.#options = options
  }

  /** From the allowances of both, or of none. */
  async take(account: string, orgAccount?: string): Promise<SessionTake> {
    const { perHour, orgPerHour, warn } = this.#options
    const own = { account, perHour }
    const takes = orgAccount === undefined ? [own] : [own, { account: orgAccount, perHour: orgPerHour }]
    try {
      await this.#takeAll(takes.filter((each) => each.perHour < Infinity))
      return "taken"
    } catch (fault) {
      if (fault instanceof UsedUp) return "used-up"
      if (!(fault instanceof DatabaseFault)) throw fault
      warn(`a conversation was refused, because it cannot be counted: ${fault.message}`)
      return "unavailable"
    }
  }

  /** Locks the row of the caller before that of its organisation. */
  async #takeAll(takes: readonly Take[]): Promise<void> {
    const { part } = this.#options
    if (takes.length <= 1) return this.#takeFrom(part, takes)
    await part.transaction((queries) => this.#takeFrom(queries, takes))
  }

  async #takeFrom(queries: Queries, takes: readonly Take[]): Promise<void> {
    for (const { account, perHour } of takes) {
      const rows = await queries.query(take, [account, perHour, this.#options.now?.() ?? null])
      if (rows.length === 0) throw new UsedUp()
    }
  }

  /** Deletes accounts whose allowance is full again. Rows that another node deletes are skipped. */
  async forget(): Promise<void> {
    const { part, now } = this.#options
    await part.query(
      `delete from turnhouse.session_allowances where ctid = any(array(
         select ctid from turnhouse.session_allowances where at <= coalesce($1::bigint, ${serverTime}) - ${HOUR_MS}
         limit 10000 for update skip locked
       ))`,
      [now?.() ?? null],
    )
  }
}
