// The directory: one row per session with its number, the seq and hash of its newest event, and the epoch of its owner.
import { setImmediate } from "node:timers/promises"
import type { SessionHead } from "../fence.ts"
import type { Connection } from "./connection.ts"
import { damageOrThrow, unlessDamaged } from "./faults.ts"
import { numberIn, numberOrNothingIn, sessionIdIn, textIn, type Row } from "./row.ts"

export interface StoredHead extends SessionHead {
  readonly number: number
  readonly hash: string
}

export function headOf(connection: Connection, sessionId: string): StoredHead | undefined {
  const row = connection.sql("select number, seq, head, owner_epoch from sessions where session_id = ?").get(sessionId)
  if (row === undefined) return undefined
  return {
    number: numberIn(row, "number"),
    sessionId,
    seq: numberIn(row, "seq"),
    hash: textIn(row, "head"),
    ownerEpoch: numberOrNothingIn(row, "owner_epoch"),
  }
}

/** The session's row, undefined if there is none, or an error if the row is damaged. */
export function findHead(connection: Connection, sessionId: string): StoredHead | Error | undefined {
  try {
    return headOf(connection, sessionId)
  } catch (error) {
    return new Error(`its directory entry cannot be read (${damageOrThrow(error).message})`)
  }
}

const pageRows = 500

/** Without the summary, which is most of a row. */
export const briefColumns = "number, session_id, created_at, updated_at, seq, head, owner_epoch"

/** Every readable row: page by page, and after damage one by one. */
export async function readDirectory(connection: Connection, columns = "*"): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (;;) {
    const end = readRows(connection, columns, rows)
    if (end === "all") return rows
    if (end === "damage") return [...rows, ...(await readOneByOne(connection, columns, newestNumber(rows)))]
    await setImmediate()
  }
}

/** Ids of all sessions by number, from the directory's index, which is stored apart from the rows. */
export function readIndex(connection: Connection): ReadonlyMap<number, string> {
  const ids = new Map<number, string>()
  for (const direction of ["asc", "desc"]) {
    const byId = `select number, session_id from sessions indexed by sqlite_autoindex_sessions_1 order by session_id ${direction}`
    try {
      for (const row of connection.rows(byId)) ids.set(numberIn(row, "number"), sessionIdIn(row))
      return ids
    } catch (error) {
      damageOrThrow(error) // the other direction reaches the rows after the damage
    }
  }
  return ids
}

function readRows(connection: Connection, columns: string, into: Row[]): "all" | "more" | "damage" {
  const before = into.length
  try {
    const page = `select ${columns} from sessions where number > ? order by number limit ?`
    for (const row of connection.rows(page, newestNumber(into), pageRows)) {
      sessionIdIn(row)
      if (numberIn(row, "number") <= newestNumber(into)) return "damage" // a page of another table, or a cycle
      into.push(row)
    }
  } catch (error) {
    damageOrThrow(error)
    return "damage"
  }
  return into.length === before ? "all" : "more"
}

async function readOneByOne(connection: Connection, columns: string, after: number): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const number of readIndex(connection).keys()) {
    if (number <= after) continue
    const row = unlessDamaged(() => connection.sql(`select ${columns} from sessions where number = ?`).get(number))
    if (row !== undefined) rows.push(row)
    await setImmediate()
  }
  return rows
}

function newestNumber(rows: readonly Row[]): number {
  const last = rows.at(-1)
  return last === undefined ? 0 : numberIn(last, "number")
}
