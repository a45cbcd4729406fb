// Text as HTML, and code with its colours.
import { highlighted } from "../../src/display/highlight.ts"

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
}

/** Code with a line longer than this may be wider than a phone, and must then be scrollable with the keyboard. */
const NARROW_COLUMNS = 34

/** `label` is what a screen reader says. */
export function codeBlock(code: string, language: string, label: string): string {
  const isWide = code.split("\n").some((line) => line.length > NARROW_COLUMNS)
  const group = isWide ? ` tabindex="0" role="group" aria-label="${escapeHtml(label)}"` : ""
  return `<pre${group}><code>${codeHtml(code, language)}</code></pre>\n`
}

function codeHtml(code: string, language: string): string {
  const lines = highlighted(code, language).map((line) =>
    line
      .map(({ text, styles }) =>
        coloured(
          text,
          styles.find((style) => colours.has(style)),
        ),
      )
      .join(""),
  )
  return lines.join("\n")
}

const colours: ReadonlySet<string> = new Set(["keyword", "string", "number", "comment", "type", "added", "removed"])

function coloured(text: string, style: string | undefined): string {
  return style === undefined ? escapeHtml(text) : `<span class="${style}">${escapeHtml(text)}</span>`
}
