// A table of a page that becomes a Markdown table: its open row, and cells that reach over several columns and rows.
import { extractLimits } from "../extract-limits.ts"
import { BLOCK_LENGTH, cellText } from "../tables/table-text.ts"
import type { Attributes } from "./page-parser.ts"

const MAX_ROW_SPAN = 1000

export class PageTable {
  /** A table that only places things is not shown as one. */
  isLayout: boolean
  /** Where the text of the open cell starts. */
  cell: number | undefined
  #cells: string[] = []
  #span = { columns: 1, rows: 1 }
  /** By column: cells of rows above that reach further down. */
  readonly #reaching = new Map<number, { readonly text: string; rows: number }>()
  #head = ""
  #length = 0

  constructor({ role }: Attributes) {
    this.isLayout = role === "presentation" || role === "none"
  }

  openCell(at: number, { colspan = "1", rowspan = "1" }: Attributes): void {
    if (this.cell !== undefined) return
    this.cell = at
    this.#span = { columns: spanOf(colspan, extractLimits.tableColumns), rows: spanOf(rowspan, MAX_ROW_SPAN) }
  }

  closeCell(text: string): void {
    this.cell = undefined
    this.#reachDown()
    const { columns, rows } = this.#span
    for (let at = 0; at < columns && this.#cells.length < extractLimits.tableColumns; at++) {
      const shown = at === 0 ? cellText(text) : ""
      if (rows > 1) this.#reaching.set(this.#cells.length, { text: shown, rows: rows - 1 })
      this.#cells.push(shown)
    }
  }

  /** The cells of the open row, which is given up. */
  takeCells(): readonly string[] {
    const cells = this.#cells
    this.#cells = []
    return cells
  }

  /** The row as Markdown, which begins with a new line; empty if it has no cells. */
  closeRow(repeatsHeader: boolean): string {
    if (this.#cells.length === 0) return ""
    this.#reachDown()
    const cells = this.takeCells()
    const line = `\n| ${cells.join(" | ")} |`
    const isFirst = this.#head === ""
    if (isFirst) this.#head = `${line}\n|${" --- |".repeat(cells.length)}`
    const isFull = repeatsHeader && this.#length > this.#head.length && this.#length + line.length > BLOCK_LENGTH
    if (isFull || isFirst) this.#length = this.#head.length
    if (!isFirst) this.#length += line.length
    return isFirst ? this.#head : isFull ? `\n${this.#head}${line}` : line
  }

  #reachDown(): void {
    for (;;) {
      const column = this.#cells.length
      const above = this.#reaching.get(column)
      if (above === undefined || column >= extractLimits.tableColumns) return
      above.rows -= 1
      if (above.rows === 0) this.#reaching.delete(column)
      this.#cells.push(above.text)
    }
  }
}

function spanOf(value: string, most: number): number {
  const span = Number(value)
  return span >= 1 ? Math.min(Math.floor(span), most) : 1
}
