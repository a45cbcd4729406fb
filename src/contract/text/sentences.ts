// Sentences of a text, and literal pieces of it that are short enough to quote.

export interface SentenceSpan {
  readonly start: number
  readonly end: number
}

export const MAX_SNIPPET_LENGTH = 280

/** Headings are not sentences. */
export function sentenceSpans(text: string): readonly SentenceSpan[] {
  const ends = [...text.matchAll(/[.!?]["')\]]*\s+|[。！？]|\n\s*\n\s*|\n(?=[#>*|-])/g)].map(
    (end) => end.index + end[0].length,
  )
  const starts = [0, ...ends]
  return starts
    .map((start, index) => ({ start, end: starts[index + 1] ?? text.length }))
    .filter(({ start, end }) => {
      const sentence = text.slice(start, end)
      return sentence.trim() !== "" && !/^#{1,6}\s/.test(sentence)
    })
}

/** From the beginning of the sentence in which this place is. */
export function snippetAround(text: string, place: number): string {
  const sentence = sentenceSpans(text).findLast(({ start }) => start <= place)
  const start = sentence === undefined || place - sentence.start > MAX_SNIPPET_LENGTH / 2 ? place : sentence.start
  return snippetFrom(text, start)
}

/** Ends after a sentence if possible, else after a word. */
export function snippetFrom(text: string, start: number): string {
  const rest = text.slice(start)
  if (rest.length <= MAX_SNIPPET_LENGTH) return rest.trim()
  const window = rest.slice(0, MAX_SNIPPET_LENGTH + 1)
  const sentence = Math.max(...[". ", "! ", "? ", ".\n"].map((mark) => window.lastIndexOf(mark) + 1))
  const word = window.lastIndexOf(" ")
  const end = sentence > MAX_SNIPPET_LENGTH / 3 ? sentence : word > 0 ? word : MAX_SNIPPET_LENGTH
  return rest.slice(0, isSplit(rest, end) ? end - 1 : end).trim()
}

function isSplit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff
}
