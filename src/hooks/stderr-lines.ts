// What an extension prints on stderr: always drained, since a full pipe would stop it, and passed on line by line until
// it was too much. It is for whoever looks into the extension, never for the user or the model.
import { LineSplitter, type Line } from "../transports/framing/lines.ts"

const maxLineBytes = 8 * 1024
const maxPassedOnBytes = 128 * 1024

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
    const text = line.kind === "line" ? line.text : `(a line that is ${line.kind})`
    if (text.trim() !== "") this.last = text
    if (this.#room <= 0) return
    this.#room -= Buffer.byteLength(text) + 1
    this.#passOn(text)
    if (this.#room <= 0) this.#passOn(`(what it prints from here on is left out)`)
  }
}
