// Text that is broken between words, with the later lines below the beginning of the first.
import { plain, wrapSpans } from "../../display/spans.ts"

const DEFAULT_COLUMNS = 80
const MIN_COLUMNS = 40
/** Longer lines are hard to read. */
const MAX_COLUMNS = 100
/** A narrower column is not used: the text begins on a line of its own instead. */
const MIN_TEXT = 24

/** Columns for text on a stream; 80 in a pipe. */
export function textWidth({ isTTY, columns }: NodeJS.WriteStream): number {
  if (!isTTY || columns <= 0) return DEFAULT_COLUMNS
  return Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, columns))
}

/** `label` and the text behind it; in a narrow terminal the text is below the label, or a mark moves to the left. */
export function hanging(label: string, text: string, width: number): readonly string[] {
  if (label === "" || width - label.length >= MIN_TEXT) return below(label, text, width)
  const mark = label.trim()
  if (mark.length <= 1) return below(`${NARROW_MARGIN}${mark} `, text, width)
  return [label.trimEnd(), ...below(NARROW_MARGIN, text, width)]
}

const NARROW_MARGIN = " ".repeat(10)

function below(first: string, text: string, width: number): readonly string[] {
  return wrapSpans([plain(text)], width - first.length).map((line, at) => {
    const words = line.map((span) => span.text).join("")
    return `${at === 0 ? first : " ".repeat(first.length)}${words}`
  })
}

/**
 * Lines that were broken by hand, for another width. A line that ends a sentence ends a paragraph, and an empty line stays; two spaces behind the
 * first word, or before it, are the margin of the paragraph.
 */
export function reflowed(text: string, width: number): readonly string[] {
  const paragraphs: string[] = []
  for (const line of text.split("\n")) {
    const last = paragraphs.at(-1)
    if (last === undefined || last === "" || line === "" || /[.:]$/.test(last)) paragraphs.push(line)
    else paragraphs[paragraphs.length - 1] = `${last} ${line.trimStart()}`
  }
  return paragraphs.flatMap((paragraph) => {
    const label = /^(?:\s+|\S+\s{2,})/.exec(paragraph)?.[0] ?? ""
    return hanging(label, paragraph.slice(label.length), width)
  })
}
