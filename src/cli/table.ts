// Columns of text. The header is dim on a terminal; in a pipe all is plain.
import { styled } from "../app/terminal.ts"

export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const [first = "", ...others] = columns([header, ...rows])
  return [styled("dim", first, process.stdout), ...others, ""].join("\n")
}

export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const most = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: most }, (_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  )
}
