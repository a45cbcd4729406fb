// Visible text of a page as plain text with headings, paragraphs and lists.
import { headingLevel, lines, paragraphs, parsePage, TextPieces, tidied, type PageHandler } from "./page-parser.ts"

export function htmlText(html: string): string {
  const page = new PageText()
  parsePage(html, page)
  return tidied(page.text)
}

class PageText implements PageHandler {
  readonly #pieces = new TextPieces()
  #preformatted = 0

  get text(): string {
    return this.#pieces.text()
  }

  open(name: string): void {
    if (name === "pre") this.#preformatted += 1
    const level = headingLevel(name)
    if (level > 0) this.#pieces.add(`\n\n${"#".repeat(level)} `)
    else if (name === "li") this.#pieces.add("\n- ")
    else if (paragraphs.has(name)) this.#pieces.add("\n\n")
    else if (lines.has(name)) this.#pieces.add("\n")
    else if ((name === "td" || name === "th") && !this.#pieces.endsBlank) this.#pieces.add(" ")
  }

  addText(text: string): void {
    if (this.#preformatted > 0) this.#pieces.add(text)
    else this.#pieces.addCollapsed(text)
  }

  close(name: string): void {
    if (name === "pre") this.#preformatted -= 1
    if (headingLevel(name) > 0 || paragraphs.has(name)) this.#pieces.add("\n\n")
  }
}
