// What search looks through: the sections of all pages, as text.
import { Parser } from "htmlparser2"
import type { Page } from "./page.ts"

/** As in page/match.ts. */
export interface IndexedSection {
  /** Address of the page, with the anchor of the section. */
  readonly url: string
  readonly page: string
  readonly heading: string
  readonly text: string
}

/** Characters of a section; what comes later is not found. */
const MAX_SECTION = 3000

export function indexedSections(page: Page): readonly IndexedSection[] {
  const sections: { anchor: string; heading: string; text: string }[] = [{ anchor: "", heading: "", text: "" }]
  let isInHeading = false
  const parser = new Parser({
    onopentag(name, { id = "" }) {
      if (!/^h[23]$/.test(name)) return
      isInHeading = true
      sections.push({ anchor: id, heading: "", text: "" })
    },
    ontext(text) {
      const section = sections.at(-1)
      if (section === undefined) return
      if (isInHeading) section.heading += text
      else if (section.text.length < MAX_SECTION) section.text += text
    },
    onclosetag(name) {
      if (/^h[23]$/.test(name)) isInHeading = false
      const section = sections.at(-1)
      if (section !== undefined && blocks.has(name)) section.text += " "
    },
  })
  parser.end(page.body)
  return sections.map(({ anchor, heading, text }) => ({
    url: anchor === "" ? page.url : `${page.url}#${anchor}`,
    page: page.title,
    heading: heading.trim(),
    text: text.replaceAll(/\s+/g, " ").trim().slice(0, MAX_SECTION),
  }))
}

const blocks: ReadonlySet<string> = new Set(["p", "li", "td", "th", "pre", "dt", "dd"])
