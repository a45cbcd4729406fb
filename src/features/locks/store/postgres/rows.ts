// Rows of the lock tables in PostgreSQL as values, and back.
import { isObject } from "../../../../contract/json-object.ts"
import { booleanIn, numberIn, textIn, type Row } from "../../../../postgres/row.ts"
import { isLockKind } from "../../conflicts.ts"
import { lockId, type LockRow, type OwnDetails, type Renewed, type Waiter } from "../../lock-table.ts"
import type { OwnRow } from "../../table-change.ts"
import { processesIn, requestsIn } from "../stored-json.ts"

/** The whole table in one row, as of one moment. $1: the time, if it is not that of the server. */
export const selectTable = `
  select b.fence, b.ticket, b.version,
         coalesce($1::bigint, (extract(epoch from clock_timestamp()) * 1000)::bigint) as now,
         coalesce((select json_agg(h order by h.fence) from turnhouse.lock_holds h), '[]') as holds,
         coalesce((select json_agg(w order by w.ticket) from turnhouse.lock_waiters w), '[]') as waiters,
         coalesce((select json_agg(l.fence) from turnhouse.lock_losses l), '[]') as losses
    from turnhouse.lock_book b`

const holdColumns = `fence, kind, scope, place, holder, node, description, status, is_durable, mark, processes, pid,
  start_time, boot_id, acquired_at, beat_now, beat_ticks`
const waiterColumns = `ticket, holder, requests, node, description, queued_at, pid, start_time, boot_id, beat_now,
  beat_ticks`

/** $1: an array of rows as JSON. */
export const insertHolds = insertInto("lock_holds", holdColumns)
export const insertWaiters = insertInto("lock_waiters", waiterColumns)

function insertInto(table: string, columns: string): string {
  const rows = `jsonb_populate_recordset(null::turnhouse.${table}, $1::text::jsonb)`
  return `insert into turnhouse.${table} (${columns}) select ${columns} from ${rows}`
}

export function holdValues(row: OwnRow): Row {
  const { kind, scope, place = "", holder, hostname, acquiredAt, ownDetails } = row
  const { fence, description, status, isDurable, holderProcesses } = ownDetails
  return {
    fence,
    kind,
    scope,
    place,
    holder,
    node: hostname,
    description: storable(description),
    status: storable(status),
    is_durable: isDurable,
    mark: holderProcesses.mark,
    processes: holderProcesses.processes,
    acquired_at: acquiredAt,
    ...renewedValues(ownDetails),
  }
}

export function waiterValues(waiter: Waiter, node: string): Row {
  const { ticket, holder, requests, description, queuedAt } = waiter
  const shown = { description: storable(description), queued_at: queuedAt }
  return { ticket, holder, requests, node, ...shown, ...renewedValues(waiter) }
}

/** PostgreSQL stores no NUL in a text. */
export function storable(text: string): string {
  return text.replaceAll("\0", "\u{FFFD}")
}

/** Rows of a kind that a newer release may have added are ignored. */
export function lockRows(stored: unknown): readonly OwnRow[] {
  return rowsOf(stored).flatMap((row) => lockRow(row) ?? [])
}

export function waiterRows(stored: unknown): readonly Waiter[] {
  return rowsOf(stored).map((row) => ({
    ticket: numberIn(row, "ticket"),
    holder: textIn(row, "holder"),
    requests: requestsIn(row["requests"]),
    description: textIn(row, "description"),
    hostname: textIn(row, "node"),
    queuedAt: numberIn(row, "queued_at"),
    ...renewed(row),
  }))
}

export function numbersOf(stored: unknown): readonly number[] {
  return Array.isArray(stored) ? stored.filter((value): value is number => typeof value === "number") : []
}

function lockRow(row: Row): OwnRow | undefined {
  const kind = textIn(row, "kind")
  if (!isLockKind(kind)) return undefined
  const request = { kind, scope: textIn(row, "scope"), place: textIn(row, "place") }
  const common: Omit<LockRow, "ownDetails"> = {
    ...request,
    id: lockId(request),
    holder: textIn(row, "holder"),
    pid: numberIn(row, "pid"),
    hostname: textIn(row, "node"),
    acquiredAt: numberIn(row, "acquired_at"),
    expiresAt: undefined,
  }
  return { ...common, ownDetails: details(row) }
}

function details(row: Row): OwnDetails {
  return {
    fence: numberIn(row, "fence"),
    description: textIn(row, "description"),
    status: textIn(row, "status"),
    isDurable: booleanIn(row, "is_durable"),
    holderProcesses: { mark: textIn(row, "mark"), processes: processesIn(row["processes"]) },
    ...renewed(row),
  }
}

function renewed(row: Row): Renewed {
  return {
    process: { pid: numberIn(row, "pid"), startTime: textIn(row, "start_time"), bootId: textIn(row, "boot_id") },
    heartbeat: { now: numberIn(row, "beat_now"), ticks: numberIn(row, "beat_ticks") },
  }
}

function renewedValues({ process, heartbeat }: Renewed): Row {
  const { pid, startTime, bootId } = process
  return { pid, start_time: startTime, boot_id: bootId, beat_now: heartbeat.now, beat_ticks: heartbeat.ticks }
}

function rowsOf(stored: unknown): readonly Row[] {
  return Array.isArray(stored) ? stored.filter(isObject) : []
}
