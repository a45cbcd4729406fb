// Selects the sentences of a passage that match a query best. A snippet is a slice, so it occurs literally in the passage.
import { termsOf } from "./terms.ts"

const MAX_LENGTH = 280

export function snippetOf(text: string, queryTerms: ReadonlySet<string>): string {
  const sentences = sentencesIn(text)
  const best = sentences.reduce<Sentence | undefined>((found, sentence) => {
    const score = scoreOf(sentence.text, queryTerms)
    return found === undefined || score > scoreOf(found.text, queryTerms) ? sentence : found
  }, undefined)
  return withinLimit(text.slice(best?.start ?? 0))
}

/** Whether the snippet occurs in its source. */
export function occursIn(source: string, snippet: string): boolean {
  return snippet !== "" && snippet.length <= MAX_LENGTH && source.includes(snippet)
}

interface Sentence {
  readonly start: number
  readonly text: string
}

/** Headings are not sentences. */
function sentencesIn(text: string): readonly Sentence[] {
  const ends = [...text.matchAll(/[.!?]["')\]]*\s+|\n\s*\n\s*|\n(?=[#>*|-])/g)].map((end) => end.index + end[0].length)
  const starts = [0, ...ends]
  return starts
    .map((start, index) => ({ start, text: text.slice(start, starts[index + 1]) }))
    .filter((sentence) => sentence.text.trim() !== "" && !/^#{1,6}\s/.test(sentence.text))
}

function scoreOf(sentence: string, queryTerms: ReadonlySet<string>): number {
  return new Set(termsOf(sentence).filter((term) => queryTerms.has(term))).size
}

function withinLimit(text: string): string {
  if (text.length <= MAX_LENGTH) return text.trim()
  const window = text.slice(0, MAX_LENGTH + 1)
  const sentence = Math.max(...[". ", "! ", "? ", ".\n"].map((mark) => window.lastIndexOf(mark) + 1))
  const word = window.lastIndexOf(" ")
  const end = sentence > MAX_LENGTH / 3 ? sentence : word > 0 ? word : MAX_LENGTH
  return text.slice(0, isSplit(text, end) ? end - 1 : end).trim()
}

function isSplit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff
}
