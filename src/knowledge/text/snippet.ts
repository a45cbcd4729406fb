// Selects the sentences of a passage that match a query best. A snippet is a slice, so it occurs literally in the passage.
import { termsOf } from "./terms.ts"

const longest = 280

export function snippetOf(text: string, asked: ReadonlySet<string>): string {
  const sentences = sentencesIn(text)
  const best = sentences.reduce<Sentence | undefined>((found, sentence) => {
    const worth = worthOf(sentence.text, asked)
    return found === undefined || worth > worthOf(found.text, asked) ? sentence : found
  }, undefined)
  return withinLimit(text.slice(best?.start ?? 0))
}

/** Whether the snippet occurs in its source. */
export function standsIn(source: string, snippet: string): boolean {
  return snippet !== "" && snippet.length <= longest && source.includes(snippet)
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

function worthOf(sentence: string, asked: ReadonlySet<string>): number {
  return new Set(termsOf(sentence).filter((term) => asked.has(term))).size
}

function withinLimit(text: string): string {
  if (text.length <= longest) return text.trim()
  const window = text.slice(0, longest + 1)
  const sentence = Math.max(...[". ", "! ", "? ", ".\n"].map((mark) => window.lastIndexOf(mark) + 1))
  const word = window.lastIndexOf(" ")
  const end = sentence > longest / 3 ? sentence : word > 0 ? word : longest
  return text.slice(0, isSplit(text, end) ? end - 1 : end).trim()
}

function isSplit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff
}
