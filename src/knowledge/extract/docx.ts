// Text of a Word document: paragraphs, headings and tabs of the main part. Notes, comments and tracked deletions are
// skipped.
import { Parser } from "htmlparser2"
import { ExtractFault, extractLimits } from "./extract-limits.ts"
import { zipPart } from "./zip.ts"

export function docxText(file: Buffer): string {
  const part = zipPart(file, "word/document.xml", extractLimits.unpackedBytes)
  if (part === undefined) throw new ExtractFault("it is not a Word document: it has no main part")
  const documentText = new DocumentText()
  const parser = new Parser(
    {
      onopentag: (name, attributes) => documentText.open(name, attributes),
      ontext: (text) => documentText.addText(text),
      onclosetag: (name) => documentText.close(name),
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.write(part.toString("utf8"))
  parser.end()
  return documentText.text
}

class DocumentText {
  #text = ""
  #paragraph = ""
  #heading = 0
  /** Text outside of a run is layout. */
  #isText = false

  get text(): string {
    return this.#text
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === "w:t") this.#isText = true
    if (name === "w:tab") this.#paragraph += "\t"
    if (name === "w:br" || name === "w:cr") this.#paragraph += "\n"
    if (name === "w:pStyle") this.#heading = headingLevel(attributes["w:val"] ?? "")
  }

  addText(text: string): void {
    if (this.#isText) this.#paragraph += text
  }

  close(name: string): void {
    if (name === "w:t") this.#isText = false
    if (name === "w:p") this.#endParagraph()
  }

  #endParagraph(): void {
    const mark = this.#heading > 0 ? `${"#".repeat(this.#heading)} ` : ""
    if (this.#paragraph.trim() !== "") this.#text += `${mark}${this.#paragraph.trim()}\n\n`
    this.#paragraph = ""
    this.#heading = 0
    if (this.#text.length > extractLimits.textLength) throw new ExtractFault("it contains too much text")
  }
}

function headingLevel(style: string): number {
  if (/^title$/i.test(style)) return 1
  return Number(/^heading\s?([1-6])$/i.exec(style)?.[1] ?? 0)
}
