// Drains an extension's stderr, because a full pipe would block it, and passes lines to the extension's log up to a limit.
import { LineSplitter, type Line } from "../../transports/framing/lines.ts"

const instead = { "too-long": "(line too long)", "not-utf8": "(line is not UTF-8)" } as const
const maxLineBytes = 8 * 1024
const maxPassedOnBytes = 128 * 1024
/** Minimum cost of a line: each is written separately, with a timestamp. */
const leastBytes = 64

export class StderrLines {
  readonly #splitter = new LineSplitter(maxLineBytes, (line) => this.#take(line))
  readonly #passOn: (line: string) => void
  #room = maxPassedOnBytes
  /** The last non-empty line, also past the limit. */
  last: string | undefined

  constructor(passOn: (line: string) => void) {
    this.#passOn = passOn
  }

  push(chunk: Uint8Array): void {
    this.#splitter.push(chunk)
  }

  #take(line: Line): void {
    const text = line.kind === "line" ? line.text : instead[line.kind]
    if (text.trim() !== "") this.last = text
    if (this.#room <= 0) return
    this.#room -= Math.max(Buffer.byteLength(text) + 1, leastBytes)
    this.#passOn(text)
    if (this.#room <= 0) this.#passOn(`(further output omitted)`)
  }
}
