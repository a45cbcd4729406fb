// Draws frames: writes only the lines that changed, in one piece that terminals with synchronized output show at once.
import { columnsOf, lineWidth, type ImagePart, type Line } from "../../display/spans.ts"
import { paintLine, type PaintImage } from "./paint.ts"
import type { Theme } from "./theme.ts"

export interface Frame {
  /** As many as the screen has, or fewer. */
  readonly lines: readonly Line[]
  /** Where the user types; hidden if absent. From 0. */
  readonly cursor?: { readonly row: number; readonly column: number } | undefined
}

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** Draws images: as characters, or over blanks. */
export interface ImagePainter {
  readonly row: PaintImage
  /** A whole image from the cursor on; undefined if it is made of characters, or not ready. */
  readonly whole: (part: ImagePart) => string | undefined
  /** What must be written before the rows of a frame. */
  readonly before: () => string
  /** The terminal has forgotten all images. */
  readonly reset: () => void
  /** What must be written at the end. */
  readonly end: () => string
}

const BEGIN = "\u001b[?2026h"
const END = "\u001b[?2026l"
const SHOW_CURSOR = "\u001b[?25h"
const HIDE_CURSOR = "\u001b[?25l"
const ERASE_LINE = "\u001b[2K"
const ERASE_SCREEN = "\u001b[2J"

export class Renderer {
  readonly #write: (text: string) => void
  readonly #images: ImagePainter | undefined
  #shown: readonly string[] = []
  #size: Size = { columns: 0, rows: 0 }
  #cursor = ""

  constructor(write: (text: string) => void, images?: ImagePainter) {
    this.#write = write
    this.#images = images
  }

  /** The next frame is drawn completely: the screen may have anything on it. */
  invalidate(): void {
    this.#size = { columns: 0, rows: 0 }
    this.#images?.reset()
  }

  end(): void {
    const rest = this.#images?.end() ?? ""
    if (rest !== "") this.#write(rest)
  }

  draw({ lines, cursor }: Frame, size: Size, theme: Theme): void {
    const isNew = size.columns !== this.#size.columns || size.rows !== this.#size.rows
    const painted = Array.from({ length: size.rows }, (_, row) =>
      paintedRow(lines[row] ?? [], size.columns, theme, this.#images?.row),
    )
    const overlaid = this.#overlaid(lines, size)
    const keys = painted.map((text, row) => `${text}${overlaid.find(isAt(row))?.key ?? ""}`)
    const changed = new Set(keys.flatMap((key, row) => (!isNew && key === this.#shown[row] ? [] : [row])))
    const changes = [...changed].map((row) => `\u001b[${row + 1};1H${ERASE_LINE}${painted[row] ?? ""}`)
    const images = overlaid.flatMap(({ row, column, rows, text }) =>
      [...changed].some((one) => one >= row && one < row + rows) ? [`\u001b[${row + 1};${column + 1}H${text}`] : [],
    )
    const before = this.#images?.before() ?? ""
    const place = cursorText(cursor, size)
    this.#shown = keys
    this.#size = size
    if (changes.length === 0 && place === this.#cursor && before === "") return
    this.#cursor = place
    const erase = isNew ? ERASE_SCREEN : ""
    this.#write(`${BEGIN}${HIDE_CURSOR}${erase}${before}${changes.join("")}${images.join("")}${place}${END}`)
  }

  /** Images over blanks. One that is not wholly in the window cannot be drawn. */
  #overlaid(lines: readonly Line[], { columns, rows }: Size): readonly Overlaid[] {
    return lines.slice(0, rows).flatMap((line, row) => {
      const at = line.findIndex(({ image, text }) => image?.row === 0 && text !== "")
      const part = line[at]?.image
      if (part === undefined || !isWhole(lines, row, part)) return []
      const column = lineWidth(line.slice(0, at))
      const text = column + part.columns > columns ? undefined : this.#images?.whole(part)
      return text === undefined
        ? []
        : [{ row, column, rows: part.rows, key: `\u0000${part.key} ${row} ${part.columns}`, text }]
    })
  }
}

interface Overlaid {
  readonly row: number
  readonly column: number
  readonly rows: number
  readonly key: string
  readonly text: string
}

function isAt(row: number): (one: Overlaid) => boolean {
  return (one) => row >= one.row && row < one.row + one.rows
}

function isWhole(lines: readonly Line[], first: number, { key, rows, columns }: ImagePart): boolean {
  return Array.from({ length: rows }, (_, at) => lines[first + at] ?? []).every((line, at) =>
    line.some(({ image, text }) => image?.key === key && image.row === at && columnsOf(text) === columns),
  )
}

/** An empty line costs nothing. */
function paintedRow(line: Line, width: number, theme: Theme, paintImage: PaintImage | undefined): string {
  return lineWidth(line) === 0 ? "" : paintLine(line, width, theme, paintImage)
}

function cursorText(cursor: Frame["cursor"], { columns, rows }: Size): string {
  if (cursor === undefined || cursor.row >= rows) return ""
  return `\u001b[${cursor.row + 1};${Math.min(columns, cursor.column + 1)}H${SHOW_CURSOR}`
}
