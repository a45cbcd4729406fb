// What a page says about itself in its head.
import { oneLine } from "../titles.ts"

const MAX_LENGTH = 500

export class PageHead {
  #title = ""
  #openGraphTitle = ""
  #siteName = ""
  /** Address that relative ones refer to. */
  base: string | undefined

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === "base") this.base ??= attributes["href"]
    if (name !== "meta") return
    const content = (attributes["content"] ?? "").slice(0, MAX_LENGTH)
    const property = attributes["property"] ?? attributes["name"]
    if (property === "og:title") this.#openGraphTitle ||= content
    if (property === "og:site_name") this.#siteName ||= content
  }

  addTitle(text: string): void {
    this.#title += text.slice(0, MAX_LENGTH - this.#title.length)
  }

  get hasTitle(): boolean {
    return this.#title !== ""
  }

  /** As it is shown in the title bar. */
  get title(): string {
    return oneLine(this.#title)
  }

  /**
   * Without the name of the site, which all its pages share: the heading of the content, or else of the page, if it is
   * the part of the title before that.
   */
  pageTitle(content: string, heading: string): string {
    const title = oneLine(this.#openGraphTitle) || this.title
    const headings = [content, heading].map(oneLine).filter((text) => text !== "")
    const own = headings.find((text) => [title, this.title].some((whole) => isFirstPart(whole, text)))
    return own ?? (withoutSite(title, oneLine(this.#siteName)) || (headings[0] ?? ""))
  }
}

/** Those that people write between two titles. */
const separators: ReadonlySet<string> = new Set(["|", "-", "–", "—", "·", "•", ":", "»", "«", "/"])

function isFirstPart(title: string, part: string): boolean {
  if (!title.toLowerCase().startsWith(part.toLowerCase())) return false
  const rest = title.slice(part.length).trimStart()
  return rest === "" || separators.has(rest[0] ?? "")
}

function withoutSite(title: string, site: string): string {
  if (site === "" || title === site) return title
  const [before, after] = [title.slice(0, -site.length).trimEnd(), title.slice(site.length).trimStart()]
  if (title.endsWith(site) && separators.has(before.at(-1) ?? "")) return before.slice(0, -1).trim()
  return title.startsWith(site) && separators.has(after[0] ?? "") ? after.slice(1).trim() : title
}
