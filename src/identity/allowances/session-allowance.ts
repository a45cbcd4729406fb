// Conversations per hour and account over all nodes: a token bucket per account in PostgreSQL, by the clock of the server.
// Each is decided by one statement, so the limit is exact.
import { serverTime, type DatabasePart } from "../../postgres/database-part.ts"
import { DatabaseFault } from "../../postgres/database-fault.ts"
import type { SessionTake } from "./shared-use.ts"

const HOUR_MS = 3_600_000

export interface SessionAllowanceOptions {
  readonly part: DatabasePart
  readonly perHour: number
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

export class SessionAllowance {
  readonly #options: SessionAllowanceOptions

  constructor(options: SessionAllowanceOptions) {
    this.#options = options
  }

  async take(account: string): Promise<SessionTake> {
    const { part, perHour, warn, now } = this.#options
    if (perHour === Infinity) return "taken"
    try {
      const rows = await part.query(take, [account, perHour, now?.() ?? null])
      return rows.length > 0 ? "taken" : "used-up"
    } catch (fault) {
      if (!(fault instanceof DatabaseFault)) throw fault
      warn(`a conversation was refused, because it cannot be counted: ${fault.message}`)
      return "unavailable"
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
