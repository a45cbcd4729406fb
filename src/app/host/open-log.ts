// Opens the log of a home, without the engine.
import { join } from "node:path"
import type { EventLog } from "../../log/event-log.ts"
import type { StoreCounters } from "../../log/postgres/log-database.ts"
import type { SqliteLog } from "../../log/sqlite/sqlite-log.ts"
import { openLogWithWriter } from "../../log-writer/client.ts"
import { headKey } from "../../secrets/home-key.ts"
import { homeKey } from "../../secrets/home-key.ts"
import { KeyFileFault } from "../../secrets/key-file.ts"
import { accepted } from "../app-fault.ts"
import { clusterOf, type ClusterPlace } from "../cluster/cluster.ts"
import { loadContextLeniently, type AppContext } from "../context.ts"
import { printNotice } from "../terminal.ts"

/** For commands that read or change the log itself. They work despite an error in a configuration file. */
export async function withLog<Value>(use: (log: EventLog, home: string) => Promise<Value>): Promise<Value> {
  return withLogAndContext((log, { home }) => use(log, home))
}

export async function withLogAndContext<Value>(
  use: (log: EventLog, context: AppContext) => Promise<Value>,
): Promise<Value> {
  const context = await loadContextLeniently()
  const log = await openLog(context)
  try {
    return await use(log, context)
  } finally {
    await log.close()
  }
}

export interface OpenLogOptions {
  readonly onKeyFault?: (message: string) => void
  /** Of PostgreSQL. */
  readonly counters?: StoreCounters
}

/** In SQLite in the home, or in PostgreSQL. */
export async function openLog(place: ClusterPlace, options: OpenLogOptions = {}): Promise<EventLog> {
  const cluster = clusterOf(place)
  if (cluster === undefined) return openHomeLog(place.home, options.onKeyFault)
  const { openClusterLog } = await import("../cluster/cluster-log.ts")
  return openClusterLog(cluster, place.home, options.counters)
}

/** The log in SQLite. */
export function openHomeLog(home: string, onKeyFault: (message: string) => void = warn): SqliteLog {
  const headKeyOrNone = headKeyOf(home, onKeyFault)
  return accepted(openLogWithWriter({ path: join(home, "turnhouse.db"), headKey: headKeyOrNone, warn })).value
}

/** Commands that only read sessions work without the key; heads are then not compared. */
export function headKeyOf(home: string, onKeyFault: (message: string) => void = warn): Uint8Array | undefined {
  try {
    return headKey(homeKey(home))
  } catch (fault) {
    if (!(fault instanceof KeyFileFault)) throw fault
    onKeyFault(fault.message)
    return undefined
  }
}

function warn(message: string): void {
  printNotice(`turnhouse: ${message}`)
}
