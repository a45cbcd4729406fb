// What of a passage is indexed: its words, those of the headings above it, of the title and of the name of its document.
import type { Chunk } from "./chunker.ts"
import { languageOf, type Language } from "./languages.ts"
import { nameTerms, termsOf, wordsOf } from "./terms.ts"

export interface PassageTerms {
  readonly body: readonly string[]
  readonly heading: readonly string[]
  readonly title: readonly string[]
  readonly name: readonly string[]
}

/** What all passages of a document share. */
export interface DocumentAnalysis {
  readonly language: Language
  readonly title: string
  readonly titleTerms: readonly string[]
  readonly nameTerms: readonly string[]
}

/** Characters of its beginning that decide the language of a document. */
const SAMPLE_LENGTH = 8000
/** Share of stop words in the sample below which it is not a text in that language, but a list or code. */
const MIN_STOP_WORDS = 0.05

export function languageOfText(text: string): Language {
  return languageOf(wordsOf(text.slice(0, SAMPLE_LENGTH)), { minShare: MIN_STOP_WORDS })
}

export function analysisOf(name: string, title: string, language: Language): DocumentAnalysis {
  return { language, title, titleTerms: termsOf(title, language), nameTerms: nameTerms(name, language) }
}

/** The first heading of a document. */
export function titleOf(chunks: readonly Chunk[]): string {
  return chunks.find(({ headings }) => headings.length > 0)?.headings[0] ?? ""
}

export function passageTerms(document: DocumentAnalysis, heading: string, text: string): PassageTerms {
  const { language, titleTerms: title, nameTerms: name } = document
  return { body: termsOf(text, language), heading: termsOf(heading, language), title, name }
}
