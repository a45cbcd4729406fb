// Parses a page and reports what a reader sees of it. What is hidden is skipped.
import { Parser } from "htmlparser2"
import { PageHead } from "./page-head.ts"

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
  "title",
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

/** Returns what the page says about itself. Its head is not part of what is reported. */
export function parsePage(html: string, page: PageHandler, head = new PageHead()): PageHead {
  /** Open elements inside a hidden one, itself included. */
  let hidden = 0
  let isTitle = false
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        isTitle = name === "title" && !head.hasTitle
        head.open(name, attributes)
        if (hidden > 0 || unseen.has(name) || isHidden(attributes)) hidden += 1
        else page.open(name, attributes)
      },
      ontext: (text) => {
        if (isTitle) head.addTitle(text)
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
  return head
}

const MAX_STYLE_LENGTH = 2000
const hiding =
  /(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0+)?\s*(?:;|$)|font-size\s*:\s*0(?:px|pt|r?em|%)?\s*(?:;|$))/i

function isHidden(attributes: Attributes): boolean {
  return "hidden" in attributes || hiding.test((attributes["style"] ?? "").slice(0, MAX_STYLE_LENGTH))
}

export function headingLevel(name: string): number {
  return /^h[1-6]$/.test(name) ? Number(name[1]) : 0
}
