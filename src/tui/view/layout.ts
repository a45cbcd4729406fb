// Measures that all parts of the screen share.
import { plain, wrapSpans, type Line, type Style } from "../../display/spans.ts"

/** Text is not wider, however wide the terminal is: longer lines are hard to read. */
const MAX_TEXT_WIDTH = 100

/** Columns for text between the margins. */
export function textWidth(width: number): number {
  return Math.max(1, Math.min(MAX_TEXT_WIDTH, width - 2))
}

/** With the left margin of the screen. */
export function indentedLine(line: Line): Line {
  return line.length === 0 ? [] : [plain(" "), ...line]
}

export function rule(width: number): Line {
  return [{ text: "─".repeat(Math.max(0, width)), styles: ["muted"] }]
}

/** `label` and the text behind it, later lines below its beginning; below the label in a narrow window. */
export function labelled(label: Line, labelWidth: number, body: readonly Line[]): readonly Line[] {
  return body.map((line, at) => (at === 0 ? [...label, ...line] : [plain(" ".repeat(labelWidth)), ...line]))
}

export function wrapped(text: string, width: number, styles: readonly Style[] = []): readonly Line[] {
  return wrapSpans([{ text, styles }], width)
}
