// Parses a file of page addresses, one per line. Empty lines and lines that start with '#' are skipped.
const listEnding = /\.urls?$/i

/** A text file is a list if it contains only addresses. */
export function isAddressList(name: string, beginning: string): boolean {
  if (listEnding.test(name)) return true
  if (!/\.(?:txt|text)$/i.test(name)) return false
  const lines = addressLines(beginning)
  return lines.length > 0 && lines.every((line) => /^https?:\/\/\S+$/i.test(line))
}

export function addressLines(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
}
