// Visible text of a page as Markdown, in two ways. For a model that reads the page: with links and images, what is in <main>
// first, the rest after it. For the index: the content only, without addresses and marks inside of lines, so that its
// words can be quoted, and with the header row of a long table repeated. Linear in the size of the page: of elements
// inside each other only the outermost link and code block and the innermost table are formatted.
import { headingLevel, lines, paragraphs, parsePage, type Attributes, type PageHandler } from "./page/page-parser.ts"
import { PageHead } from "./page/page-head.ts"
import { ContentOnly, PageRegions } from "./page/page-regions.ts"
import { PageTable } from "./page/page-table.ts"
import { TextPieces, tidied } from "./text-pieces.ts"
import { firstHeading, withPageTitle } from "./titles.ts"

/** Characters of an address that is shown. Longer ones are mostly tracking. */
const MAX_ADDRESS = 500
const inlineMarks: ReadonlySet<string> = new Set(["a", "code", "kbd", "img"])

export interface PageMarkdown {
  readonly title: string
  readonly text: string
}

export function htmlMarkdown(html: string, base: string): PageMarkdown {
  const head = new PageHead()
  const page = new MarkdownPage({ isPlain: false, addressBase: () => URL.parse(head.base ?? "", base)?.href ?? base })
  parsePage(html, page, head)
  return { title: head.title, text: tidied(page.text) }
}

/** Its title is the first heading. */
export function pageContentText(html: string): string {
  const regions = new PageRegions()
  const head = parsePage(html, regions)
  const page = new MarkdownPage({ isPlain: true })
  parsePage(html, new ContentOnly(page, regions.content()))
  const text = tidied(page.text)
  return withPageTitle(head.pageTitle(firstHeading(text), regions.heading), text)
}

/** All of it, with headings that many levels lower. For chapters of books and for mail, which have no navigation. */
export function pagePlainText(html: string, headingOffset = 0): PageMarkdown {
  const page = new MarkdownPage({ isPlain: true, headingOffset })
  const head = parsePage(html, page)
  return { title: head.title, text: tidied(page.text) }
}

interface MarkdownOptions {
  /** Without links, images and marks of code inside of lines. */
  readonly isPlain: boolean
  readonly addressBase?: () => string
  readonly headingOffset?: number
}

/** A longer cell places a part of the page. */
const MAX_PLAIN_CELL = 1500

interface List {
  readonly isOrdered: boolean
  count: number
}

class MarkdownPage implements PageHandler {
  readonly #options: MarkdownOptions
  readonly #pieces = new TextPieces()
  readonly #tables: PageTable[] = []
  readonly #lists: List[] = []
  /** Right after the mark of a list item: a paragraph there does not start a new line. */
  #isItemStart = false
  /** A paragraph in a list has ended: what follows in the same item starts a new line. */
  #isBreakDue = false
  #link: { readonly start: number; readonly address: string } | undefined
  #code: { readonly start: number; language: string } | undefined
  #codeDepth = 0
  #main: { readonly start: number; end: number | undefined } | undefined

  constructor(options: MarkdownOptions) {
    this.#options = options
  }

  get text(): string {
    const { start, end } = (this.#options.isPlain ? undefined : this.#main) ?? {}
    if (start === undefined || end === undefined) return this.#pieces.text()
    const main = this.#pieces.text(start, end)
    const rest = `${this.#pieces.text(0, start)}\n\n${this.#pieces.text(end)}`
    if (main.trim() === "" || rest.trim() === "") return this.#pieces.text()
    return `${main}\n\n---\n[The rest of the page, such as its navigation:]\n\n${rest}`
  }

  open(name: string, attributes: Attributes): void {
    if (name === "pre") this.#openCode(attributes)
    else if (this.#code !== undefined) this.#code.language ||= name === "code" ? languageOf(attributes) : ""
    else if (inlineMarks.has(name)) this.#openMark(name, attributes)
    else if (name === "li") this.#openItem()
    else if (name === "table") this.#openTable(attributes)
    else if (name === "tr" || name === "td" || name === "th") this.#openCell(name, attributes)
    else this.#openBlock(name)
  }

  addText(text: string): void {
    if (this.#code !== undefined) return this.#pieces.add(text)
    if (/\S/.test(text)) this.#startText()
    this.#pieces.addCollapsed(text)
  }

  close(name: string): void {
    if (name === "pre") this.#closeCode()
    else if (this.#code !== undefined) return
    else if (inlineMarks.has(name)) this.#closeMark(name)
    else if (name === "ul" || name === "ol") this.#closeList()
    else if (name === "table") this.#closeTable()
    else if (name === "td" || name === "th") this.#closeCell()
    else if (name === "tr") this.#closeRow()
    else if (headingLevel(name) > 0 || paragraphs.has(name)) this.#closeBlock(name)
  }

  #openMark(name: string, attributes: Attributes): void {
    if (this.#options.isPlain) return
    if (name === "a") this.#openLink(attributes)
    else if (name === "img") this.#addImage(attributes)
    else this.addText("`")
  }

  #closeMark(name: string): void {
    if (name === "a") this.#closeLink()
    else if (name !== "img" && !this.#options.isPlain) this.#pieces.add("`")
  }

  #openBlock(name: string): void {
    const level = headingLevel(name)
    if (level > 0) this.#placeOnly()
    if (name === "main" && this.#main === undefined && this.#tables.length === 0)
      this.#main = { start: this.#pieces.count, end: undefined }
    const isNestedList = (name === "ul" || name === "ol") && this.#lists.length > 0
    if (level > 0)
      this.#pieces.add(`${this.#break("\n\n")}${"#".repeat(Math.min(level + (this.#options.headingOffset ?? 0), 6))} `)
    else if (name === "hr") this.#pieces.add("\n\n---")
    else if (paragraphs.has(name) && !isNestedList) this.#pieces.add(this.#break("\n\n"))
    else if (lines.has(name)) this.#pieces.add(this.#break("\n"))
    if (name === "ul" || name === "ol") this.#lists.push({ isOrdered: name === "ol", count: 0 })
  }

  #closeBlock(name: string): void {
    if (this.#lists.length > 0) this.#isBreakDue = true
    else this.#pieces.add("\n\n")
    if (name === "main" && this.#main !== undefined) this.#main.end ??= this.#pieces.count
  }

  /** Inside a list a paragraph is only a new line, and at the start of an item not even that. */
  #break(usual: string): string {
    this.#isBreakDue = false
    if (this.#isItemStart) return ""
    return this.#lists.length === 0 ? usual : `\n${indent(this.#lists.length)}`
  }

  /** Before text, links and code of a line. */
  #startText(): void {
    if (this.#isBreakDue) this.#pieces.add(this.#break("\n"))
    this.#isItemStart = false
  }

  #openItem(): void {
    const list = this.#lists.at(-1)
    if (list !== undefined) list.count += 1
    const mark = list?.isOrdered === true ? `${list.count}. ` : "- "
    this.#pieces.add(`\n${indent(this.#lists.length - 1)}${mark}`)
    this.#isItemStart = true
    this.#isBreakDue = false
  }

  #closeList(): void {
    this.#lists.pop()
    this.#isItemStart = false
    this.#isBreakDue = this.#lists.length > 0
    if (this.#lists.length === 0) this.#pieces.add("\n\n")
  }

  #openLink({ href }: Attributes): void {
    const address = this.#addressOf(href)
    if (this.#link !== undefined || address === undefined) return
    if (this.#isBreakDue) this.#startText()
    this.#link = { start: this.#pieces.count, address }
  }

  #closeLink(): void {
    const link = this.#link
    this.#link = undefined
    if (link === undefined || link.start > this.#pieces.count) return
    const text = this.#pieces.take(link.start)
    const words = text.trim()
    const before = text.slice(0, text.length - text.trimStart().length)
    const after = text.slice(text.trimEnd().length)
    if (words === "") return this.#pieces.add(text)
    this.#pieces.add(
      words.includes("\n")
        ? `${before}${words} (${link.address})${after}`
        : `${before}[${words}](${link.address})${after}`,
    )
  }

  #addImage({ alt = "", src }: Attributes): void {
    const address = this.#addressOf(src)
    if (alt.trim() !== "" && address !== undefined) this.addText(`![${alt}](${address})`)
  }

  /** Undefined for places in the same page, scripts, data and mail. */
  #addressOf(reference: string | undefined): string | undefined {
    if (reference === undefined || reference === "" || reference.startsWith("#")) return undefined
    const url = URL.parse(reference, this.#options.addressBase?.())
    if (url === null || !/^https?:$/.test(url.protocol) || url.href.length > MAX_ADDRESS) return undefined
    return url.href
  }

  #openCode(attributes: Attributes): void {
    this.#codeDepth += 1
    this.#code ??= { start: this.#pieces.count, language: languageOf(attributes) }
  }

  #closeCode(): void {
    this.#codeDepth -= 1
    if (this.#code === undefined || this.#codeDepth > 0) return
    const { start, language } = this.#code
    this.#code = undefined
    const code = this.#pieces.take(start).replace(/^\n/, "").trimEnd()
    const fence = code.includes("```") ? "````" : "```"
    if (code !== "") this.#pieces.add(`\n\n${fence}${language}\n${code}\n${fence}\n\n`)
    this.#isItemStart = false
  }

  #openTable(attributes: Attributes): void {
    this.#placeOnly()
    this.#tables.push(new PageTable(attributes))
    this.#pieces.add("\n\n")
  }

  /** A table or a heading in a cell tells that the table only places things. */
  #placeOnly(): void {
    const table = this.#tables.at(-1)
    if (table === undefined || table.isLayout) return
    const open = table.cell === undefined || table.cell > this.#pieces.count ? "" : this.#pieces.take(table.cell)
    this.#placeCells(table, open)
  }

  #placeCells(table: PageTable, open: string): void {
    table.isLayout = true
    table.cell = undefined
    this.#pieces.add([...table.takeCells(), open].filter((cell) => cell !== "").join("\n\n"))
  }

  #openCell(name: string, attributes: Attributes): void {
    const table = this.#tables.at(-1)
    if (table === undefined || table.isLayout) return this.#pieces.add(name === "tr" ? "\n" : " ")
    if (name === "tr") this.#closeRow()
    else table.openCell(this.#pieces.count, attributes)
  }

  #closeCell(): void {
    const table = this.#tables.at(-1)
    if (table?.cell === undefined) return
    const text = table.cell > this.#pieces.count ? "" : this.#pieces.take(table.cell)
    if (this.#options.isPlain && text.length > MAX_PLAIN_CELL) this.#placeCells(table, text)
    else table.closeCell(text)
  }

  #closeRow(): void {
    this.#closeCell()
    this.#pieces.add(this.#tables.at(-1)?.closeRow(this.#options.isPlain) ?? "")
  }

  #closeTable(): void {
    this.#closeRow()
    this.#tables.pop()
    this.#pieces.add("\n\n")
  }
}

function indent(depth: number): string {
  return "  ".repeat(Math.min(Math.max(depth, 0), 10))
}

/** By the class that most highlighters use. */
function languageOf({ class: classes = "" }: Attributes): string {
  return /(?:^|\s)(?:language|lang|highlight-source)-([\w+#.-]{1,30})/.exec(classes)?.[1] ?? ""
}
