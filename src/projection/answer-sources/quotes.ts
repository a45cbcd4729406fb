// Quotations in an answer: text in quotation marks, and lines that begin with `>`. Code is not a quotation.
import { withoutTrailing } from "../../contract/text/text.ts"
import { normalised, type Normalised, type Span } from "./normalised.ts"

export interface Quote extends Span {
  readonly text: string
}

/** Shorter ones are names and terms. */
const MIN_WORDS = 4
const MAX_QUOTES = 50

const code = /```[\s\S]{0,20000}?(?:```|$)|`[^`\n]{1,500}`/g
const inMarks = /["“”„«»]([^"“”„«»\n]{10,1000})["“”«»]|「([^「」\n]{4,1000})」/g
const lines = /^> ?(.{10,1000})$/gm
/** Between two letters of a word, or two digits of a number; not in scripts without blanks, nor before a footnote's number. */
const insideWord =
  /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])(?=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])|(?<=\p{N}[.,]?)(?=[.,]?\p{N})/uy

export function quotesIn(answer: string): readonly Quote[] {
  const text = answer.replaceAll(code, (found) => found.replaceAll(/[^\n]/g, " "))
  const found = [...text.matchAll(inMarks), ...text.matchAll(lines)].flatMap((match) => {
    const inner = match[1] ?? match[2] ?? ""
    const start = match.index + match[0].indexOf(inner)
    const end = start + inner.length
    const withCode = answer.slice(start, end)
    return isLong(withCode) ? [{ text: withCode, start, end }] : []
  })
  return found.slice(0, MAX_QUOTES)
}

/** Enough words that the same ones elsewhere are no accident. */
export function isLong(text: string): boolean {
  const hasWideScript = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)
  return hasWideScript || text.trim().split(/\s+/).length >= MIN_WORDS
}

/** Where the quotation stands word for word: "0 days" is not in "30 days". Parts around an ellipsis must follow each other. */
export function findQuote(quote: string, source: Normalised): Span | undefined {
  const parts = normalised(quote)
    .text.split(/\[?\.\.\.\]?/)
    .map((part) => withoutTrailing(part.replace(/^[\s,.;:!?]+/, ""), " ,.;:!?"))
    .filter((part) => part !== "")
  let start: number | undefined
  let end = 0
  for (const part of parts) {
    const place = findWords(part, source.text, end)
    if (place === undefined) return undefined
    start ??= place
    end = place + part.length
  }
  return start === undefined ? undefined : source.original(start, end)
}

function findWords(words: string, text: string, from: number): number | undefined {
  let place = text.indexOf(words, from)
  while (place !== -1 && (isInsideWord(text, place) || isInsideWord(text, place + words.length)))
    place = text.indexOf(words, place + 1)
  return place === -1 ? undefined : place
}

function isInsideWord(text: string, at: number): boolean {
  insideWord.lastIndex = at
  return insideWord.test(text)
}
