// Text of an OpenDocument text or presentation: headings, lists, tables, slides, and notes after the paragraph that refers to
// them.
import { DocumentText } from "./document-text.ts"
import { extractLimits } from "../extract-limits.ts"
import { countIn, type XmlAttributes, type XmlHandler } from "./xml.ts"

/** What is in these elements is not what a reader of the document sees. */
const unseen: ReadonlySet<string> = new Set([
  "annotation",
  "tracked-changes",
  "table-of-content",
  "note-citation",
  "desc",
  "hidden-text",
  "header",
  "footer",
])
const MAX_SPACES = 100
const MAX_LEVEL = 6

interface Paragraph {
  text: string
  /** 0 for a paragraph that is no heading. */
  readonly level: number
  readonly notes: string[]
}

export class OdfText implements XmlHandler {
  readonly #document = new DocumentText()
  readonly #hiddenStyles = new Set<string>()
  /** A note is inside of the paragraph that refers to it. */
  readonly #paragraphs: Paragraph[] = []
  #style = ""
  #depth = 0
  /** Depth of the element that hides what is in it. */
  #hiddenFrom = Infinity
  #lists = 0
  #isItemStart = false
  #note: string | undefined
  #notes = 0
  #slides = 0
  #isSlideTitle = false
  /** Before the next text. */
  #mark = ""

  get content(): string {
    return this.#document.text
  }

  open(name: string, attributes: XmlAttributes): void {
    this.#depth += 1
    if (this.#hiddenFrom < Infinity) return
    if (this.#hides(name, attributes)) this.#hiddenFrom = this.#depth
    else if (name === "p") this.#openParagraph(0)
    else if (name === "h") this.#openParagraph(countIn(attributes["text:outline-level"], 1, MAX_LEVEL))
    else if (name === "s") this.#add(" ".repeat(countIn(attributes["text:c"], 1, MAX_SPACES)))
    else if (name === "tab") this.#add("\t")
    else if (name === "line-break") this.#add("\n")
    else if (name === "list") this.#lists += 1
    else if (name === "list-item") this.#isItemStart = true
    else if (name === "note") this.#note = ""
    else if (name === "table") this.#document.openTable()
    else if (name === "table-row") this.#document.openRow()
    else if (name === "table-cell")
      this.#document.openCell(countIn(attributes["table:number-columns-spanned"], 1, extractLimits.tableColumns))
    else if (name === "page") this.#slides += 1
    else if (name === "frame") this.#isSlideTitle = attributes["presentation:class"] === "title"
    else if (name === "notes") this.#mark = "Notes: "
    else this.#readStyle(name, attributes)
  }

  text(text: string): void {
    if (this.#hiddenFrom === Infinity) this.#add(text.replaceAll(/\s+/g, " "))
  }

  close(name: string): void {
    if (this.#hiddenFrom === Infinity) this.#close(name)
    if (this.#hiddenFrom === this.#depth) this.#hiddenFrom = Infinity
    this.#depth -= 1
  }

  #hides(name: string, attributes: XmlAttributes): boolean {
    if (name === "page-thumbnail" || unseen.has(name)) return true
    return this.#hiddenStyles.has(attributes["text:style-name"] ?? attributes["draw:style-name"] ?? "")
  }

  /** Styles that hide text or slides. */
  #readStyle(name: string, attributes: XmlAttributes): void {
    const isHidden =
      (name === "text-properties" && attributes["text:display"] === "none") ||
      (name === "drawing-page-properties" && attributes["presentation:visibility"] === "hidden")
    if (name === "style") this.#style = attributes["style:name"] ?? ""
    else if (isHidden && this.#style !== "") this.#hiddenStyles.add(this.#style)
  }

  #close(name: string): void {
    if (name === "p" || name === "h") this.#endParagraph()
    else if (name === "list") this.#lists -= 1
    else if (name === "note") this.#endNote()
    else if (name === "table-cell") this.#document.closeCell()
    else if (name === "table") this.#document.closeTable()
    else if (name === "frame") this.#isSlideTitle = false
    else if (name === "notes") this.#mark = ""
  }

  #openParagraph(level: number): void {
    this.#paragraphs.push({ text: "", level, notes: [] })
  }

  #add(text: string): void {
    const paragraph = this.#paragraphs.at(-1)
    if (paragraph !== undefined) paragraph.text += text
  }

  #endParagraph(): void {
    const paragraph = this.#paragraphs.pop()
    if (paragraph === undefined) return
    const { text, level, notes } = paragraph
    if (this.#note !== undefined) return void (this.#note += ` ${text}`)
    if (this.#isSlideTitle) this.#document.heading(2, this.#slides > 0 ? `Slide ${this.#slides}: ${text}` : text)
    else if (level > 0) this.#document.heading(level, text)
    else if (this.#lists > 0 && this.#isItemStart) this.#document.item(this.#lists - 1, "-", text)
    else this.#document.paragraph(text.trim() === "" ? "" : `${this.#mark}${text}`)
    if (text.trim() !== "") this.#mark = ""
    this.#isItemStart = false
    for (const note of notes) this.#document.paragraph(note)
  }

  #endNote(): void {
    const note = this.#note?.trim() ?? ""
    this.#note = undefined
    if (note === "") return
    this.#notes += 1
    this.#add(`[^${this.#notes}]`)
    this.#paragraphs.at(-1)?.notes.push(`[^${this.#notes}]: ${note}`)
  }
}
