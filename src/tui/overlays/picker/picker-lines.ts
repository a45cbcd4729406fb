// The picker as lines: columns that align at any width. Pure.
import { oneLine } from "../../../contract/text/text.ts"
import { span } from "../../../display/format.ts"
import { safe } from "../../../display/safe-text.ts"
import { columnsOf, cutToWidth, padToWidth, type Line, type Span, type Style } from "../../../display/spans.ts"
import type { OverlaySpace } from "../overlay.ts"
import { rankSigns, stateText, type SessionRow } from "../../../display/session-rows.ts"

export interface PickerContent {
  readonly query: string
  readonly rows: readonly SessionRow[]
  readonly selected: number
  readonly total: number
  /** Whether texts are being searched. */
  readonly isSearching: boolean
}

const MAX_FOLDER = 16
const MAX_TEXT = 300
const STATE_WIDTH = 20
const AGE_WIDTH = 6
/** Narrower windows have no columns for folder and age. */
const WIDE = 60

export function pickerLines(content: PickerContent, { width, height, now }: OverlaySpace): readonly Line[] {
  const { rows, selected, query } = content
  const room = Math.max(1, height - 2)
  const first = Math.max(0, Math.min(selected - Math.floor(room / 2), rows.length - room))
  const shown = rows.slice(first, first + room)
  if (shown.length === 0) return [headLine(content, width), [], emptyLine(content)]
  const folder = Math.min(MAX_FOLDER, Math.max(0, ...shown.map((row) => columnsOf(cleaned(row.folder)))))
  const lines = shown.map((row, at) => rowLine(row, first + at === selected, { width, folder, now, query }))
  return [headLine(content, width), [], ...lines]
}

function headLine({ query, rows, total, isSearching }: PickerContent, width: number): Line {
  const name = ` sessions${query === "" ? "" : `  ${cutToWidth(cleaned(query), Math.floor(width / 2))}▌`}`
  const count = `${isSearching ? "searching texts · " : ""}${rows.length} of ${total}`
  const gap = " ".repeat(Math.max(1, width - columnsOf(name) - columnsOf(count) - 1))
  return [{ text: name, styles: ["bold"] }, muted(`${gap}${count}`)]
}

function emptyLine({ query, isSearching }: PickerContent): Line {
  if (query === "") return [muted(" No sessions yet. Type a prompt in a project folder to start one.")]
  return [muted(isSearching ? " Searching…" : " Nothing found in titles, folders and texts.")]
}

interface RowSpace {
  readonly width: number
  /** Columns of the folder. */
  readonly folder: number
  readonly now: number
  readonly query: string
}

function rowLine(row: SessionRow, isSelected: boolean, { width, folder, now }: RowSpace): Line {
  const { line, rank, depth } = row
  const isWide = width >= WIDE
  const place = isWide ? `${padToWidth(cutToWidth(cleaned(row.folder), folder), folder)}  ` : ""
  const age = isWide ? `  ${span(Math.max(0, now - line.updatedAt)).padStart(AGE_WIDTH)}` : ""
  const start = `${isSelected ? " › " : "   "}${depth === 0 ? "" : `${"  ".repeat(depth - 1)}└ `}${rankSigns[rank]} ${place}`
  const room = Math.max(4, width - columnsOf(start) - STATE_WIDTH - columnsOf(age) - 3)
  const state = padToWidth(cutToWidth(stateText(line), STATE_WIDTH), STATE_WIDTH)
  return [
    { text: start, styles: emphasis(row, isSelected) },
    ...titleSpans(row, isSelected, room),
    { text: `  ${state}`, styles: rank === 0 ? ["accent"] : ["muted"] },
    muted(age),
  ]
}

function titleSpans(row: SessionRow, isSelected: boolean, room: number): readonly Span[] {
  const title = cutToWidth(cleaned(row.title), room)
  const rest = room - columnsOf(title)
  const found = row.snippet === undefined || rest < 8 ? "" : cutToWidth(`  ${cleaned(row.snippet)}`, rest)
  return [{ text: title, styles: emphasis(row, isSelected) }, muted(padToWidth(found, rest))]
}

function emphasis({ rank }: SessionRow, isSelected: boolean): readonly Style[] {
  return [...(isSelected ? (["bold"] as const) : []), ...(rank === 0 ? (["accent"] as const) : [])]
}

function cleaned(text: string): string {
  return safe(oneLine(text, MAX_TEXT))
}

function muted(text: string): Span {
  return { text, styles: ["muted"] }
}
