// Share links of all nodes of a cluster, in PostgreSQL. They expire by the clock of the server.
import type { Database } from "../../postgres/database.ts"
import { DatabasePart, serverTime } from "../../postgres/database-part.ts"
import type { Step } from "../../postgres/migrate.ts"
import { textIn } from "../../postgres/row.ts"
import { orStoreFault } from "../store-fault.ts"
import { isLink, isLinkId, type Link } from "./link-key.ts"
import type { LinkStore } from "./link-store.ts"
import { LinkWatch } from "./link-watch.ts"

const steps: readonly Step[] = [
  {
    sql: `
      create table turnhouse.links (
        id text primary key,
        link text not null, -- as JSON, without its key
        issued_at bigint not null,
        expires_at bigint not null
      );
      create index links_by_expiry on turnhouse.links (expires_at);
    `,
    keepsOlder: true,
  },
]

export interface PostgresLinkStoreOptions {
  readonly database: Database
  /** Called when revocations begin to be unreadable. */
  readonly onFault: (fault: unknown) => void
  /** Replaces the server's clock, in tests. */
  readonly now?: () => number | null
  /** Monotonic, for the age of what was read. */
  readonly elapsed?: () => number
}

export class PostgresLinkStore implements LinkStore {
  readonly #part: DatabasePart
  readonly #watch: LinkWatch
  readonly #now: () => number | null

  constructor({ database, onFault, now = () => null, elapsed }: PostgresLinkStoreOptions) {
    this.#part = new DatabasePart(database, "links", steps)
    this.#now = now
    this.#watch = new LinkWatch({ read: (ids) => this.#stored(ids), onFault, ...(elapsed && { now: elapsed }) })
  }

  async add(link: Link): Promise<void> {
    const adding = this.#part.query(
      `insert into turnhouse.links (id, link, issued_at, expires_at)
       select $1, $2, now, now + $3 from (select coalesce($4::bigint, ${serverTime}) as now) as clock`,
      [link.id, JSON.stringify(link), link.expiresAt - link.issuedAt, this.#now()],
    )
    await orStoreFault(adding)
  }

  async has(id: string): Promise<boolean> {
    return isLinkId(id) && orStoreFault(this.#watch.add(id))
  }

  isStillThere(id: string): boolean {
    return this.#watch.isValid(id)
  }

  /** Deletes expired links. */
  async list(): Promise<readonly Link[]> {
    const time = this.#now()
    const deleting = this.#part.query(
      `delete from turnhouse.links where expires_at <= coalesce($1::bigint, ${serverTime})`,
      [time],
    )
    await orStoreFault(deleting)
    const reading = this.#part.query(
      `select link from turnhouse.links where expires_at > coalesce($1::bigint, ${serverTime}) order by issued_at desc`,
      [time],
    )
    return (await orStoreFault(reading)).flatMap((row) => parsed(textIn(row, "link")))
  }

  async revoke(id: string): Promise<boolean> {
    const deleting = this.#part.query(
      `delete from turnhouse.links where id = $1 returning expires_at > coalesce($2::bigint, ${serverTime}) as valid`,
      [id, this.#now()],
    )
    const [deleted] = await orStoreFault(deleting)
    this.#watch.remove(id)
    return deleted?.["valid"] === true
  }

  async close(): Promise<void> {
    this.#watch.close()
  }

  async #stored(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.#part.query(
      `select id from turnhouse.links where id = any($1::text[]) and expires_at > coalesce($2::bigint, ${serverTime})`,
      [ids, this.#now()],
    )
    return new Set(rows.map((row) => textIn(row, "id")))
  }
}

/** Nothing for a link of a newer release. */
function parsed(text: string): readonly Link[] {
  const link: unknown = JSON.parse(text)
  return isLink(link) ? [link] : []
}
