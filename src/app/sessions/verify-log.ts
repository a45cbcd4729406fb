// Verifies the log of a home: hash chains and, in SQLite, the heads of sessions that are recorded outside the database.
import type { SessionId } from "../../contract/ids.ts"
import type { Damage, EventLog } from "../../log/event-log.ts"
import { uncovered, type LogFinding } from "../../log/sqlite/damage/head-records.ts"
import { SqliteLog } from "../../log/sqlite/sqlite-log.ts"
import { accepted, AppFault, usageFault } from "../app-fault.ts"

export interface LogReport {
  readonly damage: readonly Damage[]
  readonly findings: readonly LogFinding[]
  /** Whether sessions were compared with the heads that are recorded outside of the log. */
  readonly comparedHeads: boolean
  readonly notCovered: string
}

const uncoveredInPostgres =
  "events that PostgreSQL itself lost, for example by restoring an older backup: a shorter chain is intact, too"

export async function verifyLog(log: EventLog): Promise<LogReport> {
  const { value: damage } = accepted(await log.inspect())
  if (!(log instanceof SqliteLog))
    return { damage, findings: [], comparedHeads: false, notCovered: uncoveredInPostgres }
  const { value: findings } = accepted(await log.findings())
  return { damage, findings, comparedHeads: true, notCovered: uncovered }
}

/** Continues a session, or `all`, without its missing acknowledged events. Returns what is missing. */
export async function acceptLoss(log: EventLog, idOrName: string): Promise<readonly Damage[]> {
  if (!(log instanceof SqliteLog))
    throw usageFault("--accept-loss: the log is in PostgreSQL, where no heads are recorded outside the database")
  const sessionId = idOrName === "all" ? undefined : await behindSession(log, idOrName)
  return accepted(await log.acceptLoss(sessionId)).value
}

async function behindSession(log: SqliteLog, idOrName: string): Promise<SessionId> {
  const ids = accepted(await log.behindHeads()).value.map(({ sessionId }) => sessionId)
  const [found, ...more] = ids.filter((id) => id.startsWith(idOrName.toLowerCase()))
  if (found !== undefined && more.length === 0) return found
  const many = `'${idOrName}' matches several damaged sessions. Give the full id, or 'all'.`
  const none = `no event is missing in session '${idOrName}'. 'turnhouse verify' lists damaged sessions.`
  throw new AppFault(found === undefined ? none : many)
}
