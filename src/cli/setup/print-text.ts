// Text of setup on a terminal of any width: broken between words.
import { printNotice } from "../../app/terminal.ts"
import { hanging, textWidth } from "../print/hanging.ts"

/** Columns of the terminal that questions are printed on. */
export function terminalWidth(): number {
  return textWidth(process.stderr)
}

export function printText(text: string): void {
  printNotice(hanging("", text, terminalWidth() - 1).join("\n"))
}
