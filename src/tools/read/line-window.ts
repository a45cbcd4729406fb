// Selects a range of lines from streamed text. Keeps only the requested lines, each up to a length, and stops at a limit
// of lines or characters, so that memory is bounded for any line length. What is cut can be read with another window:
// consecutive windows show every character.
import type { TextScrubber } from "../tool.ts"
import { scrubbedEnd, scrubbedStart } from "../output-bound.ts"

export interface WindowLimits {
  /** Counted from 1. */
  readonly first: number
  /** Where the first line starts, counted from 1. From a later column it gets the whole window. */
  readonly column?: number
  readonly count: number
  readonly lineLength: number
  /** Characters of all lines. */
  readonly length: number
  readonly scrubber?: TextScrubber | undefined
}

/** Characters before a column that the scrubber sees, so that it recognises a secret that begins there. */
const LEAD = 16 * 1024

export class LineWindow {
  readonly #limits: Required<Omit<WindowLimits, "scrubber">>
  readonly #scrubber: TextScrubber | undefined
  readonly lines: string[] = []
  #length = 0
  #number = 1
  /** What is kept of the current line, from `#keptFrom` on. */
  #line = ""
  #lineLength = 0
  #hasMore = false
  #cut: { readonly line: number; readonly column: number } | undefined

  constructor({ scrubber, column = 1, ...limits }: WindowLimits) {
    this.#limits = { ...limits, column }
    this.#scrubber = scrubber
  }

  /** Number of the next line. */
  get nextLine(): number {
    return this.#number
  }

  /** No more lines are taken. */
  get isFull(): boolean {
    return this.lines.length >= this.#limits.count || this.#length >= this.#limits.length
  }

  /** It is full, and more text followed. */
  get hasMore(): boolean {
    return this.#hasMore
  }

  /** Where the newest cut line continues. */
  get cut(): { readonly line: number; readonly column: number } | undefined {
    return this.#cut
  }

  push(text: string): void {
    let from = 0
    while (from < text.length) {
      if (this.isFull) this.#hasMore = true
      if (this.#hasMore) return
      const end = text.indexOf("\n", from)
      this.#extend(text, from, end === -1 ? text.length : end)
      if (end === -1) return
      this.#endLine()
      from = end + 1
    }
  }

  /** A last line without a line feed counts. */
  end(): void {
    if (!this.isFull && this.#lineLength > 0) this.#endLine()
  }

  get #start(): number {
    return this.#number === this.#limits.first ? this.#limits.column - 1 : 0
  }

  get #keptFrom(): number {
    return Math.max(0, this.#start - LEAD)
  }

  /** A line that was asked for from a column fills the window. */
  get #maxLength(): number {
    return this.#start === 0 ? this.#limits.lineLength : this.#limits.length
  }

  #extend(text: string, from: number, to: number): void {
    const at = this.#lineLength
    this.#lineLength += to - from
    if (this.#number < this.#limits.first) return
    const keptTo = this.#start + this.#maxLength + 1 // one more, which may turn out to be a carriage return
    const first = Math.max(from, from + this.#keptFrom - at)
    const last = Math.min(to, from + keptTo - at)
    if (first < last) this.#line += text.slice(first, last)
  }

  #endLine(): void {
    if (this.#number >= this.#limits.first) {
      const shown = `${String(this.#number).padStart(6)}\t${this.#shownLine()}`
      this.lines.push(shown)
      this.#length += shown.length + 1
    }
    this.#number++
    this.#line = ""
    this.#lineLength = 0
  }

  #shownLine(): string {
    const lead = Math.min(this.#line.length, this.#start - this.#keptFrom)
    const isWhole = this.#keptFrom + this.#line.length >= this.#lineLength
    const kept = isWhole ? this.#line.replace(/\r$/, "") : this.#line
    const rest = kept.slice(lead)
    if (rest.length <= this.#maxLength) return this.#scrubbedRest(kept, lead)
    const shown = rest.slice(0, endOfWhole(rest, this.#maxLength))
    const column = this.#start + shown.length + 1
    this.#cut = { line: this.#number, column }
    const omitted = this.#lineLength - column + 1
    return `${this.#scrubbedCut(kept.slice(0, lead), shown)} [… ${omitted} more characters in this line; read on with offset ${this.#number} and column ${column}]`
  }

  /** A whole line is scrubbed with the whole output; one from a column may begin inside of a secret. */
  #scrubbedRest(kept: string, lead: number): string {
    return lead === 0 ? kept : scrubbedEnd(kept.slice(0, lead), kept.slice(lead), this.#scrubber).toWellFormed()
  }

  #scrubbedCut(before: string, shown: string): string {
    if (this.#scrubber === undefined) return shown
    if (before === "") return scrubbedStart(shown, this.#scrubber)
    const stream = this.#scrubber.stream()
    stream.push(before)
    return stream.push(shown)
  }
}

/** Not between the two halves of a character. */
function endOfWhole(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1)
  return unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end
}
