// A lock of the operating system on a file of the home, through SQLite: it ends with its process, however that ends.
import { DatabaseSync } from "node:sqlite"
import { setTimeout } from "node:timers/promises"

export interface FileLock {
  close(): void
}

const pauseMs = 25

/** Undefined if others hold it for the whole time. The file is created; it stays. */
export async function lockFile(file: string, timeoutMs: number): Promise<FileLock | undefined> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const database = new DatabaseSync(file, { timeout: 0 })
    if (isTaken(database)) return database
    database.close()
    if (Date.now() > deadline) return undefined
    await setTimeout(pauseMs)
  }
}

function isTaken(database: DatabaseSync): boolean {
  try {
    database.exec("BEGIN EXCLUSIVE")
    return true
  } catch (fault) {
    if (fault instanceof Error && fault.message.includes("locked")) return false
    database.close()
    throw fault
  }
}
