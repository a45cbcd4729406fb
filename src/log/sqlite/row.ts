// Checked access to the columns of a row: a damaged file can contain anything.
import type { SQLOutputValue } from "node:sqlite"
import { BrokenRow } from "./faults.ts"

export type Row = Record<string, SQLOutputValue>

export function numberIn(row: Row, column: string): number {
  const value = row[column]
  if (typeof value !== "number") throw new BrokenRow(`its ${column} is not a number`)
  return value
}

export function textIn(row: Row, column: string): string {
  const value = row[column]
  if (typeof value !== "string") throw new BrokenRow(`its ${column} is not text`)
  return value
}

export function numberOrNothingIn(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : numberIn(row, column)
}

/** Rows of a misplaced page of another table do not have such ids. */
export function sessionIdIn(row: Row): string {
  const sessionId = textIn(row, "session_id")
  if (!/^[0-9a-f-]{36}$/.test(sessionId)) throw new BrokenRow("its session_id is invalid")
  return sessionId
}
