// Comma separated values (RFC 4180) as a table, streamed: a file of any size is never in memory as a whole. The separator
// is the one of , ; tab and | that the first line has most of.
import { ExtractFault } from "../extract-limits.ts"
import { TableText, type Row } from "./table-text.ts"

/** A longer row is no row: a quotation mark is missing. */
const MAX_ROW_LENGTH = 1024 * 1024
const separators = [",", ";", "\t", "|"]
const SAMPLE_LENGTH = 16 * 1024

export async function* csvText(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let table: TableText | undefined
  for await (const row of csvRows(pieces)) {
    if (row.every((cell) => cell.trim() === "")) continue
    if (table === undefined) table = new TableText(row)
    else yield table.add(row)
  }
  yield table?.end() ?? ""
}

async function* csvRows(pieces: AsyncIterable<string>): AsyncGenerator<Row> {
  let beginning = ""
  let rows: RowReader | undefined
  for await (const piece of pieces) {
    beginning += piece
    if (rows === undefined && beginning.length < SAMPLE_LENGTH && !beginning.includes("\n")) continue
    rows ??= new RowReader(separatorOf(beginning))
    yield* rows.push(beginning)
    beginning = ""
  }
  rows ??= new RowReader(separatorOf(beginning))
  yield* rows.push(beginning)
  yield* rows.end()
}

/** Counted outside of quotation marks. */
function separatorOf(beginning: string): string {
  const line =
    beginning
      .slice(0, SAMPLE_LENGTH)
      .split("\n", 1)[0]
      ?.replaceAll(/"[^"]*"/g, "") ?? ""
  const counts = separators.map((separator) => line.split(separator).length)
  return separators[counts.indexOf(Math.max(...counts))] ?? ","
}

class RowReader {
  readonly #separator: string
  #row: string[] = []
  #rowLength = 0
  #cell = ""
  #isQuoted = false
  /** After a quotation mark in a quoted cell: a second one stands for itself, anything else ends the quotation. */
  #isMarkOpen = false

  constructor(separator: string) {
    this.#separator = separator
  }

  /** A return before a new line ends an empty row. */
  *push(text: string): Generator<Row> {
    for (const char of text) if (this.#endsRow(char)) yield this.#take()
  }

  *end(): Generator<Row> {
    if (this.#isQuoted) throw new ExtractFault("it is damaged: a quotation mark is not closed")
    this.#endCell()
    yield this.#take()
  }

  #endsRow(char: string): boolean {
    const wasMarkOpen = this.#isMarkOpen
    this.#isMarkOpen = this.#isQuoted && char === '"'
    if (this.#isQuoted && char === '"') this.#isQuoted = false
    else if (this.#isQuoted) this.#keep(char)
    else if (char === '"' && wasMarkOpen) this.#reopen()
    else if (char === '"' && this.#cell === "") this.#isQuoted = true
    else if (char === this.#separator) this.#endCell()
    else if (char === "\n" || char === "\r") {
      this.#endCell()
      return true
    } else this.#keep(char)
    return false
  }

  #reopen(): void {
    this.#isQuoted = true
    this.#keep('"')
  }

  #keep(char: string): void {
    this.#rowLength += 1
    if (this.#rowLength > MAX_ROW_LENGTH)
      throw new ExtractFault(`it has a row of more than ${MAX_ROW_LENGTH} characters`)
    this.#cell += char
  }

  #endCell(): void {
    this.#row.push(this.#cell)
    this.#cell = ""
  }

  #take(): Row {
    const row = this.#row
    this.#row = []
    this.#rowLength = 0
    return row
  }
}
