// What the chat shows, as a list of lines, and how the events of a turn change it. Pure. A line that did not change keeps
// its identity, so it is not drawn again.
import type {
  Citation,
  Confirmation,
  FieldError,
  Interaction,
  Message,
  TurnEvent,
} from "../../../src/clients/ws/index.ts"

export type Line = TextLine | NoticeLine | CardLine

export interface TextLine {
  readonly kind: "visitor" | "agent"
  readonly id: string
  readonly text: string
  readonly isStreaming?: boolean
  readonly citations?: readonly Citation[]
}

/** A sentence about the conversation, by the name of its text. */
export interface NoticeLine {
  readonly kind: "notice"
  readonly id: string
  readonly text: "escalated" | "cancelled" | "failed" | "notSent" | "lost" | "busy" | "tooLong" | "codeNotSent"
  /** The message that can be sent again. */
  readonly retry?: string
}

export type CardLine =
  | (CardState & { readonly card: Confirmation })
  | (CardState & { readonly card: Interaction })
  | (CardState & { readonly card: CodeRequest })

interface CardState {
  readonly kind: "card"
  readonly id: string
  /** Absent while the card is open. `elsewhere`: in another window, or it timed out. */
  readonly outcome?: "accepted" | "declined" | "elsewhere" | "over"
  readonly isBusy?: boolean
  readonly errors?: readonly FieldError[]
  /** What the visitor answered, in short. */
  readonly answer?: string
}

/** The visitor has to enter a one-time code. */
export interface CodeRequest {
  readonly type: "code"
  readonly destination: string
  /** After a wrong code. */
  readonly attempts?: number
}

/** Lines that are kept; older ones are loaded again on demand. */
const MAX_LINES = 500

export function bounded(lines: readonly Line[]): readonly Line[] {
  return lines.length > MAX_LINES ? lines.slice(-MAX_LINES) : lines
}

export function linesOf(messages: readonly Message[], citations: (messageId: string) => readonly Citation[]) {
  return messages.toReversed().map(({ id, direction, text }): TextLine => {
    const kind = direction === "inbound" ? "visitor" : "agent"
    const known = kind === "agent" ? citations(id) : []
    return { kind, id, text, ...(known.length > 0 && { citations: known }) }
  })
}

/** What a running turn has added. `turn` makes the ids of its lines. */
export function applyEvent(lines: readonly Line[], event: TurnEvent, turn: string): readonly Line[] {
  switch (event.type) {
    case "token":
      return appendText(lines, event.text, turn)
    case "corrected":
      return correctText(lines, event.text, turn)
    case "tool-result":
      return endStreaming(closeOpenCards(lines, "elsewhere", (line) => isAnsweredBy(line, event.tool)))
    case "confirmation":
    case "interaction":
      return openCard(lines, event, turn)
    case "interaction-invalid":
      return changeOpenCard(lines, (line) => ({ ...line, isBusy: false, errors: event.errors }))
    case "code-sent":
      return openCard(lines, { type: "code", destination: event.destination }, turn)
    case "code-not-sent":
      return [...lines, { kind: "notice", id: lineId(lines, turn), text: "codeNotSent" }]
    case "tool-call":
      return endStreaming(lines)
    case "verification":
    case "reasoning":
    case "preamble":
    case "alive":
      return lines
  }
}

/** The reply is complete: text that was not streamed is added, and the sources. */
export function endTurn(
  lines: readonly Line[],
  { text, citations }: { readonly text: string; readonly citations: readonly Citation[] },
  turn: string,
): readonly Line[] {
  const index = lines.findLastIndex((line) => line.kind === "agent" && belongsTo(line, turn))
  const complete = endStreaming(index === -1 && text !== "" ? appendText(lines, text, turn) : lines)
  const last = complete.findLastIndex((line) => line.kind === "agent" && belongsTo(line, turn))
  const withSources = complete.map((line, at) =>
    at === last && line.kind === "agent" && citations.length > 0 ? { ...line, citations } : line,
  )
  return closeOpenCards(withSources, "over", (line) => line.card.type !== "code")
}

/** After the end of a turn without a reply. */
export function stopTurn(lines: readonly Line[]): readonly Line[] {
  return closeOpenCards(endStreaming(lines), "over", () => true)
}

function appendText(lines: readonly Line[], text: string, turn: string): readonly Line[] {
  const last = lines.at(-1)
  if (last?.kind === "agent" && last.isStreaming === true)
    return [...lines.slice(0, -1), { ...last, text: last.text + text }]
  return [...lines, { kind: "agent", id: lineId(lines, turn), text, isStreaming: true }]
}

/** All text of the turn is another one: its cards stay, its texts become one. */
function correctText(lines: readonly Line[], text: string, turn: string): readonly Line[] {
  const others = lines.filter((line) => line.kind !== "agent" || !belongsTo(line, turn))
  return [...others, { kind: "agent", id: lineId(lines, turn), text, isStreaming: true }]
}

function endStreaming(lines: readonly Line[]): readonly Line[] {
  if (!lines.some((line) => line.kind === "agent" && line.isStreaming === true)) return lines
  return lines.map((line) =>
    line.kind === "agent" && line.isStreaming === true ? { ...line, isStreaming: false } : line,
  )
}

/** A server that sends a running turn again sends its card again. */
function openCard(lines: readonly Line[], card: CardLine["card"], turn: string): readonly Line[] {
  const others = endStreaming(closeOpenCards(lines, "elsewhere", () => true))
  const id = lineId(lines, turn)
  return [...others, cardLine(id, card)]
}

function cardLine(id: string, card: CardLine["card"]): CardLine {
  if (card.type === "confirmation") return { kind: "card", id, card }
  if (card.type === "interaction") return { kind: "card", id, card }
  return { kind: "card", id, card }
}

export function closeOpenCards(
  lines: readonly Line[],
  outcome: NonNullable<CardState["outcome"]>,
  applies: (line: CardLine) => boolean,
): readonly Line[] {
  if (!lines.some((line) => isOpen(line) && applies(line))) return lines
  return lines.map((line) => (isOpen(line) && applies(line) ? { ...line, outcome, isBusy: false } : line))
}

export function changeOpenCard(lines: readonly Line[], change: (line: CardLine) => CardLine): readonly Line[] {
  const index = lines.findLastIndex(isOpen)
  return lines.map((line, at) => (at === index && line.kind === "card" ? change(line) : line))
}

export function changeCard(lines: readonly Line[], id: string, change: (line: CardLine) => CardLine): readonly Line[] {
  return lines.map((line) => (line.kind === "card" && line.id === id ? change(line) : line))
}

export function isOpen(line: Line): line is CardLine {
  return line.kind === "card" && line.outcome === undefined
}

/** A code is not answered by the tool's result: the turn may have ended before it was entered. */
function isAnsweredBy({ card }: CardLine, tool: string): boolean {
  if (card.type === "confirmation") return card.tool === tool
  return card.type === "interaction" && tool.startsWith("request_")
}

function lineId(lines: readonly Line[], turn: string): string {
  return `${turn}/${lines.length}`
}

function belongsTo({ id }: Line, turn: string): boolean {
  return id.startsWith(`${turn}/`)
}
