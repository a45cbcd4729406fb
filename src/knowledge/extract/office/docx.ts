// Text of a Word document: headings, lists, tables, and notes after the paragraph that refers to them. Comments, tracked
// deletions, hidden text and tables of contents are skipped.
import { BODY_OUTLINE, Numberings, paragraphStyles } from "./docx-styles.ts"
import { withTitle } from "../titles.ts"
import { DocumentText } from "./document-text.ts"
import { OfficePackage } from "./package.ts"
import { extractLimits } from "../extract-limits.ts"
import { countIn, isOn, namespaced, parseXml, type XmlAttributes, type XmlHandler } from "./xml.ts"

const MAX_LEVEL = 8
/** What is in these elements is not what a reader of the document sees. */
const unseen: ReadonlySet<string> = new Set(["del", "moveFrom", "pPrChange", "rPrChange", "Fallback"])

export function docxText(file: Buffer): string {
  const document = new OfficePackage(file)
  const { name: main, part } = document.main("word/document.xml", "a Word document (.docx)")
  const related = (type: string) => document.part(document.related(main, type)[0] ?? "")
  const parts: WordParts = {
    styleOf: paragraphStyles(related("styles")),
    numberings: new Numberings(related("numbering")),
    notes: new Map([...notesOf(related("footnotes"), "footnote"), ...notesOf(related("endnotes"), "endnote")]),
  }
  const text = new WordText(parts)
  parseXml(part, text)
  return withTitle(document.title, text.content)
}

interface WordParts {
  readonly styleOf: ReturnType<typeof paragraphStyles>
  readonly numberings: Numberings
  /** By kind and id. */
  readonly notes: ReadonlyMap<string, string>
}

function notesOf(part: Buffer | undefined, kind: string): ReadonlyMap<string, string> {
  const notes = new Map<string, string>()
  let [id, note, isText] = ["", "", false]
  if (part !== undefined)
    parseXml(part, {
      open: (name, attributes) => {
        if (name === kind) [id, note] = [namespaced(attributes, "id") ?? "", ""]
        isText = name === "t"
      },
      text: (text) => void (note += isText ? text : ""),
      close: (name) => {
        isText = false
        if (name === "p") note += " "
        if (name === kind && note.trim() !== "") notes.set(`${kind} ${id}`, note.trim())
      },
    })
  return notes
}

interface Paragraph {
  text: string
  style: string
  outline: number
  level: number
  numbering: string
  readonly notes: string[]
}

class WordText implements XmlHandler {
  readonly #parts: WordParts
  readonly #document = new DocumentText()
  /** The paragraph of a text box is inside another one, which goes on after it. */
  readonly #paragraphs: Paragraph[] = []
  readonly #open: string[] = []
  #unseen = 0
  #isHiddenRun = false
  #noteCount = 0

  constructor(parts: WordParts) {
    this.#parts = parts
  }

  get content(): string {
    return this.#document.text
  }

  open(name: string, attributes: XmlAttributes): void {
    const parent = this.#open.at(-1)
    this.#open.push(name)
    if (unseen.has(name)) this.#unseen += 1
    if (this.#unseen > 0) return
    if (parent === "r") return this.#openInRun(name, attributes)
    if (name === "r") this.#isHiddenRun = false
    else if (name === "p") this.#openParagraph()
    else if (name === "tbl") this.#document.openTable()
    else if (name === "tr") this.#document.openRow()
    else if (name === "tc") this.#document.openCell()
    else this.#setProperty(name, namespaced(attributes, "val"))
  }

  text(text: string): void {
    if (this.#open.at(-1) === "t") this.#add(text)
  }

  close(name: string): void {
    this.#open.pop()
    if (this.#unseen === 0) this.#close(name)
    if (unseen.has(name)) this.#unseen -= 1
  }

  #close(name: string): void {
    if (name === "p") this.#endParagraph()
    else if (name === "tc") this.#document.closeCell()
    else if (name === "tbl") this.#document.closeTable()
  }

  #openParagraph(): void {
    this.#paragraphs.push({ text: "", style: "", outline: BODY_OUTLINE, level: 0, numbering: "", notes: [] })
  }

  #openInRun(name: string, attributes: XmlAttributes): void {
    if (name === "tab" || name === "ptab") this.#add("\t")
    else if (name === "br" || name === "cr") this.#add("\n")
    else if (name === "noBreakHyphen") this.#add("-")
    else if (name === "footnoteReference" || name === "endnoteReference")
      this.#refer(name.replace("Reference", ""), namespaced(attributes, "id") ?? "")
  }

  #refer(kind: string, id: string): void {
    const note = this.#parts.notes.get(`${kind} ${id}`)
    if (note === undefined || this.#unseen > 0) return
    this.#noteCount += 1
    this.#add(`[^${this.#noteCount}]`)
    this.#paragraphs.at(-1)?.notes.push(`[^${this.#noteCount}]: ${note}`)
  }

  #setProperty(name: string, value: string | undefined): void {
    const paragraph = this.#paragraphs.at(-1)
    const isOfRun = this.#open.at(-3) === "r"
    if (name === "vanish" && isOfRun) this.#isHiddenRun = isOn(value)
    else if (name === "gridSpan") this.#document.spanCell(countIn(value, 1, extractLimits.tableColumns))
    else if (paragraph === undefined || value === undefined) return
    else if (name === "pStyle") paragraph.style = value
    else if (name === "outlineLvl") paragraph.outline = countIn(value, 0, BODY_OUTLINE)
    else if (name === "ilvl") paragraph.level = countIn(value, 0, MAX_LEVEL)
    else if (name === "numId") paragraph.numbering = value
  }

  #add(text: string): void {
    const paragraph = this.#paragraphs.at(-1)
    if (paragraph !== undefined && this.#unseen === 0 && !this.#isHiddenRun) paragraph.text += text
  }

  #endParagraph(): void {
    const paragraph = this.#paragraphs.pop()
    if (paragraph === undefined) return
    this.#write(paragraph)
    for (const note of paragraph.notes) this.#document.paragraph(note)
  }

  #write({ text, style, outline, level, numbering }: Paragraph): void {
    const meaning = this.#parts.styleOf(style)
    if (meaning?.kind === "contents") return
    if (outline < BODY_OUTLINE) return this.#document.heading(outline + 1, text)
    if (meaning?.kind === "heading") return this.#document.heading(meaning.level, text)
    const isItem = numbering === "" ? meaning?.kind === "item" : numbering !== "0"
    if (!isItem || text.trim() === "") return this.#document.paragraph(text)
    this.#document.item(level, this.#parts.numberings.next(numbering, level), text)
  }
}
