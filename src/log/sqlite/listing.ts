// The list of sessions, and who is alive to own them. A row that cannot be read is left out here; `inspect` names it.
import type { JsonValue } from "../../contract/values.ts"
import type { SessionRow } from "../event-log.ts"
import type { HostRow } from "../fence.ts"
import { newestFirst } from "../newest-first.ts"
import type { Connection } from "./connection.ts"
import { readDirectory } from "./directory.ts"
import { damageOrThrow } from "./faults.ts"
import { numberIn, numberOrNothingIn, sessionIdIn, textIn, type Row } from "./row.ts"

export async function list(connection: Connection, isAlive: (host: HostRow) => boolean): Promise<SessionRow[]> {
  const alive = new Map<number, HostRow>()
  for (const host of readHosts(connection)) if (isAlive(host)) alive.set(host.epoch, host)
  const rows: SessionRow[] = []
  for (const row of await readDirectory(connection)) {
    try {
      rows.push(sessionRow(row, alive))
    } catch (error) {
      damageOrThrow(error)
    }
  }
  return rows.toSorted(newestFirst)
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

function readHosts(connection: Connection): readonly HostRow[] {
  try {
    return connection.sql("select * from hosts").all().map(hostRow)
  } catch (error) {
    damageOrThrow(error)
    return []
  }
}

function sessionRow(row: Row, alive: ReadonlyMap<number, HostRow>): SessionRow {
  const owner = alive.get(numberOrNothingIn(row, "owner_epoch") ?? -1)
  return {
    sessionId: sessionIdIn(row),
    createdAt: numberIn(row, "created_at"),
    updatedAt: numberIn(row, "updated_at"),
    seq: numberIn(row, "seq"),
    owner: owner && { hostId: owner.hostId, role: owner.role, pid: owner.pid },
    summary: summaryIn(row),
  }
}

/** A line for people; losing it does not make a session unlistable. */
function summaryIn(row: Row): JsonValue {
  try {
    const summary: JsonValue = JSON.parse(textIn(row, "summary"))
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
