// Sign-in codes of all nodes of a cluster, in PostgreSQL: the node whose statement deletes the row has redeemed the code.
// They expire by the clock of the server.
import type { Database } from "../../postgres/database.ts"
import { DatabasePart, serverTime } from "../../postgres/database-part.ts"
import type { Step } from "../../postgres/migrate.ts"
import { booleanIn } from "../../postgres/row.ts"
import { orStoreFault } from "../store-fault.ts"
import { digestOf, newCode, SIGN_IN_MS, type Redeemed, type SignInCodes } from "./sign-in-codes.ts"

const steps: readonly Step[] = [
  {
    sql: "create table turnhouse.sign_in_codes (digest text primary key, expires_at bigint not null);\n",
    keepsOlder: true,
  },
]

/** Expired codes are named so for this long, then forgotten. */
const KEPT_MS = SIGN_IN_MS

export class PostgresSignInCodes implements SignInCodes {
  readonly #part: DatabasePart
  readonly #now: () => number | null

  /** `now` replaces the server's clock, in tests. */
  constructor(database: Database, now: () => number | null = () => null) {
    this.#part = new DatabasePart(database, "sign-in codes", steps)
    this.#now = now
  }

  async create(): Promise<string> {
    const [code, time] = [newCode(), this.#now()]
    const creating = this.#part.query(
      `insert into turnhouse.sign_in_codes (digest, expires_at) values ($1, coalesce($2::bigint, ${serverTime}) + ${SIGN_IN_MS})`,
      [digestOf(code), time],
    )
    await orStoreFault(creating)
    const forgetting = this.#part.query(
      `delete from turnhouse.sign_in_codes where expires_at <= coalesce($1::bigint, ${serverTime}) - ${KEPT_MS}`,
      [time],
    )
    await orStoreFault(forgetting)
    return code
  }

  async redeem(code: string): Promise<Redeemed> {
    const redeeming = this.#part.query(
      `delete from turnhouse.sign_in_codes where digest = $1
       returning expires_at > coalesce($2::bigint, ${serverTime}) as valid`,
      [digestOf(code), this.#now()],
    )
    const [row] = await orStoreFault(redeeming)
    if (row === undefined) return "unknown"
    return booleanIn(row, "valid") ? "signed-in" : "expired"
  }
}
