// A connection that can only read, for every process but the writer. It holds no lock that another process waits for:
// the shared memory of the write-ahead log is opened read-only too, so a reader never recovers a log, never makes a
// checkpoint and never takes an exclusive lock, wherever it is frozen. Without a running writer SQLite builds a private
// index of the write-ahead log instead.
import { closeSync, existsSync, fchmodSync, openSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import type { Database } from "./connection.ts"
import { isCannotOpen, LogNeedsWriter } from "./faults.ts"
import { createSchema, schemaVersion, versionOf } from "./schema.ts"

export interface OpenedForReading {
  readonly database: Database
  /** Nothing is stored yet: an empty database in memory stands in until there is a file. */
  readonly isPlaceholder: boolean
}

/** How long a reader waits for the writer to finish a step; SQLite lets readers and the writer work side by side. */
const busyMs = 1000

/** A writer that ends at this moment removes the files beside the database; then they are made anew. */
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
    database.close() // the writer is about to make the tables
    return { database: openEmpty(), isPlaceholder: true }
  } catch (error) {
    if (database.isOpen) database.close()
    throw error
  }
}

/** For any database in WAL mode that this process only reads. */
export function openReadOnly(path: string): DatabaseSync {
  makeSharedMemory(path)
  const url = pathToFileURL(path)
  url.searchParams.set("readonly_shm", "1")
  return new DatabaseSync(url, { readOnly: true, timeout: busyMs })
}

/**
 * SQLite cannot make this file when it opens it read-only; an empty one means that no writer runs. A file that is there
 * must not be opened here: closing it would release the locks that other connections of this process hold on it.
 */
function makeSharedMemory(path: string): void {
  const sharedMemory = `${path}-shm`
  if (existsSync(sharedMemory)) return
  const { mode } = statSync(path)
  try {
    const descriptor = openSync(sharedMemory, "wx", 0o600)
    fchmodSync(descriptor, mode & 0o777) // whatever the umask took away
    closeSync(descriptor)
  } catch (error) {
    if (!existsSync(sharedMemory)) throw error // else another process has just made it
  }
}

export function openEmpty(): DatabaseSync {
  const database = new DatabaseSync(":memory:")
  createSchema(database)
  return database
}
