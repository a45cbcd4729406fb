// Speaking to a person: plain in a pipe, with a little colour on a terminal. Results go to stdout, talk to stderr.
import { styleText } from "node:util"

type Style = Parameters<typeof styleText>[0]

export function printNotice(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Coloured only where a person looks at it and has not asked for none (NO_COLOR). */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream = process.stderr): string {
  return styleText(style, text, { stream, validateStream: true })
}

/** Text from outside must not move the cursor, set the title of somebody's terminal, or turn the order of words round. */
export function printable(text: string): string {
  return text.replaceAll(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "\u{fffd}")
}

export function oneLine(text: string, width: number): string {
  const line = printable(text.replaceAll(/\s+/g, " ").trim())
  return line.length > width ? `${line.slice(0, width - 1).toWellFormed()}…` : line
}
