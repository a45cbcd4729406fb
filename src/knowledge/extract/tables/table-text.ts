// Rows as Markdown tables. A long table is cut between rows into blocks of a passage each, with the header row in each of
// them, so that a passage is understood, and found, without the others.
import { extractLimits } from "../extract-limits.ts"

/** Characters of a block: a passage holds it whole. */
export const BLOCK_LENGTH = 850
/** A longer header leaves no room for rows: each row is then a list of `name: value` lines. */
const MAX_HEADER_LENGTH = 400

export type Row = readonly string[]

export class TableText {
  readonly #names: Row
  readonly #head: string
  readonly #isList: boolean
  #block = ""

  constructor(header: Row) {
    this.#names = header.slice(0, extractLimits.tableColumns).map(cellText)
    this.#head = `${rowLine(this.#names)}|${" --- |".repeat(this.#names.length)}\n`
    this.#isList = this.#head.length > MAX_HEADER_LENGTH
  }

  /** Returns what is finished: at most one block. */
  add(row: Row): string {
    const cells = row.slice(0, extractLimits.tableColumns).map(cellText)
    if (this.#isList) return listOf(this.#names, cells)
    const line = rowLine([...cells, ...this.#names.slice(cells.length).fill("")])
    if (this.#block === "") this.#block = this.#head
    if (this.#block.length + line.length <= BLOCK_LENGTH || this.#block === this.#head) {
      this.#block += line
      return ""
    }
    const finished = this.#block
    this.#block = this.#head + line
    return `${finished}\n`
  }

  end(): string {
    const finished = this.#block === "" && !this.#isList ? this.#head : this.#block
    this.#block = ""
    return finished === "" ? "" : `${finished}\n`
  }
}

/** The first row is the header. Columns without any text are left out. */
export function tableText([header, ...rows]: readonly Row[]): string {
  if (header === undefined) return ""
  const table = new TableText(header)
  return `${rows.map((row) => table.add(row)).join("")}${table.end()}`
}

/** The columns that have text in one of the rows. */
export function withoutEmptyColumns(rows: readonly Row[]): readonly Row[] {
  const used = new Set<number>()
  for (const row of rows) for (const [at, cell] of row.entries()) if (cell.trim() !== "") used.add(at)
  const columns = [...used].toSorted((one, other) => one - other)
  return rows.map((row) => columns.map((column) => row[column] ?? ""))
}

function rowLine(cells: Row): string {
  return `| ${cells.join(" | ")} |\n`
}

function listOf(names: Row, cells: Row): string {
  const lines = cells.flatMap((cell, at) => (cell === "" ? [] : `- ${names[at] || `Column ${at + 1}`}: ${cell}\n`))
  return lines.length === 0 ? "" : `${lines.join("")}\n`
}

export function cellText(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .trim()
    .replaceAll("|", String.raw`\|`)
}
