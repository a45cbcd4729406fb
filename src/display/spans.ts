// Styled text broken into lines of a terminal: at spaces, with wide characters counted as two columns. A style says what a
// text is; which colour that is, each output decides.
import stringWidth from "string-width"

/** Of a text as it is written, and not of what it means. */
export const attributes = ["bold", "italic", "underline", "strikethrough", "inverse"] as const

/** What a text is. `accent` is for what needs the user, and for nothing else. */
export const roles = [
  "muted",
  "accent",
  "warning",
  "danger",
  "success",
  "added",
  "removed",
  "tool",
  "code",
  "keyword",
  "string",
  "number",
  "comment",
  "type",
] as const

export type Role = (typeof roles)[number]
export type Style = Role | (typeof attributes)[number]

/** Text must not have control characters other than line feeds. */
export interface Span {
  readonly text: string
  readonly styles: readonly Style[]
  /** Drawn in place of the text, which is blanks, by a screen that can. */
  readonly image?: ImagePart
}

/** One row of an image that takes so many columns and rows. Without any it is only wanted: its size is not known yet. */
export interface ImagePart {
  readonly key: string
  readonly row: number
  readonly columns: number
  readonly rows: number
}

export type Line = readonly Span[]

export function plain(text: string): Span {
  return { text, styles: [] }
}

const ASCII = /^[ -~]*$/
/** Characters of one column that never join with others: Latin, Greek, Cyrillic, punctuation, lines and blocks. Others are
 *  measured with tables that take 20 ms of a processor to build. */
export const SINGLE =
  /^[ -~\u00a1-\u00a8\u00aa-\u00ac\u00af-\u02ff\u0370-\u0373\u0376\u0377\u037a-\u037f\u0384-\u038a\u038e-\u03a1\u03a3-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u203b\u203d-\u2048\u204a-\u205e\u20ac\u2190-\u2193\u2200-\u22ff\u2500-\u25a9\u25b8\u25cb\u25cf\u2713\u2717]*$/

/** Columns that a text takes, without its escape sequences. */
export function columnsOf(text: string): number {
  return ASCII.test(text) || SINGLE.test(text) ? text.length : stringWidth(text)
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + columnsOf(text), 0)
}

export function lineText(line: Line): string {
  return line.map(({ text }) => text).join("")
}

/** With an ellipsis if it is wider. */
export function cutToWidth(text: string, width: number): string {
  if (columnsUpTo(text, width) <= width) return text
  if (width <= 0) return ""
  const [start] = splitAt(text, width - 1)
  return columnsOf(start) < width ? `${start}…` : "…"
}

export function cutLine(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line
  const shown: Span[] = []
  let used = 0
  for (const span of line) {
    const text = cutToWidth(span.text, width - used)
    shown.push({ ...span, text })
    used += columnsOf(text)
    if (text !== span.text) break
  }
  return shown
}

export function padToWidth(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - columnsOf(text)))
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** Units of a text that are looked at for each column: a character may have many. Keeps long texts linear. */
const MAX_UNITS = 16

/** Never within a character. The first part is not empty unless it is the whole text. */
function splitAt(text: string, width: number): readonly [string, string] {
  const room = Math.max(1, width)
  if (ASCII.test(text.slice(0, room + 1))) return [text.slice(0, room), text.slice(room)]
  const start = text.slice(0, (room + 1) * MAX_UNITS)
  let used = 0
  for (const { segment, index } of segmenter.segment(start)) {
    used += columnsOf(segment)
    if (used > width && index > 0) return [text.slice(0, index), text.slice(index)]
  }
  return [start, text.slice(start.length)]
}

/** Infinity for a text that is certainly wider: the width of a very long one takes long to compute. */
function columnsUpTo(text: string, width: number): number {
  return text.length > width * MAX_UNITS ? Infinity : columnsOf(text)
}

/** At a blank, where there is one near the end. */
function splitAfterBlank(text: string, width: number): readonly [string, string] {
  const [head, tail] = splitAt(text, width)
  const at = tail === "" || tail.startsWith(" ") ? 0 : head.lastIndexOf(" ") + 1
  return at < head.length / 2 ? [head, tail] : [text.slice(0, at), text.slice(at)]
}

/** Keeps every blank: for text whose exact form matters. */
export function wrapExactly(spans: readonly Span[], width: number): readonly Line[] {
  const lines: Span[][] = [[]]
  let used = 0
  const startLine = () => {
    lines.push([])
    used = 0
  }
  const place = (line: string, styles: readonly Style[]) => {
    for (let rest = line; rest !== "";) {
      const [head, tail] = splitAfterBlank(rest, Math.max(1, width - used))
      if (used > 0 && used + columnsOf(head) > width) startLine()
      else {
        lines.at(-1)?.push({ text: head, styles })
        used += columnsOf(head)
        rest = tail
        if (tail !== "") startLine()
      }
    }
  }
  for (const { text, styles } of spans)
    for (const [at, line] of text.split("\n").entries()) {
      if (at > 0) startLine()
      place(line, styles)
    }
  return lines
}

/** Bounded: V8 runs out of stack on a run of some million characters. A word is longer than a line long before that. */
const PIECES = /\n|[^\S\n]{1,4096}|\S{1,4096}/g

/** Lines as spans; none is wider than `width` unless a single character is. */
export function wrapSpans(spans: readonly Span[], width: number): readonly Line[] {
  const lines = new Lines(Math.max(1, width))
  for (const { text, styles } of spans) for (const [piece] of text.matchAll(PIECES)) lines.add({ text: piece, styles })
  return lines.end()
}

class Lines {
  readonly #width: number
  readonly #done: Span[][] = []
  #line: Span[] = []
  #used = 0
  #space: Span | undefined
  /** A word may have several styles; it is not broken between them. */
  #word: Span[] = []

  constructor(width: number) {
    this.#width = width
  }

  add(piece: Span): void {
    if (piece.text === "\n") return this.#newLine()
    if (piece.text.trim() !== "") return void this.#word.push(piece)
    this.#placeWord()
    if (this.#used > 0) this.#space = { ...piece, text: " " }
  }

  end(): readonly Line[] {
    this.#placeWord()
    if (this.#line.length > 0 || this.#done.length === 0) this.#done.push(this.#line)
    return this.#done
  }

  #newLine(): void {
    this.#placeWord()
    this.#startLine()
  }

  #startLine(): void {
    this.#done.push(this.#line)
    this.#line = []
    this.#used = 0
    this.#space = undefined
  }

  #placeWord(): void {
    const word = this.#word
    if (word.length === 0) return
    this.#word = []
    const width = word.reduce((sum, { text }) => sum + columnsUpTo(text, this.#width), 0)
    const gap = this.#space === undefined ? 0 : 1
    if (this.#used > 0 && this.#used + gap + width > this.#width) this.#startLine()
    else if (this.#space !== undefined) this.#append(this.#space)
    this.#space = undefined
    for (const span of word) this.#placeLong(span)
  }

  /** A word that is wider than a line is broken. */
  #placeLong({ text, styles }: Span): void {
    for (let rest = text; rest !== "";) {
      if (this.#used >= this.#width) this.#startLine()
      const [head, tail] = splitAt(rest, this.#width - this.#used)
      if (this.#used > 0 && this.#used + columnsOf(head) > this.#width) this.#startLine()
      else {
        this.#append({ text: head, styles })
        rest = tail
        if (tail !== "") this.#startLine()
      }
    }
  }

  #append(span: Span): void {
    this.#line.push(span)
    this.#used += columnsOf(span.text)
  }
}
