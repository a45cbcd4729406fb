// What an extension prints on stderr: always drained, since a full pipe would stop it, and passed on line by line until
// it was too much. It is for whoever looks into the extension, never for the user or the model.
import { LineSplitter, type Line } from "../../transports/framing/lines.ts"

const instead = { "too-long": "(a line that is too long)", "not-utf8": "(a line that is not UTF-8)" } as const
const maxLineBytes = 8 * 1024
const maxPassedOnBytes = 128 * 1024
/** What a line costs at least: each is written for itself, with the time. */
const leastBytes = 64

export class StderrLines {
  readonly #splitter = new LineSplitter(maxLineBytes, (line) => this.#take(line))
  readonly #passOn: (line: string) => void
  #room = maxPassedOnBytes
  /** The newest line that says anything, also when no more is passed on. */
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
    if (this.#room <= 0) this.#passOn(`(what it prints from here on is left out)`)
  }
}
