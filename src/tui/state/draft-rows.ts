// The draft as rows of the input box, and the cursor among them. Rows are broken where the box ends.
import { safe } from "../../display/safe-text.ts"
import { columnsOf } from "../../display/spans.ts"
import type { Draft } from "./draft.ts"

export interface DraftRow {
  /** Where it begins and ends in the text. */
  readonly from: number
  readonly to: number
  readonly text: string
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })

export function draftRows(text: string, width: number): readonly DraftRow[] {
  const rows: DraftRow[] = []
  let start = 0
  for (const line of text.split("\n")) {
    rows.push(...brokenLine(line, start, Math.max(2, width)))
    start += line.length + 1
  }
  return rows
}

function brokenLine(line: string, start: number, width: number): readonly DraftRow[] {
  const rows: DraftRow[] = []
  let row = { from: start, text: "", used: 0 }
  for (const { segment, index } of segmenter.segment(line)) {
    const shown = safe(segment)
    const columns = columnsOf(shown)
    if (row.used + columns > width) {
      rows.push({ from: row.from, to: start + index, text: row.text })
      row = { from: start + index, text: "", used: 0 }
    }
    row = { from: row.from, text: row.text + shown, used: row.used + columns }
  }
  return [...rows, { from: row.from, to: start + line.length, text: row.text }]
}

export interface RowPlace {
  readonly row: number
  readonly column: number
}

/** At the end of a broken row the cursor is at the beginning of the next. */
export function cursorPlace(rows: readonly DraftRow[], { text, cursor }: Draft): RowPlace {
  const row = Math.max(
    0,
    rows.findLastIndex(({ from }) => from <= cursor),
  )
  const from = rows[row]?.from ?? 0
  return { row, column: columnsOf(safe(text.slice(from, cursor))) }
}

/** The draft with its cursor a row up or down; undefined at the first or last row. */
export function moveRow(draft: Draft, width: number, by: -1 | 1): Draft | undefined {
  const rows = draftRows(draft.text, width)
  const { row, column } = cursorPlace(rows, draft)
  const next = rows[row + by]
  if (next === undefined) return undefined
  let used = 0
  for (const { segment, index } of segmenter.segment(draft.text.slice(next.from, next.to))) {
    used += columnsOf(safe(segment))
    if (used > column) return { ...draft, cursor: next.from + index }
  }
  const isBroken = rows[row + by + 1] !== undefined && draft.text[next.to] !== "\n"
  return { ...draft, cursor: isBroken ? Math.max(next.from, next.to - 1) : next.to }
}
