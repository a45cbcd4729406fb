// Text of a workbook: each sheet under its name, as tables with the header row repeated. Formulas count with their last
// result. Hidden sheets are named; hidden columns, and hidden rows that no filter hides, are skipped.
import { ExtractFault } from "../extract-limits.ts"
import { withTitle } from "../titles.ts"
import { calendars, general, numberFormat, type NumberFormat } from "./number-formats.ts"
import { OfficePackage } from "./package.ts"
import { SheetRows, type Workbook } from "./sheet-rows.ts"
import { sheetText } from "./sheet-text.ts"
import { isOn, namespaced, parseXml } from "./xml.ts"

interface Sheet {
  readonly name: string
  readonly id: string
  readonly isHidden: boolean
}

export function xlsxText(file: Buffer): string {
  const document = new OfficePackage(file)
  const { name: main, part } = document.main("xl/workbook.xml", "an Excel workbook (.xlsx)")
  const relations = document.relations(main)
  const related = (type: string) => document.part(relations.find((relation) => relation.type === type)?.target ?? "")
  const { sheets, firstDay } = readWorkbook(part)
  const book = { strings: sharedStrings(related("sharedStrings")), formats: cellFormats(related("styles")), firstDay }
  const targets = new Map(relations.map(({ id, type, target }) => [id, type === "worksheet" ? target : undefined]))
  let text = ""
  for (const { name, id, isHidden } of sheets) {
    const target = targets.get(id)
    if (isHidden) text += `[The sheet "${name}" is hidden and was not read.]\n\n`
    else if (target !== undefined) text += `## ${name}\n\n${sheetText(rowsOf(document.part(target), book))}`
  }
  return withTitle(document.title, text)
}

function rowsOf(part: Buffer | undefined, book: Workbook): SheetRows["rows"] {
  if (part === undefined) throw new ExtractFault("it is damaged: a sheet is missing")
  const sheet = new SheetRows(book)
  parseXml(part, sheet)
  return sheet.rows
}

function readWorkbook(part: Buffer): { readonly sheets: readonly Sheet[]; readonly firstDay: number } {
  const sheets: Sheet[] = []
  let firstDay = calendars.from1900
  parseXml(part, {
    open: (element, attributes) => {
      const { name = "", state = "visible", date1904 } = attributes
      if (element === "workbookPr" && date1904 !== undefined && isOn(date1904)) firstDay = calendars.from1904
      if (element !== "sheet") return
      const title = name.replaceAll(/\s+/g, " ").trim()
      sheets.push({ name: title, id: namespaced(attributes, "id") ?? "", isHidden: state !== "visible" })
    },
  })
  return { sheets, firstDay }
}

/** Without the pronunciation of Japanese text. */
function sharedStrings(part: Buffer | undefined): readonly string[] {
  const strings: string[] = []
  let [isText, isPhonetic] = [false, false]
  let text = ""
  if (part !== undefined)
    parseXml(part, {
      open: (name) => {
        if (name === "si") text = ""
        if (name === "rPh") isPhonetic = true
        isText = name === "t" && !isPhonetic
      },
      text: (piece) => void (text += isText ? piece : ""),
      close: (name) => {
        isText = false
        if (name === "rPh") isPhonetic = false
        if (name === "si") strings.push(text)
      },
    })
  return strings
}

function cellFormats(part: Buffer | undefined): readonly NumberFormat[] {
  const codes = new Map<number, string>()
  const formats: NumberFormat[] = []
  let isOfCells = false
  if (part !== undefined)
    parseXml(part, {
      open: (name, { numFmtId = "0", formatCode }) => {
        const id = Number(numFmtId)
        if (name === "numFmt" && formatCode !== undefined) codes.set(id, formatCode)
        if (name === "cellXfs") isOfCells = true
        if (name === "xf" && isOfCells) formats.push(id === 0 ? general : numberFormat(id, codes.get(id)))
      },
      close: (name) => {
        if (name === "cellXfs") isOfCells = false
      },
    })
  return formats
}
