// Transactions and prepared statements of the index.
import type { DatabaseSync, StatementSync } from "node:sqlite"

export function inTransaction(database: DatabaseSync, write: () => void): void {
  database.exec("begin immediate")
  try {
    write()
    database.exec("commit")
  } catch (fault) {
    database.exec("rollback")
    throw fault
  }
}

/** Prepares each statement once. */
export function statementsOf(database: DatabaseSync): (sql: string) => StatementSync {
  const prepared = new Map<string, StatementSync>()
  return (sql) => {
    const known = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, known)
    return known
  }
}

/** SQLite's code for a lock that another process holds. */
const BUSY = 5

export function isBusy(fault: unknown): boolean {
  return fault instanceof Error && "errcode" in fault && fault.errcode === BUSY
}
