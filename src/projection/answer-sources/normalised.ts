// Text for comparing: one kind of quotation mark, dash and blank, lower case, no marks of Markdown. Each character knows
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
  "“": '"',
  "”": '"',
  "„": '"',
  "«": '"',
  "»": '"',
  "‐": "-",
  "‑": "-",
  "–": "-",
  "—": "-",
  "…": "...",
  "\u00a0": " ",
  "\u00ad": "",
  "*": "",
  "`": "",
}

export function normalised(original: string): Normalised {
  const places: number[] = []
  let text = ""
  let at = 0
  for (const character of original) {
    const plain = replacements[character] ?? character.normalize("NFKC").toLowerCase()
    const isRepeatedBlank = /^\s*$/.test(plain) && (text === "" || text.endsWith(" "))
    const added = isRepeatedBlank ? "" : plain.replace(/^\s+$/, " ")
    for (let count = 0; count < added.length; count++) places.push(at)
    text += added
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
