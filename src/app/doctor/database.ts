// Checks the log: whether it opens, passes SQLite's quick check, and whether dead hosts left a turn open. Reads only;
// `turnhouse verify` checks the hash chains.
import { messageOf } from "../app-fault.ts"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import type { DatabaseSync, SQLOutputValue } from "node:sqlite"
import { isAlive } from "../../log/process-identity.ts"
import { Connection } from "../../log/sqlite/connection.ts"
import { findingsOf, HeadRecords, uncovered } from "../../log/sqlite/damage/head-records.ts"
import { openReadOnly } from "../../log/sqlite/read-only.ts"
import { newer, schemaVersion } from "../../log/sqlite/schema.ts"
import { keepDamagedWal } from "../../log/sqlite/damage/wal-evidence.ts"
import { activityOf, readStatus } from "../../projection/status.ts"
import { headKey, homeKey, homeKeyFile } from "../../secrets/home-key.ts"
import { type Check, type Finding, ok, problem, warning } from "./finding.ts"
import { formatBytes } from "./machine.ts"

type Row = Record<string, SQLOutputValue>

/** Above this size the quick check takes too long. */
const checkedBytes = 256 * 1024 ** 2
const leftHosts =
  "select h.host_id, h.role, h.pid, h.start_time, h.boot_id, s.session_id, s.summary from hosts h left join sessions s on s.owner_epoch = h.epoch"

export function databaseChecks(home: string): readonly Check[] {
  const path = join(home, "turnhouse.db")
  return [
    {
      subject: "log",
      look: async () => (existsSync(path) ? checkDatabase(path, home) : [ok("log", "empty")]),
    },
  ]
}

function checkDatabase(path: string, home: string): readonly Finding[] {
  try {
    keepDamagedWal(path, () => {}) // the copy is reported as a finding
    const database = openReadOnly(path)
    try {
      return [quickCheck(database, path), ...heads(database, path, home), ...leftBehind(database)]
    } finally {
      database.close()
    }
  } catch (fault) {
    const reason = messageOf(fault)
    return [problem("log", `${path}: ${reason}`, "restore a backup; 'turnhouse verify' shows what is readable")]
  }
}

function quickCheck(database: DatabaseSync, path: string): Finding {
  const version = numberOf(database.prepare("pragma user_version").get()?.["user_version"])
  if (version > schemaVersion) return problem("log", newer(path, version), "upgrade Turnhouse")
  const bytes = statSync(path).size
  const sessions = numberOf(database.prepare("select count(*) as count from sessions").get()?.["count"])
  const size = `${sessions} sessions, ${formatBytes(bytes)}`
  if (bytes > checkedBytes)
    return ok("log", `${size}; too large for a quick check; 'turnhouse verify' checks all of it`)
  const [checkResult] = database.prepare("pragma quick_check(1)").all()
  const result = checkResult?.["quick_check"]
  if (result === "ok") return ok("log", `${size}, quick check passed`)
  return problem("log", `${path} is damaged: ${String(result)}`, "run 'turnhouse verify', then restore a backup")
}

/** Compares every session with its head, which is stored outside of the database. */
function heads(database: DatabaseSync, path: string, home: string): readonly Finding[] {
  if (numberOf(database.prepare("pragma user_version").get()?.["user_version"]) !== schemaVersion) return []
  const connection = new Connection(() => database)
  const records = existsSync(homeKeyFile(home)) ? new HeadRecords(path, headKey(homeKey(home))) : undefined
  const missing = (records?.missing(connection) ?? []).map(({ sessionId, seq, what }) =>
    problem(
      "heads",
      `session ${sessionId} is damaged at event ${seq}: ${what}`,
      `restore a backup, or continue without the lost events: 'turnhouse verify --accept-loss ${sessionId}'`,
    ),
  )
  const others = findingsOf(connection, path, records).map(({ what, remedy }) => problem("heads", what, remedy))
  if (missing.length + others.length > 0) return [...missing, ...others]
  return [ok("heads", `no acknowledged event is missing; not covered: ${uncovered}`)]
}

function leftBehind(database: DatabaseSync): readonly Finding[] {
  const dead = database
    .prepare(leftHosts)
    .all()
    .filter((row) => !isAlive(hostOf(row)))
  const open = dead.filter(hasOpenTurn)
  const hosts = new Set(dead.map((row) => row["host_id"])).size
  if (hosts === 0) return [ok("hosts", "no dead host left anything behind")]
  if (open.length === 0) return [ok("hosts", `${hosts} died without an open turn`)]
  return open.map((row) => {
    const what = `${textOf(row["role"])} (pid ${numberOf(row["pid"])}) died and left a turn open`
    return warning("hosts", what, `continue it with 'turnhouse run --session ${textOf(row["session_id"])}'`)
  })
}

function hostOf(row: Row) {
  return {
    hostId: textOf(row["host_id"]),
    role: textOf(row["role"]),
    pid: numberOf(row["pid"]),
    startTime: textOf(row["start_time"]),
    bootId: textOf(row["boot_id"]),
  }
}

function hasOpenTurn(row: Row): boolean {
  const summary: unknown = JSON.parse(textOf(row["summary"]) || "null")
  const status = readStatus(summary)
  return status !== undefined && activityOf(status) !== "idle"
}

function textOf(value: SQLOutputValue | undefined): string {
  return typeof value === "string" ? value : ""
}

function numberOf(value: SQLOutputValue | undefined): number {
  return typeof value === "number" ? value : 0
}
