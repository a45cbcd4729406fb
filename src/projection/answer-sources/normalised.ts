// Text for comparing: one kind of quotation mark, dash and blank, lower case, no marks and links of Markdown. Each character knows
// where it was, so that a match is a span of the original.
export interface Span {
  readonly start: number
  readonly end: number
}

export interface Normalised {
  readonly text: string
  /** Span of the original from which the characters from `start` up to `end` came. */
  original(start: number, end: number): Span
}

const replacements: Readonly<Record<string, string>> = {
  "‘": "'",
  "’": "'",
  "‚": "'",
  '"': "'",
  "“": "'",
  "”": "'",
  "„": "'",
  "«": "'",
  "»": "'",
  "‐": "-",
  "‑": "-",
  "–": "-",
  "—": "-",
  "…": "...",
  "\u00a0": " ",
  "\u00ad": "",
  "*": "",
  "`": "",
  "\0": "",
}

const link = /!?\[([^[\]\n]{1,300})\](?:\([^()\n]{0,500}\)|\[[^[\]\n]{0,100}\])/g
/** References of footnotes, marks of emphasis, and hyphens at the end of a line. */
const unread =
  /\[\^[^[\]\n]{1,40}\]|(?<![\p{L}\p{N}_])_{1,3}(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}.,!?])_{1,3}(?![\p{L}\p{N}_])|(?<=\p{L})-\n(?=\p{Ll})/gu

/** As long as before, with NUL for what a reader of the page does not see. */
function withoutMarkup(text: string): string {
  return text
    .replaceAll(link, (all: string, inner: string) => {
      const before = all.indexOf("[") + 1
      return `${"\0".repeat(before)}${inner}${"\0".repeat(all.length - before - inner.length)}`
    })
    .replaceAll(unread, (all) => "\0".repeat(all.length))
}

export function normalised(original: string): Normalised {
  const places: number[] = []
  let text = "" // only appended to: reading it in between would copy it each time
  let endsInBlank = true
  let at = 0
  for (const character of withoutMarkup(original)) {
    const plain = replacements[character] ?? character.normalize("NFKC").toLowerCase()
    const isBlank = /^\s*$/.test(plain)
    const added: string = isBlank && endsInBlank ? "" : plain.replace(/^\s+$/, " ")
    for (let count = 0; count < added.length; count++) places.push(at)
    text += added
    if (added !== "") endsInBlank = added.endsWith(" ")
    at += character.length
  }
  return {
    text,
    original: (start, end) => {
      const last = places[end - 1] ?? original.length - 1
      const isPair = original.codePointAt(last) !== original.charCodeAt(last)
      return { start: places[start] ?? original.length, end: last + (isPair ? 2 : 1) }
    },
  }
}
