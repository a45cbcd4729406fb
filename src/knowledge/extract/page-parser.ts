// Parses a page and reports what a reader sees of it. What is hidden is skipped.
import { Parser } from "htmlparser2"
import { ExtractFault, extractLimits } from "./extract-limits.ts"

export type Attributes = Readonly<Record<string, string>>

export interface PageHandler {
  open(name: string, attributes: Attributes): void
  addText(text: string): void
  close(name: string): void
}

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

/** Elements that are blocks of their own. */
export const paragraphs: ReadonlySet<string> = new Set(
  "address article aside blockquote dd div dl dt figcaption figure footer form header hr main nav ol p pre section table ul".split(
    " ",
  ),
)
/** Elements that start a new line. */
export const lines: ReadonlySet<string> = new Set(["br", "tr", "caption", "summary", "details"])

/** Returns the title of the page, which is not part of what is reported if it is in the head. */
export function parsePage(html: string, page: PageHandler): string {
  /** Open elements inside a hidden one, itself included. */
  let hidden = 0
  let isTitle = false
  let title = ""
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        isTitle = name === "title" && title === ""
        if (hidden > 0 || unseen.has(name) || isHidden(attributes)) hidden += 1
        else page.open(name, attributes)
      },
      ontext: (text) => {
        if (isTitle) title += text.slice(0, MAX_TITLE - title.length)
        if (hidden === 0) page.addText(text)
      },
      onclosetag: (name) => {
        isTitle = false
        if (hidden > 0) hidden -= 1
        else page.close(name)
      },
    },
    { decodeEntities: true, lowerCaseTags: true },
  )
  parser.write(html)
  parser.end()
  return title.replaceAll(/\s+/g, " ").trim()
}

const MAX_TITLE = 500

function isHidden(attributes: Attributes): boolean {
  return "hidden" in attributes || /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(attributes["style"] ?? "")
}

export function headingLevel(name: string): number {
  return /^h[1-6]$/.test(name) ? Number(name[1]) : 0
}

/** Text that grows in pieces. Kept as a list: looking at the end of a growing string costs its length. */
export class TextPieces {
  readonly #pieces: string[] = []
  #length = 0
  #endsBlank = true

  get count(): number {
    return this.#pieces.length
  }

  /** Whether the text ends in white space. */
  get endsBlank(): boolean {
    return this.#endsBlank
  }

  add(text: string): void {
    if (text === "") return
    this.#pieces.push(text)
    this.#length += text.length
    this.#endsBlank = /\s$/.test(text)
    if (this.#length > extractLimits.textLength) throw new ExtractFault("it contains too much text")
  }

  /** Collapses white space as browsers do. */
  addCollapsed(text: string): void {
    const collapsed = text.replaceAll(/\s+/g, " ")
    this.add(this.#endsBlank ? collapsed.trimStart() : collapsed)
  }

  /** Removes and returns the pieces from `start` on. */
  take(start: number): string {
    const taken = this.#pieces.splice(start).join("")
    this.#length -= taken.length
    this.#endsBlank = this.#pieces.length === 0 || /\s$/.test(this.#pieces.at(-1) ?? "")
    return taken
  }

  text(from = 0, to = this.#pieces.length): string {
    return this.#pieces.slice(from, to).join("")
  }
}

/** Without white space at the ends of lines, and with at most one empty line between two others. */
export function tidied(text: string): string {
  return `${text
    .replaceAll(/(?<![ \t])[ \t]+\n/g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim()}\n`
}
