// Styled lines as text with escape sequences, if the stream takes them.
import { styled } from "../../app/terminal.ts"
import type { Line, Style } from "../../display/spans.ts"

type TerminalStyle = Extract<Parameters<typeof styled>[0], string>

/** Of the 16 colours that every terminal has. */
const terminalStyles: Readonly<Record<Style, TerminalStyle>> = {
  bold: "bold",
  italic: "italic",
  underline: "underline",
  strikethrough: "strikethrough",
  inverse: "inverse",
  muted: "dim",
  accent: "yellow",
  warning: "yellow",
  danger: "red",
  success: "green",
  added: "green",
  removed: "red",
  tool: "cyan",
  code: "cyan",
  keyword: "magenta",
  string: "green",
  number: "yellow",
  comment: "dim",
  type: "blue",
}

export function paint(line: Line, stream: NodeJS.WriteStream): string {
  return line
    .map(({ text, styles }) =>
      styles.length === 0
        ? text
        : styled(
            styles.map((style) => terminalStyles[style]),
            text,
            stream,
          ),
    )
    .join("")
}
