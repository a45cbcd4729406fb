// How many codes were made in the last hour: to one mailbox, in one visit, for one caller and for one organisation. One file that all hosts
// of a home share, so that neither a restart nor another conversation gives anybody more guesses. It holds no contact,
// only what is counted by, under the key of the home. Opened when the first code is made.
import { createHmac } from "node:crypto"
import { chmodSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { limits } from "../../../../contract/limits.ts"

export interface CodeCount {
  /** The mailbox or the telephone that gets it. */
  readonly mailbox: string
  /** Who asks for it, as far as that is known. */
  readonly caller?: string | undefined
  readonly visitId: string
  readonly org: string
}

const hour = 60 * 60 * 1000
/** Others hold the file for a moment at most, and the event loop waits meanwhile. */
const patienceMs = 250

export class CodeTally {
  readonly #path: string
  readonly #key: Uint8Array
  #opened: DatabaseSync | undefined

  constructor(path: string, key: Uint8Array) {
    this.#path = path
    this.#key = key
  }

  /** True where one more may be made; it is counted then. */
  take({ mailbox, visitId, org, caller }: CodeCount, at: number): boolean {
    const counted = [
      { name: this.#named("contact", mailbox), most: limits.codesPerContact },
      ...(caller === undefined ? [] : [{ name: this.#named("caller", caller), most: limits.codesPerCaller }]),
      { name: this.#named("visit", visitId), most: limits.codesPerVisit },
      { name: this.#named("org", org), most: limits.codesPerOrg },
    ]
    return this.#alone((database) => {
      database.prepare("DELETE FROM codes WHERE at <= ?").run(at - hour)
      const count = database.prepare("SELECT COUNT(*) AS made FROM codes WHERE name = ?")
      if (counted.some(({ name, most }) => Number(count.get(name)?.["made"]) >= most)) return false
      const insert = database.prepare("INSERT INTO codes (name, at) VALUES (?, ?)")
      for (const { name } of counted) insert.run(name, at)
      return true
    })
  }

  close(): void {
    this.#opened?.close()
    this.#opened = undefined
  }

  #named(kind: string, value: string): string {
    return createHmac("sha256", this.#key).update(`code tally\0${kind}\0${value}`).digest("base64url")
  }

  /** Two hosts never both see that there is room for one more. */
  #alone<Value>(work: (database: DatabaseSync) => Value): Value {
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
  const database = new DatabaseSync(path, { timeout: patienceMs })
  chmodSync(path, 0o600)
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL") // a power cut may cost the newest counts
  database.exec("CREATE TABLE IF NOT EXISTS codes (name TEXT NOT NULL, at INTEGER NOT NULL)")
  database.exec("CREATE INDEX IF NOT EXISTS codes_by_name ON codes (name)")
  return database
}
