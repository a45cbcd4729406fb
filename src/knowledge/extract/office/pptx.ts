// Text of a presentation: slides in order, each with its title as the heading, and the notes of the speaker. Hidden slides
// are skipped.
import { ExtractFault, extractLimits } from "../extract-limits.ts"
import { withTitle } from "../titles.ts"
import { DocumentText } from "./document-text.ts"
import { OfficePackage, relationIds } from "./package.ts"
import { countIn, parseXml, type XmlAttributes, type XmlHandler } from "./xml.ts"

const MAX_LEVEL = 8
/** Placeholders that are the same on every slide, or pictures. */
const furniture: ReadonlySet<string> = new Set(["sldNum", "ftr", "dt", "hdr", "sldImg"])

export function pptxText(file: Buffer): string {
  const document = new OfficePackage(file)
  const { name, part } = document.main("ppt/presentation.xml", "a presentation (.pptx)")
  const targets = new Map(document.relations(name).map(({ id, target }) => [id, target]))
  const slides = relationIds(part, "sldId").map((id) => slideText(document, targets.get(id) ?? ""))
  const shown = slides.filter((slide) => slide !== undefined)
  const text = shown.map(({ title, body }, at) => `## ${slideHeading(at, title)}\n\n${body}`).join("")
  return withTitle(document.title || (shown[0]?.title ?? ""), text)
}

function slideHeading(at: number, title: string): string {
  return title === "" ? `Slide ${at + 1}` : `Slide ${at + 1}: ${title}`
}

interface SlideContent {
  readonly title: string
  readonly body: string
}

/** Undefined if it is hidden. */
function slideText(document: OfficePackage, name: string): SlideContent | undefined {
  const part = document.part(name)
  if (part === undefined) throw new ExtractFault("it is damaged: a slide is missing")
  const slide = new SlideText({ hasBullets: true })
  parseXml(part, slide)
  if (slide.isHidden) return undefined
  const diagrams = document.related(name, "diagramData").map((diagram) => shapesOf(document.part(diagram)))
  const notes = document.related(name, "notesSlide").map((notesName) => shapesOf(document.part(notesName)))
  const said = notes.join("").trim()
  return {
    title: slide.title.replaceAll(/\s+/g, " ").trim(),
    body: `${slide.body}${diagrams.join("")}${said === "" ? "" : `Notes: ${said}\n\n`}`,
  }
}

function shapesOf(part: Buffer | undefined): string {
  const shapes = new SlideText({ hasBullets: false })
  if (part !== undefined) parseXml(part, shapes)
  return shapes.body
}

class SlideText implements XmlHandler {
  readonly #document = new DocumentText()
  readonly #open: string[] = []
  #placeholder = ""
  #paragraph = ""
  #level = 0
  #hasBullet = false
  readonly #hasBullets: boolean
  isHidden = false
  title = ""

  constructor({ hasBullets }: { readonly hasBullets: boolean }) {
    this.#hasBullets = hasBullets
  }

  get body(): string {
    const { text } = this.#document
    return text === "" || text.endsWith("\n\n") ? text : `${text}\n`
  }

  open(name: string, attributes: XmlAttributes): void {
    this.#open.push(name)
    if (name === "sld") this.isHidden = attributes["show"] === "0"
    else if (name === "sp") this.#placeholder = ""
    else if (name === "ph") this.#placeholder = attributes["type"] ?? "body"
    else if (name === "tbl") this.#document.openTable()
    else if (name === "tr") this.#document.openRow()
    else if (name === "tc") this.#document.openCell(countIn(attributes["gridSpan"], 1, extractLimits.tableColumns))
    else if (name === "p")
      [this.#paragraph, this.#level, this.#hasBullet] = ["", 0, this.#hasBullets && this.#placeholder === "body"]
    else if (name === "pPr") this.#level = countIn(attributes["lvl"], 0, MAX_LEVEL)
    else if (name === "buNone") this.#hasBullet = false
    else if (name === "buChar" || name === "buAutoNum") this.#hasBullet = true
    else if (name === "br") this.#paragraph += "\n"
    else if (name === "tab") this.#paragraph += "\t"
  }

  text(text: string): void {
    if (this.#open.at(-1) === "t") this.#paragraph += text
  }

  close(name: string): void {
    this.#open.pop()
    if (name === "p") this.#endParagraph()
    else if (name === "tc") this.#document.closeCell()
    else if (name === "tbl") this.#document.closeTable()
    else if (name === "sp") this.#placeholder = ""
  }

  #endParagraph(): void {
    if (furniture.has(this.#placeholder)) return
    if (this.#placeholder === "title" || this.#placeholder === "ctrTitle") this.title += ` ${this.#paragraph}`
    else if (this.#hasBullet || this.#level > 0) this.#document.item(this.#level, "-", this.#paragraph)
    else this.#document.paragraph(this.#paragraph)
  }
}
