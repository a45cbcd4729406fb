// Limits codes per hour by mailbox, visit, caller and organisation. All hosts of a home share one file, so that neither
// a restart nor another conversation allows more guesses. It stores HMACs, no contacts. Opened with the first code.
import { createHmac } from "node:crypto"
import { chmodSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { limits } from "../../../../contract/limits.ts"

export interface QuotaRequest {
  /** The mailbox or phone number that receives the code. */
  readonly mailbox: string
  /** Digest of the visitor's account or address, if known. */
  readonly caller?: string | undefined
  readonly visitId: string
  readonly org: string
}

const HOUR_MS = 60 * 60 * 1000
/** Blocks the event loop while another host holds the file. */
const TIMEOUT_MS = 250

export class CodeQuota {
  readonly #path: string
  readonly #key: Uint8Array
  #opened: DatabaseSync | undefined

  constructor(path: string, key: Uint8Array) {
    this.#path = path
    this.#key = key
  }

  /** True if one more code may be issued; it is then counted. */
  take({ mailbox, visitId, org, caller }: QuotaRequest, at: number): boolean {
    const counted = [
      { name: this.#hash("contact", mailbox), limit: limits.codesPerContact },
      ...(caller === undefined ? [] : [{ name: this.#hash("caller", caller), limit: limits.codesPerCaller }]),
      { name: this.#hash("visit", visitId), limit: limits.codesPerVisit },
      { name: this.#hash("org", org), limit: limits.codesPerOrg },
    ]
    return this.#exclusively((database) => {
      database.prepare("DELETE FROM codes WHERE at <= ?").run(at - HOUR_MS)
      const count = database.prepare("SELECT COUNT(*) AS made FROM codes WHERE name = ?")
      if (counted.some(({ name, limit }) => Number(count.get(name)?.["made"]) >= limit)) return false
      const insert = database.prepare("INSERT INTO codes (name, at) VALUES (?, ?)")
      for (const { name } of counted) insert.run(name, at)
      return true
    })
  }

  close(): void {
    this.#opened?.close()
    this.#opened = undefined
  }

  #hash(kind: string, value: string): string {
    return createHmac("sha256", this.#key).update(`code tally\0${kind}\0${value}`).digest("base64url")
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
