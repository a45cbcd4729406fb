// Text of a call as a person must see it before it runs: hidden characters as escapes, long runs of blanks as their
// number, and the middle of a very long text left out. What is not the text itself is inverse.
import { HIDDEN_CHARACTERS, withVisibleCharacters } from "../contract/text/text.ts"
import { plain, type Span, type Style } from "./spans.ts"

/** Longer runs could push the text behind them out of sight. */
const BLANKS = / {16,}/g
const EMPTY_LINES = /\n{4,}/g
/** Characters shown of the beginning and the end. */
const MAX_START = 6000
const MAX_END = 2000

export function visibleSpans(text: string, styles: readonly Style[] = []): readonly Span[] {
  const [start, hidden, end] = bounded(text.replaceAll("\t", "    "))
  const shown = [start, end].map((part) => marked([{ text: part, styles }]))
  return hidden === 0 ? (shown[0] ?? []) : [...(shown[0] ?? []), mark(` +${hidden} characters `), ...(shown[1] ?? [])]
}

function bounded(text: string): readonly [start: string, hidden: number, end: string] {
  const hidden = text.length - MAX_START - MAX_END
  return hidden <= 0 ? [text, 0, ""] : [text.slice(0, MAX_START), hidden, text.slice(-MAX_END)]
}

function marked(spans: readonly Span[]): readonly Span[] {
  const escaped = replaced(spans, HIDDEN_CHARACTERS, (found) => [mark(withVisibleCharacters(found))])
  const counted = replaced(escaped, BLANKS, (found) => [mark(` ${found.length} blanks `)])
  return replaced(counted, EMPTY_LINES, (found) => [plain("\n"), mark(`${found.length - 1} empty lines`), plain("\n")])
}

function mark(text: string): Span {
  return { text, styles: ["inverse"] }
}

/** Each match in the spans replaced by other spans. */
function replaced(
  spans: readonly Span[],
  pattern: RegExp,
  replacement: (found: string) => readonly Span[],
): readonly Span[] {
  return spans.flatMap((span) => {
    const pieces: Span[] = []
    let from = 0
    for (const { 0: found, index } of span.text.matchAll(pattern)) {
      pieces.push({ ...span, text: span.text.slice(from, index) }, ...replacement(found))
      from = index + found.length
    }
    return [...pieces, { ...span, text: span.text.slice(from) }].filter(({ text }) => text !== "")
  })
}
