// The whole screen: a pure function of the state and the size. In a low window the parts that matter least are left out.
import { cutLine, wrapSpans, type Line } from "../../display/spans.ts"
import { safe } from "../../display/safe-text.ts"
import type { ScreenState } from "../state/screen-state.ts"
import type { Frame, Size } from "../terminal/renderer.ts"
import { emptyLines } from "./empty.ts"
import { headerLine } from "./header.ts"
import { completionLines, inputBox, questionLines } from "./input-box.ts"
import { indentedLine, rule, textWidth } from "./layout.ts"
import { cardFits, queueLines, requestLines } from "./pending.ts"
import { shellLines } from "./shell.ts"
import { statusLine } from "./status-line.ts"
import { transcriptBlocks } from "./transcript.ts"
import { windowLines } from "./window.ts"

/** Rows from which the header and the rules are shown. */
const MIN_ROWS_HEADER = 12
const MIN_ROWS_RULES = 8
/** Rows of the transcript that a card leaves. */
const MIN_TRANSCRIPT = 3
const MAX_NOTICE_LINES = 4

interface Parts {
  readonly head: readonly Line[]
  /** Between the transcript and the input. */
  readonly middle: readonly Line[]
  readonly input: readonly Line[]
  readonly foot: readonly Line[]
  /** Rows that a request for approval may take. */
  readonly cardRows: number
  readonly cursor: Frame["cursor"]
}

export function view(state: ScreenState, size: Size): Frame {
  const { rows, columns } = size
  const parts = partsOf(state, size)
  const height = Math.max(0, rows - partsHeight(parts))
  const body = bodyLines(state, columns, height)
  const above = [...parts.head, ...padded(body, height), ...parts.middle]
  const lines = [...above, ...parts.input, ...parts.foot].slice(-rows).map((line) => cutLine(line, columns))
  const lost = Math.max(0, above.length + parts.input.length + parts.foot.length - rows)
  const { cursor } = parts
  const row = above.length + (cursor?.row ?? 0) - lost
  return { lines, cursor: cursor === undefined || row < 0 ? undefined : { row, column: cursor.column } }
}

/** Rows of the window of the transcript, for scrolling. */
export function transcriptHeight(state: ScreenState, size: Size): number {
  return Math.max(1, size.rows - partsHeight(partsOf(state, size)))
}

/** Whether the call that waits for approval is on the screen. */
export function isCallShown(state: ScreenState, size: Size): boolean {
  return state.overlay === undefined && cardFits(state, size.columns, partsOf(state, size).cardRows)
}

function partsHeight({ head, middle, input, foot }: Parts): number {
  return head.length + middle.length + input.length + foot.length
}

function partsOf(state: ScreenState, { columns, rows }: Size): Parts {
  const hasRules = rows >= MIN_ROWS_RULES
  const line = hasRules ? [rule(columns)] : []
  const head = rows >= MIN_ROWS_HEADER ? [headerLine(state, columns), rule(columns)] : []
  const foot = rows >= 2 ? [...line, statusLine(state, columns)] : []
  if (state.overlay !== undefined)
    return { head, middle: line, input: [hintLine(state)], foot, cardRows: 0, cursor: undefined }
  const box = inputBox(state, columns, Math.max(1, Math.floor(rows / 3)))
  const question = questionLines(state, columns)
  const lists = [...shellLines(state, columns), ...queueLines(state, columns), ...completionLines(state, columns)]
  const notices = noticeLines(state, columns)
  const used = head.length + foot.length + box.lines.length + question.length + line.length
  const room = rows - used
  const reserved = Math.max(1, room - Math.min(MIN_TRANSCRIPT, Math.floor(room / 4)))
  const cardRows = cardFits(state, columns, reserved) || !cardFits(state, columns, room) ? reserved : room
  const card = requestLines(state, columns, cardRows) ?? []
  const extra = [...notices, ...lists].slice(0, Math.max(0, room - card.length))
  return {
    head,
    middle: [...extra.slice(0, notices.length), ...card, ...line, ...extra.slice(notices.length), ...question],
    input: box.lines,
    foot,
    cardRows,
    cursor: box.cursor,
  }
}

function bodyLines(state: ScreenState, width: number, height: number): readonly Line[] {
  const { overlay, session, scroll, now, hasColour } = state
  if (overlay !== undefined) return overlay.lines({ width, height, now, hasColour }).slice(0, height)
  if (session === undefined) return []
  const empty = emptyLines(state, width)
  if (empty.length > 0) return empty.slice(0, height)
  return windowLines(transcriptBlocks(session, state, width), height, scroll)
}

/** Short conversations begin at the top. */
function padded(lines: readonly Line[], height: number): readonly Line[] {
  return [...lines, ...Array.from({ length: Math.max(0, height - lines.length) }, (): Line => [])]
}

function hintLine({ overlay }: ScreenState): Line {
  return [{ text: ` ${overlay?.hint ?? ""}`, styles: ["muted"] }]
}

function noticeLines({ notice, scroll }: ScreenState, width: number): readonly Line[] {
  if (notice !== undefined) {
    const styles = notice.tone === "info" ? (["muted"] as const) : ([notice.tone] as const)
    return wrapSpans([{ text: safe(notice.text), styles }], textWidth(width))
      .slice(0, MAX_NOTICE_LINES)
      .map(indentedLine)
  }
  return scroll === undefined ? [] : [[{ text: " ↓ newer lines below: end", styles: ["muted"] }]]
}
