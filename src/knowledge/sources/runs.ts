// The history of runs: each reads a source once. A run is stored when it begins, so that no second process reads the same
// source, and a run whose process is gone is known to be interrupted.
import type { DatabaseSync, SQLOutputValue } from "node:sqlite"
import { inTransaction } from "../index/sql.ts"
import { nextRunAt } from "./schedule.ts"
import type { RegisteredSource } from "./registry.ts"

export const runOutcomes = ["running", "done", "partial", "failed", "interrupted"] as const
/** `partial`: some documents failed, or a limit ended it; `interrupted`: by the user or the end of its process. */
export type RunOutcome = (typeof runOutcomes)[number]

export interface RunCounts {
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  readonly removed: number
  readonly failed: number
}

export interface Run extends RunCounts {
  readonly id: number
  readonly source: number
  readonly startedAt: number
  readonly endedAt: number | undefined
  readonly outcome: RunOutcome
  /** Why it failed or ended early. */
  readonly note: string | undefined
}

export interface RunProblem {
  readonly name: string
  readonly reason: string
}

export interface RunEnd {
  readonly outcome: Exclude<RunOutcome, "running">
  readonly counts: RunCounts
  readonly note: string | undefined
  readonly problems: readonly RunProblem[]
  readonly at: number
}

/** Tells this process from others. */
export interface ProcessMark {
  readonly own: string
  /** Whether the process of a mark, which was last known to work at that time, may still be working. */
  readonly isAlive: (mark: string, seenAt: number) => boolean
}

/** Another process reads the source now. */
export class SourceBusy extends Error {
  override readonly name = "SourceBusy"
}

/** Runs that are kept for each source. */
const KEPT_RUNS = 50
/** Problems that are kept for each run; all are counted. */
export const MAX_PROBLEMS = 200

/** Throws SourceBusy. */
export function startRun(database: DatabaseSync, source: number, process: ProcessMark, at: number): number {
  let id = 0
  inTransaction(database, () => {
    settleDeadRuns(database, process, at)
    const other = database.prepare("select * from source_runs where source = ? and ended_at is null").get(source)
    if (other !== undefined)
      throw new SourceBusy(
        `it is being read since ${new Date(Number(other["started_at"])).toISOString()} by another process`,
      )
    const { lastInsertRowid } = database
      .prepare("insert into source_runs (source, started_at, seen_at, outcome, process) values (?, ?, ?, 'running', ?)")
      .run(source, at, at, process.own)
    id = Number(lastInsertRowid)
    // A run that kills its process is not repeated at once.
    database.prepare("update sources set next_run_at = ? + every_ms where id = ?").run(at, source)
    database
      .prepare(
        `delete from source_runs where source = ? and id not in
         (select id from source_runs where source = ? order by id desc limit ${KEPT_RUNS})`,
      )
      .run(source, source)
  })
  return id
}

/** Whether a process reads any source now. */
export function isAnyRunning(database: DatabaseSync, process: ProcessMark): boolean {
  return openRuns(database).some((row) => isAlive(row, process))
}

/** Called often, so that a run of another machine is known to be alive. */
export function noteAlive(database: DatabaseSync, id: number, at: number): void {
  database.prepare("update source_runs set seen_at = ? where id = ?").run(at, id)
}

/** Also sets when a source with a schedule is read next. */
export function endRun(database: DatabaseSync, source: RegisteredSource, id: number, end: RunEnd): void {
  const { outcome, counts, note, problems, at } = end
  inTransaction(database, () => {
    database
      .prepare(
        `update source_runs set ended_at = ?, outcome = ?, added = ?, changed = ?, unchanged = ?, removed = ?, failed = ?,
         note = ? where id = ?`,
      )
      .run(at, outcome, counts.added, counts.changed, counts.unchanged, counts.removed, counts.failed, note ?? null, id)
    const insert = database.prepare("insert into source_problems (run, name, reason) values (?, ?, ?)")
    for (const { name, reason } of problems.slice(0, MAX_PROBLEMS)) insert.run(id, name, reason)
    const failures = outcome === "failed" ? source.failures + 1 : outcome === "interrupted" ? source.failures : 0
    database
      .prepare("update sources set failures = ?, next_run_at = ? where id = ?")
      .run(failures, nextOf(source, outcome, failures, at) ?? null, source.id)
  })
}

/** What was interrupted continues as soon as a host can. */
function nextOf({ everyMs }: RegisteredSource, outcome: RunOutcome, failures: number, at: number): number | undefined {
  return outcome === "interrupted" && everyMs !== undefined ? at : nextRunAt(everyMs, failures, at)
}

/** Newest first. A run whose process is gone is shown as interrupted. */
export function listRuns(database: DatabaseSync, source: number, process: ProcessMark): readonly Run[] {
  const rows = database.prepare("select * from source_runs where source = ? order by id desc").all(source)
  return rows.map((row) => runOf(row, process))
}

export function lastRun(database: DatabaseSync, source: number, process: ProcessMark): Run | undefined {
  const row = database.prepare("select * from source_runs where source = ? order by id desc limit 1").get(source)
  return row === undefined ? undefined : runOf(row, process)
}

export function problemsOf(database: DatabaseSync, run: number): readonly RunProblem[] {
  const rows = database.prepare("select name, reason from source_problems where run = ? order by rowid").all(run)
  return rows.map((row) => ({ name: String(row["name"]), reason: String(row["reason"]) }))
}

const processEnded = "its process ended"

function isAlive(row: Record<string, SQLOutputValue>, process: ProcessMark): boolean {
  return process.isAlive(String(row["process"]), Number(row["seen_at"]))
}

function settleDeadRuns(database: DatabaseSync, process: ProcessMark, at: number): void {
  for (const row of openRuns(database)) {
    if (isAlive(row, process)) continue
    database
      .prepare("update source_runs set ended_at = ?, outcome = 'interrupted', note = ? where id = ?")
      .run(at, processEnded, Number(row["id"]))
  }
}

function openRuns(database: DatabaseSync): readonly Record<string, SQLOutputValue>[] {
  return database.prepare("select * from source_runs where ended_at is null").all()
}

function runOf(row: Record<string, SQLOutputValue>, process: ProcessMark): Run {
  const isDead = row["ended_at"] === null && !isAlive(row, process)
  const outcome = runOutcomes.find((one) => one === row["outcome"]) ?? "interrupted"
  const note = isDead ? processEnded : row["note"]
  return {
    id: Number(row["id"]),
    source: Number(row["source"]),
    startedAt: Number(row["started_at"]),
    endedAt: row["ended_at"] === null ? undefined : Number(row["ended_at"]),
    outcome: isDead ? "interrupted" : outcome,
    added: Number(row["added"]),
    changed: Number(row["changed"]),
    unchanged: Number(row["unchanged"]),
    removed: Number(row["removed"]),
    failed: Number(row["failed"]),
    note: typeof note === "string" ? note : undefined,
  }
}
