// The lock table in PostgreSQL: reads it, and writes changes in transactions that lock its only book row first, so that they
// are serialised over all nodes. The server ends a transaction whose node stands still in the middle of it.
import type { Queries } from "../../../../postgres/database.ts"
import { numberIn, type Row } from "../../../../postgres/row.ts"
import type { LockProcess, Moment } from "../../lock-table.ts"
import type { LockTable, OwnRow, TableChange } from "../../table-change.ts"
import type { LockPage } from "../lock-store.ts"
import {
  holdValues,
  insertHolds,
  insertWaiters,
  lockRows,
  numbersOf,
  selectTable,
  waiterRows,
  waiterValues,
} from "./rows.ts"

/** The table as of one moment. */
export interface StoredTable extends LockTable, LockPage {
  readonly rows: readonly OwnRow[]
  readonly version: number
}

const rememberedLost = 100
/** How long another transaction may have the table, and how long a node may stand still in its own. */
const limits = `
  select set_config('lock_timeout', '3s', true), set_config('idle_in_transaction_session_timeout', '2s', true)`

/** Until the end of the transaction. */
export async function lockTable(queries: Queries): Promise<void> {
  await Promise.all([queries.query(limits), queries.query("select 1 from turnhouse.lock_book for update")])
}

/** `now`: instead of the server's time. */
export async function readTable(queries: Queries, ticks: number, now: number | undefined): Promise<StoredTable> {
  const [row] = await queries.query(selectTable, [now ?? null])
  if (row === undefined) throw new Error("the lock table has no book row")
  const at: Moment = { now: numberIn(row, "now"), ticks }
  return {
    rows: lockRows(row["holds"]),
    waiting: waiterRows(row["waiters"]),
    lost: new Set(numbersOf(row["losses"])),
    lastFence: numberIn(row, "fence"),
    lastTicket: numberIn(row, "ticket"),
    version: numberIn(row, "version"),
    at,
  }
}

/** Returns the new version of the table. */
export async function writeChanges(
  queries: Queries,
  table: StoredTable,
  changes: readonly TableChange[],
  node: string,
): Promise<number> {
  if (changes.length === 0) return table.version
  const revoked = changes.flatMap((change) => (change.type === "revoke" ? (change.row.ownDetails?.fence ?? []) : []))
  const left = changes.flatMap((change) => (change.type === "leave" ? [change.ticket] : []))
  const queued = changes.flatMap((change) => (change.type === "queue" ? [change.waiter] : []))
  const granted = changes.flatMap((change) => (change.type === "grant" ? [change.row] : []))
  const durable = changes.flatMap((change) =>
    change.type === "use" && change.row.ownDetails.isDurable ? [change.row.ownDetails.fence] : [],
  )
  const lastFence = Math.max(table.lastFence, ...granted.map(({ ownDetails }) => ownDetails.fence))
  const lastTicket = Math.max(table.lastTicket, ...queued.map(({ ticket }) => ticket))
  const done = await Promise.all([
    nextVersion(queries, lastFence, lastTicket),
    ...(revoked.length === 0 ? [] : revoke(queries, revoked)),
    left.length === 0 ? undefined : queries.query(deleteWaiters, [left]),
    queued.length === 0
      ? undefined
      : insert(
          queries,
          insertWaiters,
          queued.map((waiter) => waiterValues(waiter, node)),
        ),
    granted.length === 0 ? undefined : insert(queries, insertHolds, granted.map(holdValues)),
    durable.length === 0 ? undefined : queries.query(makeDurable, [durable]),
  ])
  return done[0]
}

export async function leave(queries: Queries, ticket: number): Promise<void> {
  await Promise.all([queries.query(deleteWaiters, [[ticket]]), nextVersion(queries)])
}

/** $1: fencing numbers; $2 to $4: the process that has them. Numbers are given again only if a backup was restored. */
const areOwn = "fence = any($1::bigint[]) and pid = $2::bigint and start_time = $3 and boot_id = $4"

export async function heldFences(queries: Queries, self: LockProcess, fences: readonly number[]) {
  return fencesIn(await queries.query(`select fence from turnhouse.lock_holds where ${areOwn}`, own(self, fences)))
}

export async function deleteHolds(queries: Queries, self: LockProcess, fences: readonly number[]): Promise<void> {
  const sql = `delete from turnhouse.lock_holds where ${areOwn}`
  await Promise.all([queries.query(sql, own(self, fences)), nextVersion(queries)])
}

/** False if it is no longer this hold. */
export async function updateStatus(queries: Queries, self: LockProcess, fence: number, status: string) {
  const sql = `update turnhouse.lock_holds set status = $5 where ${areOwn} returning fence`
  const [updated] = await Promise.all([queries.query(sql, [...own(self, [fence]), status]), nextVersion(queries)])
  return updated.length > 0
}

/** `process`: as JSON. */
export async function addProcess(queries: Queries, self: LockProcess, fences: readonly number[], process: string) {
  const sql = `update turnhouse.lock_holds set processes = processes || $5::text::jsonb where ${areOwn}`
  await Promise.all([queries.query(sql, [...own(self, fences), process]), nextVersion(queries)])
}

export interface Renewal {
  readonly fences: readonly number[]
  readonly tickets: readonly number[]
  readonly ticks: number
  /** Instead of the server's time. */
  readonly now: number | undefined
}

/** The holds that still were there. */
export async function renewRows(queries: Queries, self: LockProcess, renewal: Renewal): Promise<ReadonlySet<number>> {
  const { fences, tickets, ticks, now } = renewal
  const holds = `update turnhouse.lock_holds ${setHeartbeat(5)} where ${areOwn} returning fence`
  const waiters = `update turnhouse.lock_waiters ${setHeartbeat(2)} where ticket = any($1::bigint[])`
  const [renewed] = await Promise.all([
    queries.query(holds, [...own(self, fences), ticks, now ?? null]),
    queries.query(waiters, [tickets, ticks, now ?? null]),
  ])
  return fencesIn(renewed)
}

/** `first`: of the parameters for the monotonic clock and the time, which is that of the server if it is null. */
function setHeartbeat(first: number): string {
  const now = `coalesce($${first + 1}::bigint, (extract(epoch from clock_timestamp()) * 1000)::bigint)`
  return `set beat_ticks = $${first}::bigint, beat_now = ${now}`
}

const deleteWaiters = "delete from turnhouse.lock_waiters where ticket = any($1::bigint[])"
const makeDurable = "update turnhouse.lock_holds set is_durable = true where fence = any($1::bigint[])"

function revoke(queries: Queries, fences: readonly number[]): readonly Promise<readonly Row[]>[] {
  return [
    queries.query("delete from turnhouse.lock_holds where fence = any($1::bigint[])", [fences]),
    queries.query("insert into turnhouse.lock_losses select unnest($1::bigint[]) on conflict do nothing", [fences]),
    queries.query(
      `delete from turnhouse.lock_losses
        where fence not in (select fence from turnhouse.lock_losses order by fence desc limit $1::bigint)`,
      [rememberedLost],
    ),
  ]
}

function insert(queries: Queries, sql: string, rows: readonly Row[]): Promise<readonly Row[]> {
  return queries.query(sql, [JSON.stringify(rows)])
}

async function nextVersion(queries: Queries, lastFence = 0, lastTicket = 0): Promise<number> {
  const sql = `update turnhouse.lock_book
    set version = version + 1, fence = greatest(fence, $1::bigint), ticket = greatest(ticket, $2::bigint)
    returning version`
  const [row] = await queries.query(sql, [lastFence, lastTicket])
  return numberIn(row ?? {}, "version")
}

function own({ pid, startTime, bootId }: LockProcess, fences: readonly number[]) {
  return [fences, pid, startTime, bootId]
}

function fencesIn(rows: readonly Row[]): ReadonlySet<number> {
  return new Set(rows.map((row) => numberIn(row, "fence")))
}
