// Hosts, their leases, and which host owns a session. Time is that of the server, so that the clocks of nodes do not matter.
// All writes can be repeated.
import type { SessionId } from "../../contract/ids.ts"
import { limits } from "../../contract/limits.ts"
import type { Queries } from "../../postgres/database.ts"
import { numberIn, numberOrNothingIn, textIn, textOrNothingIn, type Row } from "../../postgres/row.ts"
import { ok, refused, type HostIdentity, type Lease, type Outcome } from "../event-log.ts"
import { isHostAlive, unknownSession, type HostRow, type Liveness } from "../fence.ts"
import { LEFT_OPEN_EPOCH } from "./schema.ts"

/** Hosts whose lease expired this long ago are deleted. */
const FORGET_HOST_MS = 24 * 60 * 60 * 1000

/** While a host of this role is alive it is the only host of the database: what it copies must not change. */
export const MIGRATION_ROLE = "migrate"

/** Shared by registrations; exclusive for the one that must find no other host. */
export const registrations = "hashtext('turnhouse hosts')"

/** `now` in milliseconds: the given value in tests, else the clock of the server. */
export interface Clock {
  readonly sql: string
  readonly now: () => number | null
}

export function clockOf(now: (() => number) | undefined): Clock {
  const serverTime = "(extract(epoch from clock_timestamp()) * 1000)::bigint"
  return { sql: `coalesce($1::bigint, ${serverTime})`, now: () => now?.() ?? null }
}

export interface Judgement {
  readonly clock: Clock
  readonly isAlive: Liveness
}

export async function register(
  queries: Queries,
  { clock, isAlive }: Judgement,
  host: HostIdentity,
  manner: "the only one" | undefined,
): Promise<Outcome<Lease>> {
  const { hostId, role, pid, startTime, bootId, node } = host
  const name = node?.name ?? ""
  await queries.query(`select pg_advisory_xact_lock_shared(${registrations})`)
  await queries.query("select pg_advisory_xact_lock(hashtext($1))", [`turnhouse role ${role} of ${name}`])
  const rivals = await rivalsOf(queries, clock, host, manner)
  const living = rivals.find(({ row, now }) => isHostAlive(row, now, isAlive))?.row
  if (living !== undefined)
    return refused({ code: "host.exists", role: living.role, hostId: living.hostId, pid: living.pid })
  // A rival that was only suspended learns of it when it renews its lease.
  await queries.query("delete from turnhouse.hosts where epoch = any($1::bigint[])", [
    rivals.map(({ row }) => row.epoch),
  ])
  await queries.query(`delete from turnhouse.hosts where host_id = $2 or expires_at < ${clock.sql} - $3::bigint`, [
    clock.now(),
    hostId,
    FORGET_HOST_MS,
  ])
  const values = [hostId, role, pid, startTime, bootId, name, node?.labels ?? [], node?.release ?? ""]
  const [row] = await queries.query(
    `insert into turnhouse.hosts (expires_at, host_id, role, pid, start_time, boot_id, node, labels, release)
     values (${clock.sql} + $2::bigint, $3, $4, $5, $6, $7, $8, $9, $10) returning epoch`,
    [clock.now(), limits.leaseMs, ...values],
  )
  if (row === undefined) throw new Error("a host was not registered")
  return ok({ hostId, epoch: numberIn(row, "epoch") })
}

/** A migration, and for `the only one` other hosts of the same role on the same node. */
async function rivalsOf(
  queries: Queries,
  clock: Clock,
  { hostId, role, node }: HostIdentity,
  manner: "the only one" | undefined,
) {
  const rows = await queries.query(
    `select *, ${clock.sql} as now from turnhouse.hosts
       where host_id <> $4 and (role = $5 or (role = $2 and node = $3))`,
    [clock.now(), manner === undefined ? null : role, node?.name ?? "", hostId, MIGRATION_ROLE],
  )
  return rows.map((row) => ({ row: hostRow(row), now: numberIn(row, "now") }))
}

export async function changeRole(queries: Queries, lease: Lease, role: string): Promise<Outcome<void>> {
  await queries.query("update turnhouse.hosts set role = $2 where epoch = $1", [lease.epoch, role])
  return ok(undefined)
}

export async function renew(queries: Queries, clock: Clock, { epoch, hostId }: Lease): Promise<Outcome<boolean>> {
  const renewed = await queries.query(
    `update turnhouse.hosts set expires_at = ${clock.sql} + $2::bigint where epoch = $3 and host_id = $4 returning 1`,
    [clock.now(), limits.leaseMs, epoch, hostId],
  )
  return ok(renewed.length > 0)
}

export async function releaseHost(queries: Queries, { epoch }: Lease): Promise<Outcome<void>> {
  await queries.query("delete from turnhouse.hosts where epoch = $1", [epoch])
  // A session that was handed over and not opened here has unfinished work.
  await queries.query(
    `update turnhouse.sessions set owner_epoch = case when handed_over then $2::bigint end, handed_over = false
       where owner_epoch = $1`,
    [epoch, LEFT_OPEN_EPOCH],
  )
  return ok(undefined)
}

/** In a transaction: the rows of session and owner are locked, so that what is judged does not change. */
export async function claim(
  queries: Queries,
  { clock, isAlive }: Judgement,
  { epoch }: Lease,
  sessionId: SessionId,
): Promise<Outcome<void>> {
  const [session] = await queries.query(
    "select owner_epoch, handed_over, place from turnhouse.sessions where session_id = $1 for update",
    [sessionId],
  )
  if (session === undefined) return refused(unknownSession(sessionId))
  const [claimer] = await queries.query("select node, labels from turnhouse.hosts where epoch = $1", [epoch])
  if (claimer === undefined) return refused({ code: "log.fenced", sessionId })
  const owner = numberOrNothingIn(session, "owner_epoch")
  if (owner === epoch && session["handed_over"] === false) return ok(undefined)
  const place = textOrNothingIn(session, "place")
  if (place !== undefined && !canRun(claimer, place)) return refused({ code: "session.elsewhere", sessionId, place })
  const isOwn = owner === undefined || owner === epoch
  const refusal = isOwn ? undefined : await replaceOwner(queries, { clock, isAlive }, owner, sessionId)
  if (refusal !== undefined) return refusal
  await queries.query("update turnhouse.sessions set owner_epoch = $2, handed_over = false where session_id = $1", [
    sessionId,
    epoch,
  ])
  return ok(undefined)
}

/** A command that only changes the log has no node: it runs no tools, so places do not matter. */
export function canRun(claimer: Row, place: string): boolean {
  const labels = claimer["labels"]
  return textIn(claimer, "node") === "" || (Array.isArray(labels) && labels.includes(place))
}

/** A host that loses a session this way loses its whole lease and learns of it at the next renewal. */
export async function replaceOwner(
  queries: Queries,
  { clock, isAlive }: Judgement,
  epoch: number,
  sessionId: SessionId,
): Promise<Outcome<never> | undefined> {
  const [row] = await queries.query(`select *, ${clock.sql} as now from turnhouse.hosts where epoch = $2 for update`, [
    clock.now(),
    epoch,
  ])
  if (row === undefined) return undefined
  const host = hostRow(row)
  if (isHostAlive(host, numberIn(row, "now"), isAlive))
    return refused({ code: "session.owned", sessionId, owner: host.role, pid: host.pid })
  await queries.query("delete from turnhouse.hosts where epoch = $1", [epoch])
  return undefined
}

/** No error if the session is not owned any more. */
export async function release(
  queries: Queries,
  { epoch }: Lease,
  sessionId: SessionId,
  isLeftOpen: boolean,
): Promise<Outcome<void>> {
  await queries.query("update turnhouse.sessions set owner_epoch = $3 where session_id = $1 and owner_epoch = $2", [
    sessionId,
    epoch,
    isLeftOpen ? LEFT_OPEN_EPOCH : null,
  ])
  return ok(undefined)
}

export function hostRow(row: Row): HostRow {
  const labels = row["labels"]
  const name = textIn(row, "node")
  const named = {
    name,
    labels: Array.isArray(labels) ? labels.filter((label) => typeof label === "string") : [],
    release: textIn(row, "release"),
  }
  return {
    hostId: textIn(row, "host_id"),
    role: textIn(row, "role"),
    pid: numberIn(row, "pid"),
    startTime: textIn(row, "start_time"),
    bootId: textIn(row, "boot_id"),
    node: name === "" ? undefined : named,
    epoch: numberIn(row, "epoch"),
    expiresAt: numberIn(row, "expires_at"),
  }
}
