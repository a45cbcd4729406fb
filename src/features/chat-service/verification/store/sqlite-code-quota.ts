// The quota of codes in a file that all hosts of a home share. Opened with the first code.
import { chmodSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { quotaMs, talliesOf, type CodeQuota, type QuotaRequest } from "./code-quota.ts"

/** Blocks the event loop while another host holds the file. */
const TIMEOUT_MS = 250

export class SqliteCodeQuota implements CodeQuota {
  readonly #path: string
  readonly #key: Uint8Array
  #opened: DatabaseSync | undefined

  constructor(path: string, key: Uint8Array) {
    this.#path = path
    this.#key = key
  }

  async take(request: QuotaRequest, at: number): Promise<boolean> {
    const tallies = talliesOf(request, this.#key)
    return this.#exclusively((database) => {
      database.prepare("DELETE FROM codes WHERE at <= ?").run(at - quotaMs)
      const count = database.prepare("SELECT COUNT(*) AS made FROM codes WHERE name = ?")
      if (tallies.some(({ name, limit }) => Number(count.get(name)?.["made"]) >= limit)) return false
      const insert = database.prepare("INSERT INTO codes (name, at) VALUES (?, ?)")
      for (const { name } of tallies) insert.run(name, at)
      return true
    })
  }

  async close(): Promise<void> {
    this.#opened?.close()
    this.#opened = undefined
  }

  /** In one write transaction, so that two hosts cannot both take the last code. */
  #exclusively<Value>(work: (database: DatabaseSync) => Value): Value {
    const database = (this.#opened ??= open(this.#path))
    database.exec("BEGIN IMMEDIATE")
    try {
      return work(database)
    } finally {
      database.exec("COMMIT")
    }
  }
}

function open(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: TIMEOUT_MS })
  chmodSync(path, 0o600)
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL") // a power failure may lose the newest counts
  database.exec("CREATE TABLE IF NOT EXISTS codes (name TEXT NOT NULL, at INTEGER NOT NULL)")
  database.exec("CREATE INDEX IF NOT EXISTS codes_by_name ON codes (name)")
  return database
}
