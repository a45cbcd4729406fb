// The sheets of an OpenDocument spreadsheet, whose cells contain what they show. Repetition counts are bounded: they reach to
// the last row and column of a sheet.
import { ExtractFault, extractLimits, tooMuchText } from "../extract-limits.ts"
import type { Row } from "../tables/table-text.ts"
import { sheetText } from "./sheet-text.ts"
import { countIn, type XmlAttributes, type XmlHandler } from "./xml.ts"

const MAX_REPEATED_ROWS = 1000
/** Of a sheet. */
const MAX_COLUMNS = 16_384

export class OdfSheets implements XmlHandler {
  #text = ""
  readonly #hiddenStyles = new Set<string>()
  #style = ""
  #sheet: { readonly name: string; readonly isHidden: boolean; readonly rows: Row[] } | undefined
  #row: string[] = []
  #rowRepeats = 1
  #isRowHidden = false
  /** Empty cells before the next one with text. */
  #gap = 0
  #cell = ""
  #cellRepeats = 1
  #isText = false
  #annotations = 0
  #length = 0

  get content(): string {
    return this.#text
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === "annotation") this.#annotations += 1
    else if (name === "style") this.#style = attributes["style:name"] ?? ""
    else if (name === "table-properties" && attributes["table:display"] === "false") this.#hiddenStyles.add(this.#style)
    else if (name === "table") this.#openSheet(attributes)
    else if (name === "table-row") this.#openRow(attributes)
    else if (name === "table-cell" || name === "covered-table-cell") this.#openCell(attributes)
    else if (name === "p") this.#openParagraph()
    else if (name === "s" || name === "tab" || name === "line-break") this.text(" ")
  }

  text(text: string): void {
    if (this.#isText && this.#annotations === 0) this.#cell += text
  }

  close(name: string): void {
    if (name === "annotation") this.#annotations -= 1
    else if (name === "p") this.#isText = false
    else if (name === "table-cell" || name === "covered-table-cell") this.#closeCell()
    else if (name === "table-row") this.#closeRow()
    else if (name === "table") this.#closeSheet()
  }

  #openSheet(attributes: XmlAttributes): void {
    const name = (attributes["table:name"] ?? "").replaceAll(/\s+/g, " ").trim()
    this.#sheet = { name, isHidden: this.#hiddenStyles.has(attributes["table:style-name"] ?? ""), rows: [] }
  }

  /** Rows that a filter hides are not empty of meaning: only collapsed ones are skipped. */
  #openRow(attributes: XmlAttributes): void {
    this.#row = []
    this.#gap = 0
    this.#rowRepeats = countIn(attributes["table:number-rows-repeated"], 1, MAX_REPEATED_ROWS)
    this.#isRowHidden = attributes["table:visibility"] === "collapse"
  }

  #openCell(attributes: XmlAttributes): void {
    this.#cell = ""
    this.#cellRepeats = countIn(attributes["table:number-columns-repeated"], 1, MAX_COLUMNS)
  }

  #openParagraph(): void {
    this.#isText = true
    if (this.#cell !== "") this.#cell += " "
  }

  #closeCell(): void {
    if (this.#cell.trim() === "") return void (this.#gap += this.#cellRepeats)
    const left = extractLimits.tableColumns - this.#row.length
    for (let at = 0; at < Math.min(this.#gap, left); at++) this.#row.push("")
    this.#gap = 0
    for (let at = 0; at < this.#cellRepeats && this.#row.length < extractLimits.tableColumns; at++)
      this.#row.push(this.#cell)
  }

  #closeRow(): void {
    if (this.#sheet === undefined || this.#isRowHidden) return
    const repeats = this.#row.length === 0 ? 1 : this.#rowRepeats
    this.#length += repeats * this.#row.reduce((sum, cell) => sum + cell.length, 0)
    if (this.#length > extractLimits.textLength) throw new ExtractFault(tooMuchText)
    for (let at = 0; at < repeats; at++) this.#sheet.rows.push(this.#row)
  }

  #closeSheet(): void {
    if (this.#sheet === undefined) return
    const { name, isHidden, rows } = this.#sheet
    this.#text += isHidden
      ? `[The sheet "${name}" is hidden and was not read.]\n\n`
      : `## ${name}\n\n${sheetText(rows)}`
    this.#sheet = undefined
  }
}
