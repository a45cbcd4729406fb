// The input box: the draft with its cursor, what can be completed, and what the box asks for.
import { safe } from "../../display/safe-text.ts"
import { cutToWidth, padToWidth, plain, type Line, type Style } from "../../display/spans.ts"
import { columnsOf } from "../../display/spans.ts"
import { cursorPlace, draftRows } from "../state/draft-rows.ts"
import type { ScreenState } from "../state/screen-state.ts"
import { textWidth, wrapped } from "./layout.ts"

export interface InputBox {
  readonly lines: readonly Line[]
  readonly cursor: { readonly row: number; readonly column: number }
}

const SIGN = " › "
const PLACEHOLDER = "Ask for something. / commands, @ files, ! shell"

/** Columns of the draft in a window of this width. */
export function draftWidth(width: number): number {
  return Math.max(2, width - SIGN.length - 1)
}

/** At most `height` rows of the draft: those around the cursor. */
export function inputBox(state: ScreenState, width: number, height: number): InputBox {
  const { draft } = state
  const rows = draftRows(draft.text, draftWidth(width))
  const place = cursorPlace(rows, draft)
  const first = Math.max(0, Math.min(place.row - Math.floor(height / 2), rows.length - height))
  const shown = rows.slice(first, first + Math.max(1, height))
  const lines = shown.map(({ text }, at): Line => [
    { text: first + at === 0 ? SIGN : "   ", styles: ["bold"] },
    ...(text === "" && draft.text === "" ? placeholder(state, width) : [plain(text)]),
  ])
  return { lines, cursor: { row: place.row - first, column: SIGN.length + place.column } }
}

function placeholder({ session, question }: ScreenState, width: number): Line {
  const isNew = session?.transcript.items.length === 0 && question === undefined
  return isNew ? [{ text: cutToWidth(PLACEHOLDER, draftWidth(width)), styles: ["muted"] }] : []
}

/** What the box asks for, if not a prompt. */
export function questionLines({ question }: ScreenState, width: number): readonly Line[] {
  if (question === undefined) return []
  return wrapped(question.label, textWidth(width), ["accent"]).map((line) => [plain(" "), ...line])
}

export function completionLines({ completion }: ScreenState, width: number): readonly Line[] {
  if (completion === undefined) return []
  const { choices, selected } = completion
  const longest = Math.max(...choices.map(({ text }) => columnsOf(safe(text))))
  const nameWidth = Math.min(longest, Math.max(8, Math.floor(width / 2)))
  return choices.map(({ text, detail }, at): Line => {
    const styles: readonly Style[] = at === selected ? ["bold"] : ["muted"]
    const name = padToWidth(cutToWidth(safe(text), nameWidth), nameWidth)
    const rest = cutToWidth(safe(detail), Math.max(0, width - nameWidth - 7))
    return [
      { text: `${at === selected ? " ▸ " : "   "}${name}`, styles },
      { text: rest === "" ? "" : `  ${rest}`, styles: ["muted"] },
    ]
  })
}
