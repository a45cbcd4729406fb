// A chart of a load as SVG: for each figure a bar for ours and one for the bare limit, on a scale of its own.
import type { Row } from "./report.ts"
import { short } from "./tables.ts"

const WIDTH = 820
const LABEL = 430
const LINE = 44
const BAR = 14

export function ratioChart(title: string, rows: readonly Row[]): string {
  const height = 56 + rows.length * LINE
  const bars = rows.map((row, index) => barsOf(row, 48 + index * LINE)).join("")
  const style = "text{font:13px sans-serif;fill:#222}.ours{fill:#2563eb}.bare{fill:#9ca3af}.bg{fill:#fff}"
  const heading = `<text x="16" y="26" font-weight="bold">${escaped(title)}: ours (blue), bare limit (grey)</text>`
  const open = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" role="img">`
  return `${open}<style>${style}</style><rect class="bg" width="${WIDTH}" height="${height}"/>${heading}${bars}</svg>\n`
}

function barsOf({ figure, door, unit, ours, bare }: Row, top: number): string {
  const most = Math.max(ours.median, bare?.median ?? 0, Number.MIN_VALUE)
  const label = `<text x="16" y="${top + BAR + 4}">${escaped(`${figure} (${door})`)}</text>`
  const bar = (name: string, value: number, y: number) => {
    const width = Math.max(1, (Math.max(0, value) / most) * (WIDTH - LABEL - 150))
    const text = `<text x="${LABEL + width + 6}" y="${y + BAR - 2}">${short(value)} ${escaped(unit)}</text>`
    return `<rect class="${name}" x="${LABEL}" y="${y}" width="${width.toFixed(1)}" height="${BAR}"/>${text}`
  }
  return label + bar("ours", ours.median, top) + (bare === undefined ? "" : bar("bare", bare.median, top + BAR + 3))
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
}
