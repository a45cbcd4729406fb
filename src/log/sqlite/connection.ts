// One connection to the database with its prepared statements, opened on first use. After a failure it is discarded: the
// next use opens the file again and sees what is stored.
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite"
import { LogUnavailable } from "./faults.ts"
import { preparePrivateFile } from "../files.ts"
import { ensureSchema } from "./schema.ts"
import { keepDamagedWal } from "./damage/wal-evidence.ts"

export type Database = Pick<DatabaseSync, "exec" | "prepare" | "close">

/** How long a process waits for the transaction of another one. */
export const busyMs = 5000

/** Reports damage in the write-ahead log before SQLite opens the file and drops what follows the damage. */
export function openDatabase(path: string, warn: (message: string) => void = () => {}): Database {
  preparePrivateFile(path)
  keepDamagedWal(path, warn)
  const database = new DatabaseSync(path, { timeout: busyMs })
  try {
    // fullfsync is for macOS, where fsync does not reach the disk. The write-ahead log is checkpointed when the writer is
    // idle (upkeep.ts); 1000 pages (4 MB) is the limit for a writer that never is.
    database.exec("pragma synchronous = full; pragma fullfsync = on; pragma wal_autocheckpoint = 1000")
    ensureSchema(database, path)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

export class Connection {
  #open: () => Database
  #database: Database | undefined
  readonly #statements = new Map<string, StatementSync>()

  constructor(open: () => Database) {
    this.#open = open
  }

  sql(text: string): StatementSync {
    const known = this.#statements.get(text)
    if (known !== undefined) return known
    const statement = this.#opened().prepare(text)
    this.#statements.set(text, statement)
    return statement
  }

  /** Row by row, for a result that may not be read to its end. */
  *rows(text: string, ...parameters: readonly SQLInputValue[]): Generator<Record<string, SQLOutputValue>> {
    try {
      yield* this.sql(text).iterate(...parameters)
    } catch (error) {
      this.#statements.delete(text) // it would report the same failure at its next use
      throw error
    }
  }

  exec(text: string): void {
    this.#opened().exec(text)
  }

  /** Several reads of one state. */
  atOnce<Value>(read: () => Value): Value {
    this.exec("begin")
    try {
      return read()
    } finally {
      this.#endRead()
    }
  }

  /** Closes the database; an open transaction is rolled back. */
  discard(): void {
    const database = this.#database
    this.#database = undefined
    this.#statements.clear()
    database?.close()
  }

  /** Every later use is refused. */
  close(): void {
    this.#open = () => {
      throw new LogUnavailable("the log is closed")
    }
    this.discard()
  }

  /** After a read of a damaged page SQLite reports the damage here again. Nothing was written, so nothing is lost. */
  #endRead(): void {
    try {
      this.exec("commit")
    } catch {
      this.discard()
    }
  }

  #opened(): Database {
    this.#database ??= this.#open()
    return this.#database
  }
}
