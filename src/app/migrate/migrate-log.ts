// Moves the log of a home between SQLite and PostgreSQL: opens both sides, keeps hosts out while sessions are copied, and says
// what to change in the configuration afterwards. The source is never changed.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { decodeEvent } from "../../contract/stored-event.ts"
import { holdWriterPlace } from "../../log-writer/hold.ts"
import type { LiveHost, StoredLine } from "../../log/event-log.ts"
import type { LogCopy } from "../../log/log-copy.ts"
import { MIGRATION_ROLE } from "../../log/postgres/ownership.ts"
import { lostLease, PostgresCopy } from "../../log/postgres/postgres-copy.ts"
import { thisHost } from "../../log/process-identity.ts"
import { SqliteCopy } from "../../log/sqlite/sqlite-copy.ts"
import { DatabaseFault } from "../../postgres/database-fault.ts"
import type { Database } from "../../postgres/database.ts"
import { accepted, AppFault, exitCodes } from "../app-fault.ts"
import { refuseOtherKeys } from "../cluster/cluster-log.ts"
import { placeOfSession, type Cluster } from "../cluster/cluster.ts"
import { headKeyOf } from "../host/open-log.ts"
import { printNotice } from "../terminal.ts"
import { copySessions, type CopyOptions, type CopyReport } from "./copy-sessions.ts"

export interface Migration extends Pick<CopyOptions, "isDryRun" | "onProgress" | "signal"> {
  readonly home: string
  readonly to: "postgres" | "sqlite"
  /** This home as a node; names the database. */
  readonly cluster: Cluster
}

export interface MigrationReport extends CopyReport {
  /** File, or host and database. */
  readonly from: string
  readonly to: string
  readonly dryRun: boolean
}

export async function migrateLog(migration: Migration): Promise<MigrationReport> {
  try {
    return await migrate(migration)
  } catch (fault) {
    if (fault instanceof DatabaseFault) throw new AppFault(fault.message, exitCodes.unreachable)
    throw fault
  }
}

async function migrate(migration: Migration): Promise<MigrationReport> {
  const { home, to, cluster, isDryRun } = migration
  const path = join(home, "turnhouse.db")
  if (to === "postgres" && !existsSync(path))
    throw new AppFault(`${path} does not exist: this home has no log in SQLite.`)
  await using opened = new AsyncDisposableStack()
  const database = opened.adopt(openPostgres(home, cluster, isDryRun), (copy) => copy.close())
  if (to === "sqlite" && !accepted(await database.exists()).value)
    throw new AppFault(`there is no log at ${database.name}. Check the address.`)
  const file = opened.adopt(openSqlite(home, path, isDryRun), (copy) => copy.close())
  const [source, target] = to === "postgres" ? [file, database] : [database, file]
  await hold([source, target])
  const placeOf = (first: StoredLine | undefined) => placeIn(cluster, first)
  const report = await copySessions(source, target, { ...migration, placeOf })
  for (const copy of [source, target])
    if (!accepted(await copy.isHeld()).value) throw new AppFault(lostLease(copy.name))
  return { from: source.name, to: target.name, dryRun: isDryRun, ...report }
}

function openPostgres(home: string, cluster: Cluster, readsOnly: boolean): PostgresCopy {
  const host = { ...thisHost(MIGRATION_ROLE), node: cluster.node }
  const prepare = (database: Database) => refuseOtherKeys(database, home)
  return new PostgresCopy({ url: cluster.databaseUrl, host, readsOnly, prepare })
}

function openSqlite(home: string, path: string, readsOnly: boolean): SqliteCopy {
  const why = `'turnhouse migrate' (pid ${process.pid}) is copying the sessions of ${home}. Wait until it ends.`
  const holdWriters = async () => (readsOnly && !existsSync(path) ? () => {} : holdWriterPlace(path, why))
  return new SqliteCopy({ path, holdWriters, readsOnly, headKey: headKeyOf(home), warn })
}

function warn(message: string): void {
  printNotice(`turnhouse: ${message}`)
}

async function hold(copies: readonly LogCopy[]): Promise<void> {
  const running: string[] = []
  for (const copy of copies) running.push(...accepted(await copy.hold()).value.map((host) => hostText(host, copy.name)))
  if (running.length === 0) return
  const advice =
    "Stop them ('turnhouse host --stop' stops the background host of a home; send SIGTERM to the others) and retry"
  throw new AppFault(`sessions are copied only while no host runs: ${running.join(", ")}. ${advice}.`)
}

function hostText({ role, pid, node }: LiveHost, log: string): string {
  return `${role} (pid ${pid}${node === undefined ? "" : ` on node ${node.name}`}) uses ${log}`
}

/** The same rule as for a new session. One whose first event cannot be read stays on this node. */
function placeIn(cluster: Cluster, first: StoredLine | undefined): string | undefined {
  const decoded = first === undefined ? undefined : decodeEvent(first.text)
  const event = decoded?.kind === "event" ? decoded.recorded.event : undefined
  if (event?.type !== "session.created") return cluster.node.name
  return event.place ?? placeOfSession(cluster, event)
}
