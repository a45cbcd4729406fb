// Collects the paragraphs, headings, list items and tables of an office document as Markdown. What is in the cell of a table
// becomes one line; a table inside a cell becomes the text of that cell.
import { extractLimits } from "../extract-limits.ts"
import { tableText, withoutEmptyColumns } from "../tables/table-text.ts"
import { TextPieces } from "../text-pieces.ts"
import { oneLine } from "../titles.ts"

interface OpenTable {
  readonly rows: string[][]
  cell: string
  span: number
}

const MAX_HEADING_LEVEL = 6

export class DocumentText {
  readonly #pieces = new TextPieces()
  readonly #tables: OpenTable[] = []
  #wasItem = false

  get text(): string {
    return this.#pieces.text()
  }

  heading(level: number, text: string): void {
    if (text.trim() !== "") this.#block(`${"#".repeat(Math.min(level, MAX_HEADING_LEVEL))} ${oneLine(text)}`)
  }

  /** Also a block that has its Markdown already. */
  paragraph(text: string): void {
    if (text.trim() !== "") this.#block(text.trim())
  }

  item(depth: number, mark: string, text: string): void {
    const table = this.#tables.at(-1)
    if (text.trim() === "") return
    if (table !== undefined) return void (table.cell += ` ${text}`)
    this.#pieces.add(`${"  ".repeat(Math.min(depth, 10))}${mark} ${text.trim()}\n`)
    this.#wasItem = true
  }

  openTable(): void {
    this.#tables.push({ rows: [], cell: "", span: 1 })
  }

  openRow(): void {
    this.#tables.at(-1)?.rows.push([])
  }

  openCell(span = 1): void {
    const table = this.#tables.at(-1)
    if (table === undefined) return
    table.cell = ""
    table.span = span
  }

  spanCell(span: number): void {
    const table = this.#tables.at(-1)
    if (table !== undefined && span > 0) table.span = span
  }

  /** The text of a cell over several columns is in the first of them. */
  closeCell(): void {
    const table = this.#tables.at(-1)
    const row = table?.rows.at(-1)
    if (table === undefined || row === undefined) return
    row.push(table.cell.trim())
    for (let column = 1; column < table.span && row.length < extractLimits.tableColumns; column++) row.push("")
    table.cell = ""
  }

  closeTable(): void {
    const table = this.#tables.pop()
    if (table === undefined) return
    const rows = table.rows.filter((row) => row.some((cell) => cell !== ""))
    const outer = this.#tables.at(-1)
    if (outer === undefined) this.#block(tableText(withoutEmptyColumns(rows)).trimEnd())
    else outer.cell += ` ${rows.flat().join(" ")}`
  }

  #block(text: string): void {
    const table = this.#tables.at(-1)
    if (table !== undefined) return void (table.cell += ` ${text}`)
    if (text === "") return
    this.#pieces.add(`${this.#wasItem ? "\n" : ""}${text}\n\n`)
    this.#wasItem = false
  }
}
