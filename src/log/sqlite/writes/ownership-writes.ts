// Writes of hosts and of session owners. The caller has judged whether an owner is alive; here it is only checked that
// nothing has changed since. All of them are idempotent.
import { unknownSession } from "../../fence.ts"
import { refused } from "../../event-log.ts"
import type { Connection } from "../connection.ts"
import { headOf } from "../directory.ts"
import { numberIn, type Row } from "../row.ts"
import type { ClaimRequest, DeadHost, RequestOf, WriteAnswer } from "./write-request.ts"

/** Epoch of no host: the owner of a session that was left open. */
const LEFT_OPEN_EPOCH = 0

export function register(connection: Connection, request: RequestOf<"register">): WriteAnswer {
  const { host, expiresAt, forgetBefore, deadRivals } = request
  if (deadRivals !== undefined && hasRival(connection, host, deadRivals)) return { kind: "owner-changed" }
  // A rival that was only suspended learns of it when it renews its lease.
  for (const { epoch } of deadRivals ?? []) connection.sql("delete from hosts where epoch = ?").run(epoch)
  connection.sql("delete from hosts where host_id = ? or expires_at < ?").run(host.hostId, forgetBefore)
  const { lastInsertRowid } = connection
    .sql("insert into hosts (host_id, role, pid, start_time, boot_id, expires_at) values (?, ?, ?, ?, ?, ?)")
    .run(host.hostId, host.role, host.pid, host.startTime, host.bootId, expiresAt)
  return { kind: "registered", epoch: Number(lastInsertRowid) }
}

/** The host itself is no rival: its registration may be repeated after a commit of unknown outcome. */
function hasRival(
  connection: Connection,
  { hostId, role }: RequestOf<"register">["host"],
  dead: readonly DeadHost[],
): boolean {
  const rivals = connection.sql("select epoch, expires_at from hosts where role = ? and host_id <> ?").all(role, hostId)
  const isDead = (row: Row) =>
    dead.some(({ epoch, expiresAt }) => epoch === numberIn(row, "epoch") && expiresAt === numberIn(row, "expires_at"))
  return rivals.some((row) => !isDead(row))
}

export function changeRole(connection: Connection, { lease, role }: RequestOf<"change-role">): WriteAnswer {
  connection.sql("update hosts set role = ? where epoch = ?").run(role, lease.epoch)
  return done
}

export function renew(connection: Connection, { lease, expiresAt }: RequestOf<"renew">): WriteAnswer {
  const { changes } = connection
    .sql("update hosts set expires_at = ? where epoch = ? and host_id = ?")
    .run(expiresAt, lease.epoch, lease.hostId)
  return { kind: "lease", held: Number(changes) > 0 }
}

export function releaseHost(connection: Connection, { lease }: RequestOf<"release-host">): WriteAnswer {
  connection.sql("delete from hosts where epoch = ?").run(lease.epoch)
  connection.sql("update sessions set owner_epoch = null where owner_epoch = ?").run(lease.epoch)
  return done
}

/** A host that loses a session this way loses its whole lease and learns of it at the next renewal. */
export function claim(connection: Connection, { sessionId, epoch, replaces }: ClaimRequest): WriteAnswer {
  const head = headOf(connection, sessionId)
  if (head === undefined) return refused(unknownSession(sessionId))
  if (!isRegistered(connection, epoch)) return refused({ code: "log.fenced", sessionId })
  if (head.ownerEpoch === epoch) return done
  if (head.ownerEpoch !== replaces?.epoch) return { kind: "owner-changed" }
  if (replaces !== undefined) {
    if (expiryOf(connection, replaces.epoch) !== replaces.expiresAt) return { kind: "owner-changed" }
    connection.sql("delete from hosts where epoch = ?").run(replaces.epoch)
  }
  connection.sql("update sessions set owner_epoch = ? where number = ?").run(epoch, head.number)
  return done
}

/** No error if the session is not owned any more. */
export function release(connection: Connection, request: RequestOf<"release">): WriteAnswer {
  const { sessionId, epoch, leftOpen } = request
  connection
    .sql("update sessions set owner_epoch = ? where session_id = ? and owner_epoch = ?")
    .run(leftOpen ? LEFT_OPEN_EPOCH : null, sessionId, epoch)
  return done
}

export function isRegistered(connection: Connection, epoch: number): boolean {
  return expiryOf(connection, epoch) !== undefined
}

function expiryOf(connection: Connection, epoch: number): number | undefined {
  const row = connection.sql("select expires_at from hosts where epoch = ?").get(epoch)
  return row === undefined ? undefined : numberIn(row, "expires_at")
}

export const done: WriteAnswer = { kind: "done" }
