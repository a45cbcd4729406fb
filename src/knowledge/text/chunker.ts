// Splits streamed text into passages at headings and blank lines; an overlong paragraph is split at a sentence end, or at
// the limit, and a passage with a table before the table or between its rows. A passage is an unmodified slice of the text,
// so that quotations match the source.
export interface Chunk {
  /** Headings above it, outermost first. */
  readonly headings: readonly string[]
  readonly text: string
}

/** Characters of a passage: where it may end, and where it must. */
const TARGET_LENGTH = 600
const MAX_CHUNK_LENGTH = 900
/** A shorter section is joined with the next. */
const MIN_SECTION_LENGTH = 160
/** A line without an end is cut at this length, which bounds memory. */
const MAX_LINE_LENGTH = 16_384
const MAX_HEADING_LENGTH = 200

export class Chunker {
  #rest = ""
  #open = ""
  #headings: string[] = []
  /** As of the start of the open passage. */
  #above: readonly string[] = []
  #isInFence = false
  /** Where the table that the open passage ends in begins. */
  #tableStart: number | undefined
  #ready: Chunk[] = []

  push(piece: string): readonly Chunk[] {
    this.#rest += piece
    let start = 0
    for (let end = this.#rest.indexOf("\n"); end !== -1; end = this.#rest.indexOf("\n", start)) {
      this.#line(this.#rest.slice(start, end + 1))
      start = end + 1
    }
    this.#rest = this.#rest.slice(start)
    if (this.#rest.length > MAX_LINE_LENGTH) {
      this.#line(this.#rest)
      this.#rest = ""
    }
    return this.#take()
  }

  end(): readonly Chunk[] {
    this.#line(this.#rest)
    this.#rest = ""
    this.#close()
    return this.#take()
  }

  #take(): readonly Chunk[] {
    const ready = this.#ready
    this.#ready = []
    return ready
  }

  #line(line: string): void {
    if (/^\s{0,3}(?:```|~~~)/.test(line)) this.#isInFence = !this.#isInFence
    const heading = this.#isInFence ? null : /^(#{1,6})[ \t]+(.{1,400})/.exec(line)
    if (heading !== null && this.#open.length > MIN_SECTION_LENGTH) this.#close()
    if (heading !== null) this.#enter(heading[1]?.length ?? 1, heading[2] ?? "")
    if (line.trim() === "" && this.#open.length >= TARGET_LENGTH) this.#close()
    if (this.#open === "") this.#above = [...this.#headings]
    this.#tableStart = !this.#isInFence && line.startsWith("|") ? (this.#tableStart ?? this.#open.length) : undefined
    this.#open += line
    while (this.#open.length > MAX_CHUNK_LENGTH) this.#split()
  }

  #enter(level: number, title: string): void {
    this.#headings = [...this.#headings.slice(0, level - 1), title.trim().slice(0, MAX_HEADING_LENGTH).toWellFormed()]
  }

  #split(): void {
    const at = placeInTable(this.#open, this.#tableStart) ?? placeToCut(this.#open)
    if (this.#tableStart !== undefined) this.#tableStart = Math.max(0, this.#tableStart - at)
    this.#keep(this.#open.slice(0, at))
    this.#open = this.#open.slice(at)
    this.#above = [...this.#headings]
  }

  #close(): void {
    this.#keep(this.#open)
    this.#open = ""
  }

  #keep(slice: string): void {
    const text = slice.trim()
    if (text !== "") this.#ready.push({ headings: this.#above, text })
  }
}

/** Before the table if something comes before it, else before the last row that does not fit. */
function placeInTable(text: string, start: number | undefined): number | undefined {
  if (start === undefined || start > MAX_CHUNK_LENGTH) return undefined
  if (start > MIN_SECTION_LENGTH) return start
  const row = text.lastIndexOf("\n|", MAX_CHUNK_LENGTH - 1) + 1
  return row > start ? row : undefined
}

/** After the last sentence that fits, else after the last word, else at the limit. */
function placeToCut(text: string): number {
  const window = text.slice(0, MAX_CHUNK_LENGTH)
  const sentence = Math.max(...[". ", "! ", "? ", ".\n", "\n"].map((mark) => window.lastIndexOf(mark) + mark.length))
  if (sentence > TARGET_LENGTH / 2) return sentence
  const word = window.lastIndexOf(" ") + 1
  if (word > TARGET_LENGTH / 2) return word
  return isLowSurrogate(text.charCodeAt(MAX_CHUNK_LENGTH)) ? MAX_CHUNK_LENGTH - 1 : MAX_CHUNK_LENGTH
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
