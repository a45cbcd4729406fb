// A Markdown table in columns that fit the page: wide cells are wrapped.
import type { Token, Tokens } from "marked"
import { lineWidth, plain, wrapSpans, type Line, type Span } from "./spans.ts"
import type { Page } from "./page.ts"

const GAP = 2
const MIN_COLUMN = 4

type Inline = (tokens: readonly Token[], page: Page) => readonly Span[]

export function tableLines(
  header: readonly Tokens.TableCell[],
  rows: readonly (readonly Tokens.TableCell[])[],
  page: Page,
  inline: Inline,
): readonly Line[] {
  const spansOf = ({ tokens }: Tokens.TableCell) => inline(tokens, page)
  const head = header.map((cell) =>
    spansOf(cell).map(({ text, styles }): Span => ({ text, styles: ["bold", ...styles] })),
  )
  const body = rows.map((row) => row.map(spansOf))
  const natural = header.map((_, column) =>
    Math.max(MIN_COLUMN, ...[head, ...body].map((row) => lineWidth(row[column] ?? []))),
  )
  const widths = fitted(natural, page.width - GAP * (header.length - 1))
  const alignments = header.map(({ align }) => align)
  const line = (cells: readonly (readonly Span[])[]) => rowLines(cells, widths, alignments)
  const rule = widths.map((width) => "─".repeat(width)).join(" ".repeat(GAP))
  return [...line(head), [plain(rule)], ...body.flatMap(line)]
}

/** The widest columns give way first. */
function fitted(natural: readonly number[], available: number): readonly number[] {
  const widths = [...natural]
  let excess = widths.reduce((sum, width) => sum + width, 0) - available
  while (excess > 0) {
    const widest = Math.max(...widths)
    if (widest <= MIN_COLUMN) break
    widths[widths.indexOf(widest)] = widest - 1
    excess -= 1
  }
  return widths
}

function rowLines(
  cells: readonly (readonly Span[])[],
  widths: readonly number[],
  alignments: readonly Tokens.TableCell["align"][],
): readonly Line[] {
  const wrapped = cells.map((spans, column) => wrapSpans(spans, widths[column] ?? MIN_COLUMN))
  const height = Math.max(1, ...wrapped.map((lines) => lines.length))
  return Array.from({ length: height }, (_, at) => {
    const shown = wrapped.findLastIndex((lines) => (lines[at] ?? []).length > 0)
    return wrapped.slice(0, shown + 1).flatMap((lines, column): Line => {
      const spans = lines[at] ?? []
      const padding = " ".repeat(Math.max(0, (widths[column] ?? 0) - lineWidth(spans)))
      const gap = column === 0 ? "" : " ".repeat(GAP)
      if (alignments[column] === "right") return [plain(gap + padding), ...spans]
      return [plain(gap), ...spans, plain(column === shown ? "" : padding)]
    })
  })
}
