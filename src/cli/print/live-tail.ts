// The last lines of what running tools print, in the live region of a terminal. For an output that prints plain lines.
import { addOutput, lastLines, type OutputPiece } from "../../contract/rules/live-output.ts"
import type { CallId } from "../../contract/ids.ts"
import { oneLine } from "../../contract/text/text.ts"
import { styled } from "../../app/terminal.ts"
import type { LiveRegion } from "./live-region.ts"

const LINES = 4
const MAX_WIDTH = 100

export class LiveTail {
  readonly #region: LiveRegion
  readonly #outputs = new Map<CallId, OutputPiece>()

  constructor(region: LiveRegion) {
    this.#region = region
  }

  /** New output of a call. */
  print(callId: CallId, piece: OutputPiece): void {
    const output = addOutput(this.#outputs.get(callId), piece)
    this.#outputs.set(callId, output)
    const lines = lastLines(output, LINES)
    if (lines.length > 0) this.show(lines)
  }

  show(lines: readonly string[]): void {
    this.#region.set(
      "calls",
      lines.map((line) => styled("dim", `  ${oneLine(line, MAX_WIDTH)}`)),
    )
  }

  end(callId: CallId): void {
    this.#outputs.delete(callId)
    this.clear()
  }

  clear(): void {
    this.#region.set("calls", [])
  }
}
