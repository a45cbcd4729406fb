// Visible text of a page as plain text with headings, paragraphs and lists.
import { Parser } from "htmlparser2"
import { ExtractFault, extractLimits } from "./extract-limits.ts"

const unseen: ReadonlySet<string> = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "math",
  "head",
  "iframe",
  "object",
  "select",
  "button",
])
const paragraphs: ReadonlySet<string> = new Set(
  "address article aside blockquote dd div dl dt figcaption figure footer form header hr main nav ol p pre section table ul".split(
    " ",
  ),
)
const lines: ReadonlySet<string> = new Set(["br", "tr", "caption", "summary", "details"])

export function htmlText(html: string): string {
  const page = new PageText()
  const parser = new Parser(
    {
      onopentag: (name, attributes) => page.open(name, attributes),
      ontext: (text) => page.addText(text),
      onclosetag: (name) => page.close(name),
    },
    { decodeEntities: true, lowerCaseTags: true },
  )
  parser.write(html)
  parser.end()
  return page.text
}

class PageText {
  #text = ""
  /** Whether the text ends in white space. Tracked, because looking at the end of a growing string costs its length. */
  #endsBlank = true
  /** Open elements inside a hidden one, itself included. */
  #unseen = 0
  #preformatted = 0

  get text(): string {
    return `${this.#text
      .replaceAll(/(?<![ \t])[ \t]+\n/g, "\n")
      .replaceAll(/\n{3,}/g, "\n\n")
      .trim()}\n`
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#unseen > 0 || unseen.has(name) || "hidden" in attributes) {
      this.#unseen += 1
      return
    }
    if (name === "pre") this.#preformatted += 1
    const level = headingLevel(name)
    if (level > 0) this.#add(`\n\n${"#".repeat(level)} `)
    else if (name === "li") this.#add("\n- ")
    else if (paragraphs.has(name)) this.#add("\n\n")
    else if (lines.has(name)) this.#add("\n")
    else if ((name === "td" || name === "th") && !this.#endsBlank) this.#add(" ")
  }

  addText(text: string): void {
    if (this.#unseen > 0) return
    if (this.#preformatted > 0) return this.#add(text)
    const collapsed = text.replaceAll(/\s+/g, " ")
    this.#add(this.#endsBlank ? collapsed.trimStart() : collapsed)
  }

  close(name: string): void {
    if (this.#unseen > 0) {
      this.#unseen -= 1
      return
    }
    if (name === "pre") this.#preformatted -= 1
    if (headingLevel(name) > 0 || paragraphs.has(name)) this.#add("\n\n")
  }

  #add(text: string): void {
    if (text === "") return
    this.#text += text
    this.#endsBlank = /\s$/.test(text)
    if (this.#text.length > extractLimits.textLength) throw new ExtractFault("it contains too much text")
  }
}

function headingLevel(name: string): number {
  return /^h[1-6]$/.test(name) ? Number(name[1]) : 0
}
