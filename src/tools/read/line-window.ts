// Selects a range of lines from streamed text. Keeps only the requested lines, each up to a length, and stops at a limit
// of lines or bytes, so that memory is bounded for any line length.
export interface WindowLimits {
  /** Counted from 1. */
  readonly first: number
  readonly count: number
  readonly lineLength: number
  readonly bytes: number
  /** Scrubs the beginning of a line that was cut. */
  readonly scrubCut?: (start: string) => string
}

export class LineWindow {
  readonly #limits: WindowLimits
  readonly lines: string[] = []
  #bytes = 0
  #number = 1
  #line = ""
  #lineLength = 0
  #hasMore = false

  constructor(limits: WindowLimits) {
    this.#limits = limits
  }

  /** Number of the next line. */
  get nextLine(): number {
    return this.#number
  }

  /** No more lines are taken. */
  get isFull(): boolean {
    return this.lines.length >= this.#limits.count || this.#bytes >= this.#limits.bytes
  }

  /** It is full, and more text followed. */
  get hasMore(): boolean {
    return this.#hasMore
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

  #extend(text: string, from: number, to: number): void {
    this.#lineLength += to - from
    const room = this.#limits.lineLength + 1 - this.#line.length // one more, which may turn out to be a carriage return
    if (this.#number >= this.#limits.first && room > 0) this.#line += text.slice(from, Math.min(to, from + room))
  }

  #endLine(): void {
    if (this.#number >= this.#limits.first) {
      const shown = `${String(this.#number).padStart(6)}\t${this.#shownLine()}`
      this.lines.push(shown)
      this.#bytes += Buffer.byteLength(shown) + 1
    }
    this.#number++
    this.#line = ""
    this.#lineLength = 0
  }

  #shownLine(): string {
    const maxLength = this.#limits.lineLength
    const line = this.#line.length === this.#lineLength ? this.#line.replace(/\r$/, "") : this.#line
    if (line.length <= maxLength) return line
    const start = line.slice(0, maxLength).toWellFormed()
    return `${this.#limits.scrubCut?.(start) ?? start} [… ${this.#lineLength - maxLength} more characters in this line]`
  }
}
