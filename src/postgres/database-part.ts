// The tables of one part of the program. They are created or changed before the first call; after a failure the next call
// tries again.
import type { Database, Queries, Value } from "./database.ts"
import { migrate, type Step } from "./migrate.ts"
import type { Row } from "./row.ts"

/** Milliseconds since 1970 by the server's clock, in SQL: the clocks of nodes differ. */
export const serverTime = "(extract(epoch from clock_timestamp()) * 1000)::bigint"

export class DatabasePart implements Queries {
  readonly server: string
  readonly #database: Database
  readonly #name: string
  readonly #steps: readonly Step[]
  #migration: Promise<void> | undefined

  constructor(database: Database, name: string, steps: readonly Step[]) {
    this.server = database.server
    this.#database = database
    this.#name = name
    this.#steps = steps
  }

  async query(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    await this.#migrated()
    return this.#database.query(text, values)
  }

  async transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    await this.#migrated()
    return this.#database.transaction(work)
  }

  #migrated(): Promise<void> {
    this.#migration ??= migrate(this.#database, this.#name, this.#steps).catch((fault: unknown) => {
      this.#migration = undefined
      throw fault
    })
    return this.#migration
  }
}
