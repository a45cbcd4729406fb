// The colours and attributes of a screen as text, to compare and to store.
import type { Cell } from "./emulator.ts"

/** `row:first-last styles` for each run of cells that are not plain. */
export function styledRuns(rows: readonly (readonly Cell[])[]): string {
  return rows.flatMap((cells, row) => runsOf(cells).map((run) => `${row}:${run}`)).join("\n")
}

function runsOf(cells: readonly Cell[]): readonly string[] {
  const runs: { first: number; last: number; style: string }[] = []
  for (const [column, cell] of cells.entries()) {
    const style = styleOf(cell)
    const last = runs.at(-1)
    if (last?.style === style) last.last = column
    else runs.push({ first: column, last: column, style })
  }
  return runs.filter(({ style }) => style !== "").map(({ first, last, style }) => `${first}-${last} ${style}`)
}

function styleOf(cell: Cell): string {
  const { foreground, background, isBold, isDim, isItalic, isUnderlined, isInverse, isStruck } = cell
  const attributes = {
    bold: isBold,
    dim: isDim,
    italic: isItalic,
    underline: isUnderlined,
    inverse: isInverse,
    struck: isStruck,
  }
  const set = Object.entries(attributes).flatMap(([name, isSet]) => (isSet ? [name] : []))
  return [foreground, background === undefined ? undefined : `on ${background}`, ...set]
    .filter((part) => part !== undefined)
    .join(" ")
}
