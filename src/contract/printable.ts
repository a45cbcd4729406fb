// Untrusted text made safe for a terminal or a line of a log.

/** Removes what moves the cursor, sets a terminal's title or reverses the order of characters. */
export function printable(text: string): string {
  return text.replaceAll(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "\u{fffd}")
}

export function oneLine(text: string, width: number): string {
  const line = printable(text.replaceAll(/\s+/g, " ").trim())
  return line.length > width ? `${line.slice(0, width - 1).toWellFormed()}…` : line
}
