// For tests: a log with its writer process in a new folder.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { LogConditions } from "../log/event-log-contract.ts"
import { valueOf } from "../log/fixtures.ts"
import type { SqliteLog } from "../log/sqlite/sqlite-log.ts"
import { openLogWithWriter } from "./client.ts"
import { isAlive, pidIn, placeOf, readLink, type WriterPlace } from "./place.ts"

// One cache for all folders: otherwise every writer would start cold.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "turnhouse-test-compile-cache")

export interface LogWithWriter {
  readonly path: string
  readonly place: WriterPlace
  readonly log: SqliteLog
  readonly openAnother: () => SqliteLog
  /** Name of the running writer. */
  readonly writer: () => string
  readonly remove: () => Promise<void>
}

export function openFresh(conditions: Partial<LogConditions> = {}): LogWithWriter {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-log-writer-"))
  const path = join(folder, "turnhouse.db")
  const place = placeOf(path)
  const opened: SqliteLog[] = []
  const openAnother = () => {
    const log = valueOf(openLogWithWriter({ path, ...conditions }))
    opened.push(log)
    return log
  }
  const writer = () => {
    const name = readLink(place.current)
    if (name === undefined) throw new Error("no writer runs")
    return name
  }
  const remove = async () => {
    for (const log of opened) await log.close()
    end(place)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  return { path, place, log: openAnother(), openAnother, writer, remove }
}

function end(place: WriterPlace): void {
  const name = readLink(place.current)
  const isOther = name !== undefined && pidIn(name) !== process.pid
  if (isOther && isAlive(name)) process.kill(pidIn(name), "SIGKILL")
}
