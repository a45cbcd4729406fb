// One connection to the database with its prepared statements, opened when it is first used. After a failure it is
// thrown away as a whole: the next use opens the file anew and sees what is really there.
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite"
import { LogUnavailable } from "./faults.ts"
import { preparePrivateFile } from "./files.ts"
import { ensureSchema } from "./schema.ts"
import { keepDamagedWal } from "./damage/wal-evidence.ts"

export type Database = Pick<DatabaseSync, "exec" | "prepare" | "close">

/** How long one process waits for another to finish its transaction. */
export const busyMs = 5000

/** Damage in the write-ahead log is reported before SQLite, which drops what lies behind it, opens the file. */
export function openDatabase(path: string, warn: (message: string) => void = () => {}): Database {
  preparePrivateFile(path)
  keepDamagedWal(path, warn)
  const database = new DatabaseSync(path, { timeout: busyMs })
  try {
    // fullfsync matters on macOS, where a plain fsync does not reach the disk. The write-ahead log is moved into the
    // database when the writer is idle (upkeep.ts); 1000 pages (4 MB) is the bound for a writer that never is.
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

  /** Row by row, for what need not be read to its end. */
  *rows(text: string, ...parameters: readonly SQLInputValue[]): Generator<Record<string, SQLOutputValue>> {
    try {
      yield* this.sql(text).iterate(...parameters)
    } catch (error) {
      this.#statements.delete(text) // it would tell the same failure again at its next use
      throw error
    }
  }

  exec(text: string): void {
    this.#opened().exec(text)
  }

  /** Several reads that see one and the same state. */
  atOnce<Value>(read: () => Value): Value {
    this.exec("begin")
    try {
      return read()
    } finally {
      this.#letGo()
    }
  }

  /** Closes it; a transaction that was open is rolled back. */
  discard(): void {
    const database = this.#database
    this.#database = undefined
    this.#statements.clear()
    database?.close()
  }

  /** For good: whoever uses it afterwards is refused. */
  close(): void {
    this.#open = () => {
      throw new LogUnavailable("the log is closed")
    }
    this.discard()
  }

  /** After a read of a damaged page SQLite reports that damage here again. Nothing was written, so nothing is lost. */
  #letGo(): void {
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
