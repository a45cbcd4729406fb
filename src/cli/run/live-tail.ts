// The last lines of what running tools print, below everything else on the terminal. They are replaced by the next ones
// and removed before anything else is printed.
import { addOutput, lastLines, type OutputPiece } from "../../contract/rules/live-output.ts"
import type { CallId } from "../../contract/ids.ts"
import { oneLine } from "../../contract/text/text.ts"
import { styled } from "../../app/terminal.ts"

const LINES = 4
const MAX_WIDTH = 100

type Screen = Pick<NodeJS.WriteStream, "write" | "columns">

export class LiveTail {
  readonly #screen: Screen
  readonly #outputs = new Map<CallId, OutputPiece>()
  #shown = 0

  /** Only for a terminal. */
  constructor(screen: Screen = process.stderr) {
    this.#screen = screen
  }

  /** New output of a call. */
  print(callId: CallId, piece: OutputPiece): void {
    const output = addOutput(this.#outputs.get(callId), piece)
    this.#outputs.set(callId, output)
    this.show(lastLines(output, LINES))
  }

  show(lines: readonly string[]): void {
    if (lines.length === 0) return
    const width = Math.min(MAX_WIDTH, this.#screen.columns - 3) // a line that wraps could not be removed
    const text = lines.map((line) => styled("dim", `  ${oneLine(line, Math.max(1, width))}`)).join("\n")
    this.#screen.write(`${this.#removal()}${text}`)
    this.#shown = lines.length
  }

  end(callId: CallId): void {
    this.#outputs.delete(callId)
    this.clear()
  }

  clear(): void {
    if (this.#shown > 0) this.#screen.write(this.#removal())
    this.#shown = 0
  }

  #removal(): string {
    const up = this.#shown > 1 ? `\u001b[${this.#shown - 1}A` : ""
    return this.#shown === 0 ? "" : `\r${up}\u001b[J`
  }
}
