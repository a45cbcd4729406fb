// The rows of one sheet of a workbook, as they are shown. An empty row is kept once: it may separate two tables.
import { ExtractFault, extractLimits, tooMuchText } from "../extract-limits.ts"
import type { Row } from "../tables/table-text.ts"
import { general, shownNumber, type NumberFormat } from "./number-formats.ts"
import { isOn, type XmlAttributes, type XmlHandler } from "./xml.ts"

export interface Workbook {
  readonly strings: readonly string[]
  /** By the style number of a cell. */
  readonly formats: readonly NumberFormat[]
  readonly firstDay: number
}

interface Cell {
  column: number
  type: string
  style: number
  value: string
}

export class SheetRows implements XmlHandler {
  readonly #book: Workbook
  readonly #rows: { readonly cells: string[]; readonly isHidden: boolean }[] = []
  readonly #hiddenColumns = new Set<number>()
  #hasFilter = false
  #row: string[] = []
  #rowNumber = 0
  #isRowHidden = false
  #cell: Cell = { column: -1, type: "n", style: 0, value: "" }
  #isValue = false
  #length = 0

  constructor(book: Workbook) {
    this.#book = book
  }

  get rows(): readonly Row[] {
    return this.#rows.flatMap(({ cells, isHidden }) => (isHidden && !this.#hasFilter ? [] : [cells]))
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === "c") this.#openCell(attributes)
    else if (name === "v" || name === "t") this.#isValue = true
    else if (name === "row") this.#openRow(attributes)
    else if (name === "col") this.#openColumns(attributes)
    else if (name === "autoFilter") this.#hasFilter = true
  }

  text(text: string): void {
    if (this.#isValue) this.#cell.value += text
  }

  close(name: string): void {
    if (name === "v" || name === "t") this.#isValue = false
    else if (name === "c") this.#closeCell()
    else if (name === "row") this.#rows.push({ cells: this.#row, isHidden: this.#isRowHidden })
  }

  #openColumns({ min = "0", max = "0", hidden }: XmlAttributes): void {
    if (hidden === undefined || !isOn(hidden)) return
    const last = Math.min(Number(max), extractLimits.tableColumns)
    for (let column = Number(min); column <= last; column++) this.#hiddenColumns.add(column - 1)
  }

  #openRow({ r, hidden }: XmlAttributes): void {
    const number = Number(r ?? this.#rowNumber + 1)
    if (number > this.#rowNumber + 1 && this.#rowNumber > 0) this.#rows.push({ cells: [], isHidden: false })
    this.#rowNumber = number
    this.#isRowHidden = hidden !== undefined && isOn(hidden)
    this.#row = []
    this.#cell.column = -1
  }

  #openCell({ r, t = "n", s = "0" }: XmlAttributes): void {
    const column = r === undefined ? this.#cell.column + 1 : columnOf(r)
    this.#cell = { column, type: t, style: Number(s), value: "" }
  }

  #closeCell(): void {
    const { column } = this.#cell
    if (!(column >= 0 && column < extractLimits.tableColumns) || this.#hiddenColumns.has(column)) return
    const text = this.#shown()
    this.#length += text.length
    if (this.#length > extractLimits.textLength) throw new ExtractFault(tooMuchText)
    while (this.#row.length < column) this.#row.push("")
    this.#row[column] = text
  }

  #shown(): string {
    const { type, style, value } = this.#cell
    if (type === "s") return this.#book.strings[Number(value)] ?? ""
    if (type === "b") return value === "1" ? "TRUE" : "FALSE"
    if (type !== "n" || value.trim() === "") return value
    const number = Number(value)
    return Number.isFinite(number)
      ? shownNumber(number, this.#book.formats[style] ?? general, this.#book.firstDay)
      : value
  }
}

/** `C12` is in column 2. */
function columnOf(reference: string): number {
  let column = 0
  for (const letter of reference) {
    const digit = letter.charCodeAt(0) - 64
    if (digit < 1 || digit > 26 || column > 20_000) break
    column = column * 26 + digit
  }
  return column - 1
}
