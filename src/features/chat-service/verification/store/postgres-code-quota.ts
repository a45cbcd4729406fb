// The quota of codes of all nodes of a cluster, in PostgreSQL.
import type { Database } from "../../../../postgres/database.ts"
import { DatabasePart, serverTime } from "../../../../postgres/database-part.ts"
import type { Step } from "../../../../postgres/migrate.ts"
import { quotaMs, talliesOf, type CodeQuota, type QuotaRequest } from "./code-quota.ts"

const steps: readonly Step[] = [
  {
    sql: `
      create table turnhouse.codes (name text not null, at bigint not null);
      create index codes_by_name on turnhouse.codes (name, at);
      create index codes_by_time on turnhouse.codes (at);
    `,
    keepsOlder: true,
  },
]

/** In one order, so that two nodes do not wait for each other. Held until the end of the transaction. */
const lock = `
  select pg_advisory_xact_lock(key)
  from (select distinct hashtextextended('turnhouse code ' || name, 0) as key from unnest($1::text[]) as name order by 1) as keys`

const count = `
  with tally as (select * from unnest($1::text[], $2::integer[]) as tally (name, most)),
  clock as (select coalesce($3::bigint, ${serverTime}) as now)
  insert into turnhouse.codes (name, at)
  select name, now from tally, clock
  where not exists (
    select from tally as other
    where (select count(*) from turnhouse.codes where name = other.name and at > now - ${quotaMs}) >= other.most
  )
  returning at`

/** Of several nodes one deletes a row; the others do not wait. */
const forget = `
  delete from turnhouse.codes where ctid = any(array(
    select ctid from turnhouse.codes where at <= coalesce($1::bigint, ${serverTime}) - ${quotaMs}
    limit 1000 for update skip locked
  ))`

export class PostgresCodeQuota implements CodeQuota {
  readonly #database: Database
  readonly #part: DatabasePart
  readonly #key: Uint8Array
  readonly #clock: "server" | "caller"

  /** Closes the database with itself. `caller`: for tests, the time is that of each request. */
  constructor(database: Database, key: Uint8Array, clock: "server" | "caller" = "server") {
    this.#database = database
    this.#part = new DatabasePart(database, "codes", steps)
    this.#key = key
    this.#clock = clock
  }

  take(request: QuotaRequest, at: number): Promise<boolean> {
    const tallies = talliesOf(request, this.#key)
    const names = tallies.map(({ name }) => name)
    const limits = tallies.map(({ limit }) => limit)
    const time = this.#clock === "server" ? null : at
    return this.#part.transaction(async (queries) => {
      await queries.query(lock, [names])
      const counted = await queries.query(count, [names, limits, time])
      await queries.query(forget, [time])
      return counted.length > 0
    })
  }

  close(): Promise<void> {
    return this.#database.close()
  }
}
