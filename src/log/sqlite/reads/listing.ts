// The list of sessions, and who is alive to own them. A row that cannot be read is left out here; `inspect` names it.
import { parseJson } from "../../../contract/json-object.ts"
import type { JsonValue } from "../../../contract/values.ts"
import type { ListFilter, LiveHost, SessionRow, VisitPlace } from "../../event-log.ts"
import type { HostRow } from "../../fence.ts"
import { isRunning } from "../../process-identity.ts"
import type { Connection } from "../connection.ts"
import { readDirectory } from "../directory.ts"
import { damageOrThrow } from "../faults.ts"
import { numberIn, numberOrNothingIn, sessionIdIn, textIn, type Row } from "../row.ts"

export async function list(connection: Connection, isAlive: (host: HostRow) => boolean): Promise<SessionRow[]> {
  const owners = ownersIn(connection, isAlive)
  const rows: SessionRow[] = []
  for (const row of await readDirectory(connection)) {
    try {
      rows.push(sessionRow(row, owners))
    } catch (error) {
      damageOrThrow(error)
    }
  }
  return rows.toSorted(newestFirst)
}

/** Those of one organisation, or of one of its people. A row that cannot be read is left out here as well. */
export function listOf(
  connection: Connection,
  { org, owner, limit = -1 }: ListFilter,
  isAlive: (host: HostRow) => boolean,
): SessionRow[] {
  const owners = ownersIn(connection, isAlive)
  const whose = owner === undefined ? "org = ?" : "org = ? and owner = ?"
  const newest = `select number from sessions where ${whose} order by updated_at desc, session_id desc limit ?`
  const numbers = connection.sql(newest).all(...(owner === undefined ? [org] : [org, owner]), limit)
  return numbers.flatMap((row) => {
    try {
      const whole = connection.sql("select * from sessions where number = ?").get(numberIn(row, "number"))
      return whole === undefined ? [] : [sessionRow(whole, owners)]
    } catch (error) {
      damageOrThrow(error)
      return []
    }
  })
}

/** Where a visit was opened; nothing where no such visit is. */
export function findVisit(connection: Connection, visitId: string): VisitPlace | undefined {
  const row = connection
    .sql("select s.session_id, v.seq from visits v join sessions s on s.number = v.session where v.visit_id = ?")
    .get(visitId)
  return row === undefined ? undefined : { sessionId: sessionIdIn(row), seq: numberIn(row, "seq") }
}

/** One line of the directory; nothing where no such session is. */
export function findRow(
  connection: Connection,
  sessionId: string,
  isAlive: (host: HostRow) => boolean,
): SessionRow | undefined {
  const row = connection.sql("select * from sessions where session_id = ?").get(sessionId)
  if (row === undefined) return undefined
  const host = ownerOf(connection, sessionId)?.host
  return sessionRow(row, hostsBy(host === undefined ? [] : [host], isAlive))
}

/** Sessions that somebody had open and nobody alive has. */
export function sessionsLeftOpen(connection: Connection, isAlive: (host: HostRow) => boolean): SessionRow[] {
  const owners = ownersIn(connection, isAlive)
  const owned = connection.sql("select number, owner_epoch from sessions where owner_epoch is not null").all()
  const left = owned.filter((row) => !owners.alive.has(numberIn(row, "owner_epoch")))
  const rows = left.flatMap((row) =>
    connection.sql("select * from sessions where number = ?").all(numberIn(row, "number")),
  )
  return rows.map((row) => sessionRow(row, owners)).toSorted((a, b) => a.updatedAt - b.updatedAt)
}

export function liveHosts(connection: Connection, isAlive: (host: HostRow) => boolean): readonly LiveHost[] {
  return readHosts(connection)
    .filter(isAlive)
    .map(({ hostId, role, pid }) => ({ hostId, role, pid }))
}

/** The hosts of a role; more than one where a host must not be alone in it. */
export function hostsOf(connection: Connection, role: string): readonly HostRow[] {
  return readHosts(connection).filter((host) => host.role === role)
}

/** The session's owner, alive or not; `host` is missing when its lease was given back or taken. */
export function ownerOf(connection: Connection, sessionId: string): Owner | undefined {
  const row = connection
    .sql(
      "select s.owner_epoch, h.* from sessions s left join hosts h on h.epoch = s.owner_epoch where s.session_id = ?",
    )
    .get(sessionId)
  const epoch = row === undefined ? undefined : numberOrNothingIn(row, "owner_epoch")
  if (row === undefined || epoch === undefined) return undefined
  return { epoch, host: row["epoch"] === null ? undefined : hostRow(row) }
}

export interface Owner {
  readonly epoch: number
  readonly host: HostRow | undefined
}

/** By epoch: hosts that hold their lease, and hosts that have let it run out but still run. */
interface Owners {
  readonly alive: ReadonlyMap<number, HostRow>
  readonly lapsed: ReadonlyMap<number, HostRow>
}

function ownersIn(connection: Connection, isAlive: (host: HostRow) => boolean): Owners {
  return hostsBy(readHosts(connection), isAlive)
}

function hostsBy(hosts: readonly HostRow[], isAlive: (host: HostRow) => boolean): Owners {
  const alive = new Map<number, HostRow>()
  const lapsed = new Map<number, HostRow>()
  for (const host of hosts) {
    if (isAlive(host)) alive.set(host.epoch, host)
    else if (isRunning(host)) lapsed.set(host.epoch, host)
  }
  return { alive, lapsed }
}

function readHosts(connection: Connection): readonly HostRow[] {
  try {
    return connection.sql("select * from hosts").all().map(hostRow)
  } catch (error) {
    damageOrThrow(error)
    return []
  }
}

function sessionRow(row: Row, { alive, lapsed }: Owners): SessionRow {
  const epoch = numberOrNothingIn(row, "owner_epoch") ?? -1
  return {
    sessionId: sessionIdIn(row),
    createdAt: numberIn(row, "created_at"),
    updatedAt: numberIn(row, "updated_at"),
    seq: numberIn(row, "seq"),
    owner: liveHost(alive.get(epoch)),
    lapsed: liveHost(lapsed.get(epoch)),
    summary: summaryIn(row),
  }
}

function liveHost(host: HostRow | undefined): LiveHost | undefined {
  return host && { hostId: host.hostId, role: host.role, pid: host.pid }
}

/** A line for people; losing it does not make a session unlistable. */
function summaryIn(row: Row): JsonValue {
  try {
    const summary = parseJson(textIn(row, "summary"))
    return summary
  } catch {
    return null
  }
}

function hostRow(row: Row): HostRow {
  return {
    hostId: textIn(row, "host_id"),
    role: textIn(row, "role"),
    pid: numberIn(row, "pid"),
    startTime: textIn(row, "start_time"),
    bootId: textIn(row, "boot_id"),
    epoch: numberIn(row, "epoch"),
    expiresAt: numberIn(row, "expires_at"),
  }
}

function newestFirst(one: SessionRow, other: SessionRow): number {
  return other.updatedAt - one.updatedAt || (one.sessionId < other.sessionId ? 1 : -1)
}
