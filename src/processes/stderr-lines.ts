// What a process prints on stderr, as lines for a log: a bounded part of it is passed on, and the last line is kept.
import { LineSplitter, type Line } from "../transports/framing/lines.ts"

const replacements = { "too-long": "(line too long)", "not-utf8": "(line is not UTF-8)" } as const
const maxLineBytes = 8 * 1024
const maxPassedOnBytes = 128 * 1024
/** Minimum cost of a line: each is written separately, with a timestamp. */
const MIN_BYTES = 64

export class StderrLines {
  readonly #splitter = new LineSplitter(maxLineBytes, (line) => this.#take(line))
  readonly #forward: (line: string) => void
  #room = maxPassedOnBytes
  /** The last non-empty line, also past the limit. */
  last: string | undefined

  constructor(forward: (line: string) => void) {
    this.#forward = forward
  }

  push(chunk: Uint8Array): void {
    this.#splitter.push(chunk)
  }

  #take(line: Line): void {
    const text = line.kind === "line" ? line.text : replacements[line.kind]
    if (text.trim() !== "") this.last = text
    if (this.#room <= 0) return
    this.#room -= Math.max(Buffer.byteLength(text) + 1, MIN_BYTES)
    this.#forward(text)
    if (this.#room <= 0) this.#forward(`(further output omitted)`)
  }
}
