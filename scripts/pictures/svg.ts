// The screen of an emulator as an SVG picture with real text, in a light or dark palette.
import type { Cell, Emulator } from "../../spec/terminal/emulator.ts"

export interface Palette {
  readonly foreground: string
  readonly background: string
  readonly border: string
  /** The 16 colours of a terminal. */
  readonly colours: readonly string[]
}

export const palettes: Readonly<Record<"dark" | "light", Palette>> = {
  dark: {
    foreground: "#d5d9e0",
    background: "#16181d",
    border: "#30343d",
    colours: colourList(
      "#3b4048 #ff7b72 #7ec699 #e3b341 #79b8ff #d2a8ff #56d4dd #d5d9e0",
      "#6e7681 #ffa198 #a5e0b8 #f2cc60 #a5d6ff #e2c5ff #8fe7ed #ffffff",
    ),
  },
  light: {
    foreground: "#1f2328",
    background: "#ffffff",
    border: "#d0d7de",
    colours: colourList(
      "#1f2328 #cf222e #116329 #8a5a00 #0550ae #8250df #0a6470 #57606a",
      "#57606a #a40e26 #1a7f37 #7a4f00 #0969da #6639ba #0e7490 #1f2328",
    ),
  },
}

function colourList(...rows: readonly string[]): readonly string[] {
  return rows.flatMap((row) => row.split(" "))
}

const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
const SIZE = 14
const CELL_WIDTH = 8.43
/** No more than a character of the font is high, so that lines of boxes meet. */
const CELL_HEIGHT = 16.4
const BASELINE = 13
const MARGIN = 14
/** Of dim text. Less would be hard to read on either background. */
const DIM = 0.68

/** Rows below the last one that is used are left out. */
export function svgOf({ cells, lines, size, cursor }: Emulator, palette: Palette, title: string): string {
  const used =
    Math.max(
      lines.findLastIndex((line) => line !== ""),
      cursor?.row ?? 0,
    ) + 1
  const width = Math.ceil(size.columns * CELL_WIDTH + 2 * MARGIN)
  const height = Math.ceil(used * CELL_HEIGHT + 2 * MARGIN)
  const rows = cells.map((row, at) => rowText(row, at, palette))
  const cell = cursor === undefined ? "" : cursorBox(cursor, palette)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" font-family="${FONT}" font-size="${SIZE}">
<title>${escaped(title)}</title>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${palette.background}" stroke="${palette.border}"/>
<g transform="translate(${MARGIN} ${MARGIN})" fill="${palette.foreground}" xml:space="preserve">
${[...rows.filter((row) => row !== ""), cell].join("\n")}
</g>
</svg>
`
}

interface Run {
  readonly column: number
  width: number
  text: string
  readonly cell: Cell
}

function rowText(cells: readonly Cell[], row: number, palette: Palette): string {
  const runs: Run[] = []
  for (const [column, cell] of cells.entries()) {
    const last = runs.at(-1)
    const text = cell.width === 0 ? "" : cell.text === "" ? " " : cell.text
    if (last !== undefined && (cell.width === 0 || isSameStyle(last.cell, cell))) {
      last.text += text
      last.width += 1
    } else runs.push({ column, width: 1, text, cell })
  }
  return runs.map((run) => runText(run, row, palette)).join("")
}

function isSameStyle(one: Cell, other: Cell): boolean {
  const { text: _text, width: _width, ...style } = one
  return Object.entries(style).every(([name, value]) =>
    Object.entries(other).some(([key, same]) => key === name && same === value),
  )
}

function runText({ column, width, text, cell }: Run, row: number, palette: Palette): string {
  const front = colour(cell.foreground, palette) ?? palette.foreground
  const back = colour(cell.background, palette)
  const [ink, paper] = cell.isInverse ? [back ?? palette.background, front] : [front, back]
  const [x, y] = [round(column * CELL_WIDTH), round(row * CELL_HEIGHT)]
  const box =
    paper === undefined
      ? ""
      : `<rect x="${x}" y="${y}" width="${round(width * CELL_WIDTH)}" height="${CELL_HEIGHT}" fill="${paper}"/>`
  const shown = text.trimEnd()
  if (shown === "") return box
  const lead = shown.length - shown.trimStart().length
  const length = round((width - (text.length - shown.length) - lead) * CELL_WIDTH)
  const place = `x="${round((column + lead) * CELL_WIDTH)}" y="${round(y + BASELINE)}" textLength="${length}"`
  return `${box}<text ${place}${styleOf(cell, ink, palette)}>${escaped(shown.trimStart())}</text>`
}

function styleOf(cell: Cell, ink: string, { foreground }: Palette): string {
  const decoration = [...(cell.isUnderlined ? ["underline"] : []), ...(cell.isStruck ? ["line-through"] : [])].join(" ")
  return [
    ink === foreground ? "" : ` fill="${ink}"`,
    cell.isDim ? ` opacity="${DIM}"` : "",
    cell.isBold ? ' font-weight="600"' : "",
    cell.isItalic ? ' font-style="italic"' : "",
    decoration === "" ? "" : ` text-decoration="${decoration}"`,
  ].join("")
}

function cursorBox(
  { row, column }: { readonly row: number; readonly column: number },
  { foreground }: Palette,
): string {
  return `<rect x="${round(column * CELL_WIDTH)}" y="${round(row * CELL_HEIGHT + 1)}" width="2" height="${round(CELL_HEIGHT - 2)}" fill="${foreground}"/>`
}

/** Of the palette of 256: the 16 of the terminal, a cube of 6 x 6 x 6, and greys. */
function colour(value: number | string | undefined, { colours }: Palette): string | undefined {
  if (value === undefined || typeof value === "string") return value
  if (value < 16) return colours[value]
  if (value >= 232) return hex([0, 0, 0].map(() => 8 + 10 * (value - 232)))
  const cube = value - 16
  return hex(
    [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((part) => (part === 0 ? 0 : 55 + 40 * part)),
  )
}

function hex(parts: readonly number[]): string {
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
}
