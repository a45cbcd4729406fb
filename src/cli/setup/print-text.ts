// Text for a terminal of any width: broken between words.
import { printNotice } from "../../app/terminal.ts"
import { paint, plain, wrapSpans } from "../print/wrap.ts"

const DEFAULT_COLUMNS = 80

/** Columns of the terminal that questions are printed on. */
export function terminalWidth(): number {
  return process.stderr.columns > 0 ? process.stderr.columns : DEFAULT_COLUMNS
}

export function printText(text: string): void {
  const lines = wrapSpans([plain(text)], terminalWidth() - 1)
  printNotice(lines.map((line) => paint(line, process.stderr)).join("\n"))
}
