// Rows of the panel: text on the left, facts on the right, notes below.
import { oneLine } from "../../../contract/text/text.ts"
import type { RowText } from "../../../display/facts/row-text.ts"
import { safe } from "../../../display/safe-text.ts"
import { columnsOf, cutToWidth, padToWidth, type Line } from "../../../display/spans.ts"
import type { PanelRow } from "./tab.ts"

const MAX_TEXT = 500
const GAP = 2

/** A row of the panel. */
export function panelRow(text: RowText): PanelRow {
  const { sessionId } = text
  return { ...(sessionId === undefined ? {} : { sessionId }), lines: (width) => rowLines(text, width) }
}

function rowLines({ left, right = "", notes = [], styles = [] }: RowText, width: number): readonly Line[] {
  const facts = cutToWidth(cleaned(right), Math.floor(width * 0.6))
  const room = Math.max(1, width - columnsOf(facts) - (facts === "" ? 0 : GAP))
  const text = cutToWidth(safe(left.slice(0, MAX_TEXT)), room)
  return [
    [
      { text: facts === "" ? text : padToWidth(text, room + GAP), styles },
      { text: facts, styles: ["muted"] },
    ],
    ...notes.map((note): Line => [{ text: cutToWidth(`    ${cleaned(note)}`, width), styles: ["muted"] }]),
  ]
}

function cleaned(text: string): string {
  return safe(oneLine(text, MAX_TEXT))
}
