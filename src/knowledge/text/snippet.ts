// Selects the sentences of a passage that match a query best. A snippet is a slice, so it occurs literally in the passage.
import { MAX_SNIPPET_LENGTH, sentenceSpans, snippetFrom } from "../../contract/text/sentences.ts"
import type { Language } from "./languages.ts"
import { termsOf } from "./terms.ts"

export function snippetOf(text: string, queryTerms: ReadonlySet<string>, language: Language): string {
  let best = { start: 0, score: -1 }
  for (const { start, end } of sentenceSpans(text)) {
    const score = new Set(termsOf(text.slice(start, end), language).filter((term) => queryTerms.has(term))).size
    if (score > best.score) best = { start, score }
  }
  return snippetFrom(text, best.start)
}

/** Whether the snippet occurs in its source. */
export function occursIn(source: string, snippet: string): boolean {
  return snippet !== "" && snippet.length <= MAX_SNIPPET_LENGTH && source.includes(snippet)
}
