// Checked access to the columns of a row.
export type Row = Readonly<Record<string, unknown>>

export function numberIn(row: Row, column: string): number {
  const value = row[column]
  if (typeof value !== "number") throw new Error(`PostgreSQL: ${column} is not a number`)
  return value
}

export function textIn(row: Row, column: string): string {
  const value = row[column]
  if (typeof value !== "string") throw new Error(`PostgreSQL: ${column} is not text`)
  return value
}

export function booleanIn(row: Row, column: string): boolean {
  const value = row[column]
  if (typeof value !== "boolean") throw new Error(`PostgreSQL: ${column} is not a boolean`)
  return value
}

/** Undefined for null. */
export function numberOrNothingIn(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : numberIn(row, column)
}

export function textOrNothingIn(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : textIn(row, column)
}
