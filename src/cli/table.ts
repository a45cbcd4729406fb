// Text columns, with a dim header on a terminal.
import { styled } from "../app/terminal.ts"

/** The columns of a table by their titles: how each shows an item. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => string>>

export function table<Item>(items: readonly Item[], shown: Columns<Item>): string {
  const cells = Object.values(shown)
  const [first = "", ...others] = columns([Object.keys(shown), ...items.map((item) => cells.map((cell) => cell(item)))])
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
