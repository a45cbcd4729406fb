// The approval card as lines of a terminal: what the call would do, why it needs an approval, and the keys.
import { oneLine } from "../contract/text/text.ts"
import type { ShownCall } from "./call-lines.ts"
import { foldLines, previewLines } from "./call-preview.ts"
import { shortId, span } from "./format.ts"
import {
  columnsOf,
  cutLine,
  cutToWidth,
  lineWidth,
  plain,
  wrapSpans,
  type Line,
  type Span,
  type Style,
} from "./spans.ts"

export interface Card {
  readonly call: ShownCall
  /** The person has changed the call. */
  readonly isEdited: boolean
  readonly folder: string
  readonly reason: string
  /** The agent that wants it, if it is another session than the one that is shown. */
  readonly agent: string | undefined
  /** Number and count, where several requests wait. */
  readonly place: { readonly number: number; readonly count: number }
  readonly askedAt: number
  readonly expiresAt: number | undefined
  readonly choices: readonly Choice[]
  /** Keys count only when the card has been shown for a moment. */
  readonly isReady: boolean
}

export interface Choice {
  readonly key: string
  readonly label: string
}

export interface CardSpace {
  readonly columns: number
  readonly rows: number
  readonly now: number
}

const MAX_WIDTH = 100
const MIN_WIDTH = 18
/** Lines of the call that are shown before it is folded, if the window has room. */
const MAX_CALL_LINES = 24
const MIN_CALL_LINES = 3
const FRAME_LINES = 2

const accent: readonly Style[] = ["accent"]

/** In a low window without folder and reason; undefined if not even the call and the keys fit. */
export function cardLines(card: Card, { columns, rows, now }: CardSpace): readonly Line[] | undefined {
  const width = Math.min(MAX_WIDTH, columns - 1)
  if (width < MIN_WIDTH) return undefined
  const inner = width - 4
  const choices = choiceLines(card, inner)
  const preview = previewLines(card.call, inner)
  const least = FRAME_LINES + Math.min(MIN_CALL_LINES, preview.length)
  const whole = [...factLines(card, now, inner), [], ...choices]
  const below = whole.length + least <= rows ? whole : choices
  if (below.length + least > rows) return undefined
  const most = Math.min(MAX_CALL_LINES, rows - below.length - FRAME_LINES)
  const call = foldLines(preview, most)
  return [
    topLine(card, now, width),
    ...[...call, ...below].map((line) => boxed(line, inner)),
    [{ text: `└${"─".repeat(width - 2)}┘`, styles: accent }],
  ]
}

function topLine({ place, askedAt, isEdited }: Card, now: number, width: number): Line {
  const title = isEdited ? " approve the changed call " : " approve "
  const count = place.count > 1 ? [`${place.number} of ${place.count}`] : []
  const age = now - askedAt >= 1000 ? [`asked ${span(now - askedAt)} ago`] : []
  const facts = cutToWidth([...count, ...age].join(" · "), width - columnsOf(title) - 6)
  const end = facts === "" ? "" : ` ${facts} `
  const rule = "─".repeat(Math.max(0, width - 2 - columnsOf(title) - columnsOf(end)))
  return [
    { text: "┌", styles: accent },
    { text: title, styles: ["accent", "bold"] },
    { text: rule, styles: accent },
    { text: end, styles: ["muted"] },
    { text: "┐", styles: accent },
  ]
}

function factLines({ folder, reason, agent, expiresAt }: Card, now: number, width: number): readonly Line[] {
  const left = expiresAt === undefined ? undefined : Math.max(0, expiresAt - now)
  const facts = [
    `in ${folder}`,
    ...(agent === undefined ? [] : [`for agent ${shortId(agent)}`]),
    `why: ${reason}`,
    ...(left === undefined ? [] : [`without an answer it is denied in ${span(left)}`]),
  ]
  return facts.flatMap((fact) => wrapSpans([{ text: oneLine(fact, 1000), styles: ["muted"] }], width))
}

const GAP = "   "

/** As many as fit beside each other; one that is wider than the card is wrapped. */
function choiceLines({ choices, isReady }: Card, width: number): readonly Line[] {
  if (!isReady) return [[{ text: "…", styles: ["muted"] }]]
  const lines: Line[] = []
  let used = width
  for (const { key, label } of choices) {
    const spans: Line = [{ text: key, styles: ["bold", "accent"] }, plain(` ${label}`)]
    const wanted = columnsOf(`${key} ${label}`)
    const fits = used + GAP.length + wanted <= width
    if (fits) lines.push([...(lines.pop() ?? []), plain(GAP), ...spans])
    else lines.push(...wrapSpans(spans, width))
    used = fits ? used + GAP.length + wanted : wanted
  }
  return lines
}

function boxed(content: Line, inner: number): Line {
  const line = cutLine(content, inner)
  const width = lineWidth(line)
  const side: Span = { text: "│", styles: accent }
  return [side, plain(" "), ...line, plain(" ".repeat(Math.max(0, inner - width) + 1)), side]
}
