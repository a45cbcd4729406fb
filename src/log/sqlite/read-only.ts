// A read-only connection, for every process but the writer. It holds no lock that another process waits for: the shared
// memory of the write-ahead log is opened read-only too, so that a reader, even a frozen one, never recovers a log, never
// makes a checkpoint and never holds an exclusive lock. Without a running writer SQLite builds a private index instead.
import { existsSync, fchmodSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { withFile } from "../files.ts"
import type { Database } from "./connection.ts"
import { isCannotOpen, LogNeedsWriter } from "./faults.ts"
import { createSchema, schemaVersion, versionOf } from "./schema.ts"

export interface OpenedForReading {
  readonly database: Database
  /** Nothing is stored yet: the database is an empty one in memory. */
  readonly isPlaceholder: boolean
}

/** Readers and the writer do not block each other, except for short steps of the writer. */
const busyMs = 1000

/** A writer that ends at the same moment removes the files beside the database; then opening is retried. */
const OPEN_ATTEMPTS = 20

export function openForReading(path: string, attempts = OPEN_ATTEMPTS): OpenedForReading {
  try {
    return open(path)
  } catch (error) {
    if (attempts <= 1 || !isCannotOpen(error)) throw error
    return openForReading(path, attempts - 1)
  }
}

function open(path: string): OpenedForReading {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0)
    return { database: openEmpty(), isPlaceholder: true }
  const database = openReadOnly(path)
  try {
    const version = versionOf(database, path)
    if (version === schemaVersion) return { database, isPlaceholder: false }
    if (version > 0) throw new LogNeedsWriter(`${path} has the older schema ${version} and must be migrated`)
    database.close() // the writer is about to create the tables
    return { database: openEmpty(), isPlaceholder: true }
  } catch (error) {
    if (database.isOpen) database.close()
    throw error
  }
}

/** For any database in WAL mode. */
export function openReadOnly(path: string): DatabaseSync {
  makeSharedMemory(path)
  const url = pathToFileURL(path)
  url.searchParams.set("readonly_shm", "1")
  return new DatabaseSync(url, { readOnly: true, timeout: busyMs })
}

/**
 * SQLite cannot create this file read-only; an empty one means that no writer runs. An existing file must not be opened
 * here: closing it would release the locks that other connections of this process hold on it.
 */
function makeSharedMemory(path: string): void {
  const sharedMemory = `${path}-shm`
  if (existsSync(sharedMemory)) return
  const { mode } = statSync(path)
  try {
    withFile(sharedMemory, "wx", (descriptor) => fchmodSync(descriptor, mode & 0o777)) // whatever the umask
  } catch (error) {
    if (!existsSync(sharedMemory)) throw error // otherwise another process has just created it
  }
}

export function openEmpty(): DatabaseSync {
  const database = new DatabaseSync(":memory:")
  createSchema(database)
  return database
}
