// Rows of the lock table as values. Rows of other programs with an unknown kind are ignored.
import type { SQLOutputValue } from "node:sqlite"
import { isLockKind } from "../../conflicts.ts"
import type { LockRow, OwnDetails, Renewed, Waiter } from "../../lock-table.ts"
import { processesIn, requestsIn } from "../stored-json.ts"

type Row = Readonly<Record<string, SQLOutputValue>>

export const selectLocks = `
  select l.lock_id, lock_type, resource_path, l.agent_id, process_id, l.acquired_at, expires_at, hostname,
         t.fence, description, status, start_time, boot_id, beat_now, beat_ticks, lasts, mark, processes
    from locks l left join turnhouse_locks t
      on t.lock_id = l.lock_id and t.agent_id = l.agent_id and t.acquired_at = l.acquired_at
    left join turnhouse_holds h on h.fence = t.fence
   order by l.acquired_at, t.fence, l.lock_id`

export const selectWaiting = `select * from turnhouse_waiting order by ticket`

export function lockRow(row: Row): LockRow | undefined {
  const kind = text(row, "lock_type")
  if (!isLockKind(kind)) return undefined
  return {
    id: text(row, "lock_id"),
    kind,
    scope: text(row, "resource_path"),
    holder: text(row, "agent_id"),
    pid: number(row, "process_id"),
    hostname: text(row, "hostname"),
    acquiredAt: number(row, "acquired_at"),
    expiresAt: row["expires_at"] === null ? undefined : number(row, "expires_at"),
    ownDetails: typeof row["fence"] === "number" ? details(row, row["fence"]) : undefined,
  }
}

export function waiterRow(row: Row): Waiter {
  return {
    ticket: number(row, "ticket"),
    holder: text(row, "agent_id"),
    requests: requestsIn(JSON.parse(text(row, "wants"))),
    description: text(row, "description"),
    queuedAt: number(row, "since"),
    ...renewed(row),
  }
}

function details(row: Row, fence: number): OwnDetails {
  return {
    fence,
    description: text(row, "description"),
    status: text(row, "status"),
    isDurable: row["lasts"] === 1,
    holderProcesses: { mark: text(row, "mark"), processes: processesIn(JSON.parse(text(row, "processes") || "[]")) },
    ...renewed(row),
  }
}

function renewed(row: Row): Renewed {
  return {
    process: { pid: number(row, "process_id"), startTime: text(row, "start_time"), bootId: text(row, "boot_id") },
    heartbeat: { now: number(row, "beat_now"), ticks: number(row, "beat_ticks") },
  }
}

function text(row: Row, name: string): string {
  const value = row[name]
  return typeof value === "string" ? value : ""
}

function number(row: Row, name: string): number {
  const value = row[name]
  return typeof value === "number" ? value : 0
}
