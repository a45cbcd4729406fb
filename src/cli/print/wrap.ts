// Styled text broken into lines of a terminal: at spaces, with wide characters counted as two columns.
import stringWidth from "string-width"
import { styled } from "../../app/terminal.ts"

export type Style = Extract<Parameters<typeof styled>[0], string>

/** Text must not have control characters other than line feeds. */
export interface Span {
  readonly text: string
  readonly styles: readonly Style[]
}

export function plain(text: string): Span {
  return { text, styles: [] }
}

/** Columns that a text takes, without its escape sequences. */
export function columnsOf(text: string): number {
  return stringWidth(text)
}

/** With an ellipsis if it is wider. */
export function cutToWidth(text: string, width: number): string {
  if (columnsOf(text) <= width) return text
  return width <= 0 ? "" : `${splitAt(text, width - 1)[0]}…`
}

export function padToWidth(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - columnsOf(text)))
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** Never within a character. The first part is not empty unless it is the whole text. */
function splitAt(text: string, width: number): readonly [string, string] {
  let used = 0
  for (const { segment, index } of segmenter.segment(text)) {
    used += columnsOf(segment)
    if (used > width && index > 0) return [text.slice(0, index), text.slice(index)]
  }
  return [text, ""]
}

/** At a blank, where there is one near the end. */
function splitAfterBlank(text: string, width: number): readonly [string, string] {
  const [head, tail] = splitAt(text, width)
  const at = tail === "" || tail.startsWith(" ") ? 0 : head.lastIndexOf(" ") + 1
  return at < head.length / 2 ? [head, tail] : [text.slice(0, at), text.slice(at)]
}

/** Keeps every blank: for text whose exact form matters. */
export function wrapExactly(spans: readonly Span[], width: number): readonly (readonly Span[])[] {
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

/** Lines as spans; none is wider than `width` unless a single character is. */
export function wrapSpans(spans: readonly Span[], width: number): readonly (readonly Span[])[] {
  const lines = new Lines(Math.max(1, width))
  for (const { text, styles } of spans)
    for (const [piece] of text.matchAll(/\n|[^\S\n]+|\S+/g)) lines.add({ text: piece, styles })
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

  end(): readonly (readonly Span[])[] {
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
    const width = word.reduce((sum, { text }) => sum + columnsOf(text), 0)
    const gap = this.#space === undefined ? 0 : 1
    if (this.#used > 0 && this.#used + gap + width > this.#width) this.#startLine()
    else if (this.#space !== undefined) this.#append(this.#space)
    this.#space = undefined
    for (const span of word) this.#placeLong(span)
  }

  /** A word that is wider than a line is broken. */
  #placeLong({ text, styles }: Span): void {
    let rest = text
    while (this.#used + columnsOf(rest) > this.#width) {
      if (this.#used >= this.#width) this.#startLine()
      const [head, tail] = splitAt(rest, this.#width - this.#used)
      if (tail === "") break
      this.#append({ text: head, styles })
      this.#startLine()
      rest = tail
    }
    this.#append({ text: rest, styles })
  }

  #append(span: Span): void {
    this.#line.push(span)
    this.#used += columnsOf(span.text)
  }
}

/** The text of a line with its escape sequences, if the stream takes them. */
export function paint(line: readonly Span[], stream: NodeJS.WriteStream): string {
  return line.map(({ text, styles }) => (styles.length === 0 ? text : styled([...styles], text, stream))).join("")
}
