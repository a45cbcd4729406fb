// A sheet as text: a row with one cell is a line of text, the first row with several begins a table and is its header. After
// a line of text the next such row begins a new table.
import { ExtractFault, extractLimits, tooMuchText } from "../extract-limits.ts"
import { tableText, withoutEmptyColumns, type Row } from "../tables/table-text.ts"

export function sheetText(rows: readonly Row[]): string {
  let text = ""
  let table: Row[] = []
  let isAfterGap = true
  const endTable = () => {
    text += tableText(withHeader(withoutEmptyColumns(table)))
    table = []
  }
  for (const row of rows) {
    const filled = row.filter((cell) => cell.trim() !== "")
    if (filled.length === 0) isAfterGap = true
    else if (filled.length === 1 && (table.length === 0 || isAfterGap) && !isContinued(table, row)) {
      endTable()
      text += `${filled[0]?.trim()}\n\n`
    } else table.push(row)
    if (filled.length > 0) isAfterGap = false
    if (text.length > extractLimits.textLength) throw new ExtractFault(tooMuchText)
  }
  endTable()
  return text
}

/** A table of one column stays one. */
function isContinued(table: readonly Row[], row: Row): boolean {
  return table.length > 0 && row.findIndex((cell) => cell.trim() !== "") > 0
}

/** Rows of mere numbers have no header: the columns get their letters. */
function withHeader(rows: readonly Row[]): readonly Row[] {
  const [first] = rows
  if (first === undefined) return rows
  const numbers = first.filter((cell) => /^-?[\d.]+%?$/.test(cell)).length
  const isYears = first.every((cell) => cell === "" || !/^-?[\d.]+%?$/.test(cell) || /^(?:19|20)\d\d$/.test(cell))
  if (numbers * 2 <= first.length || isYears) return rows
  return [first.map((_, at) => `Column ${at + 1}`), ...rows]
}
