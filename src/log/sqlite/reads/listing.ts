// The list of sessions and their owners. Unreadable rows are left out here; `inspect` reports them.
import type { JsonValue } from "../../../contract/values.ts"
import type { ListFilter, LiveHost, SessionRow, VisitPlace } from "../../event-log.ts"
import type { HostRow } from "../../fence.ts"
import { liveHost, newestFirst, ownersAmong, parsedSummary, type Owners } from "../../session-rows.ts"
import type { Connection } from "../connection.ts"
import { briefColumns, readDirectory } from "../directory.ts"
import { unlessDamaged } from "../faults.ts"
import { numberIn, numberOrNothingIn, sessionIdIn, textIn, type Row } from "../row.ts"

/** Summaries that were read, by the number of the session. The head of a session changes with everything that changes them. */
type Summaries = ReadonlyMap<number, { readonly head: string; readonly summary: JsonValue }>
const lastSummaries = new WeakMap<Connection, Summaries>()

/** Clients ask for the list every few seconds: only what has changed since is read and parsed. */
export async function list(connection: Connection, isAlive: (host: HostRow) => boolean): Promise<SessionRow[]> {
  const owners = ownersIn(connection, isAlive)
  const known = lastSummaries.get(connection)
  const rows = await readDirectory(connection, known === undefined ? undefined : briefColumns)
  const found = rows.flatMap((row) => unlessDamaged(() => withSummary(connection, row, known)) ?? [])
  lastSummaries.set(
    connection,
    new Map(found.map(({ row, head, summary }) => [numberIn(row, "number"), { head, summary }])),
  )
  return found
    .flatMap(({ row, summary }) => unlessDamaged(() => sessionRow(row, owners, summary)) ?? [])
    .toSorted(newestFirst)
}

function withSummary(connection: Connection, row: Row, known: Summaries | undefined) {
  const number = numberIn(row, "number")
  const head = textIn(row, "head")
  const last = known?.get(number)
  if (last?.head === head) return { row, head, summary: last.summary }
  if ("summary" in row) return { row, head, summary: summaryIn(row) }
  // The whole row is read again: it may have changed since.
  const whole = connection.sql("select * from sessions where number = ?").get(number)
  return whole && { row: whole, head: textIn(whole, "head"), summary: summaryIn(whole) }
}

/** The sessions of one organisation, or of one owner in it. */
export function listOf(
  connection: Connection,
  { org, owner, limit = -1 }: ListFilter,
  isAlive: (host: HostRow) => boolean,
): SessionRow[] {
  const owners = ownersIn(connection, isAlive)
  const ownerCondition = owner === undefined ? "org = ?" : "org = ? and owner = ?"
  const newest = `select number from sessions where ${ownerCondition} order by updated_at desc, session_id desc limit ?`
  const numbers = connection.sql(newest).all(...(owner === undefined ? [org] : [org, owner]), limit)
  const read = (row: Row) => {
    const whole = connection.sql("select * from sessions where number = ?").get(numberIn(row, "number"))
    return whole && sessionRow(whole, owners)
  }
  return numbers.flatMap((row) => unlessDamaged(() => read(row)) ?? [])
}

export function findVisit(connection: Connection, visitId: string): VisitPlace | undefined {
  const row = connection
    .sql("select s.session_id, v.seq from visits v join sessions s on s.number = v.session where v.visit_id = ?")
    .get(visitId)
  return row === undefined ? undefined : { sessionId: sessionIdIn(row), seq: numberIn(row, "seq") }
}

export function findRow(
  connection: Connection,
  sessionId: string,
  isAlive: (host: HostRow) => boolean,
): SessionRow | undefined {
  const row = connection.sql("select * from sessions where session_id = ?").get(sessionId)
  if (row === undefined) return undefined
  const host = ownerOf(connection, sessionId)?.host
  return sessionRow(row, ownersAmong(host === undefined ? [] : [host], isAlive))
}

/** Sessions that have an owner, but not a living one. */
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

export function hostsOf(connection: Connection, role: string): readonly HostRow[] {
  return readHosts(connection).filter((host) => host.role === role)
}

/** The session's owner, alive or not; without `host` if its lease was released or taken. */
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

function ownersIn(connection: Connection, isAlive: (host: HostRow) => boolean): Owners {
  return ownersAmong(readHosts(connection), isAlive)
}

function readHosts(connection: Connection): readonly HostRow[] {
  return unlessDamaged(() => connection.sql("select * from hosts").all().map(hostRow)) ?? []
}

function sessionRow(row: Row, { alive, lapsed }: Owners, summary = summaryIn(row)): SessionRow {
  const epoch = numberOrNothingIn(row, "owner_epoch") ?? -1
  return {
    sessionId: sessionIdIn(row),
    createdAt: numberIn(row, "created_at"),
    updatedAt: numberIn(row, "updated_at"),
    seq: numberIn(row, "seq"),
    owner: liveHost(alive.get(epoch)),
    lapsed: liveHost(lapsed.get(epoch)),
    summary,
  }
}

function summaryIn(row: Row): JsonValue {
  return parsedSummary(() => textIn(row, "summary"))
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
