// A Markdown table in columns that fit the page: wide cells are wrapped.
import type { Token, Tokens } from "marked"
import { columnsOf, paint, wrapSpans, type Span } from "./wrap.ts"
import type { Page } from "./page.ts"

const GAP = 2
const MIN_COLUMN = 4

type Inline = (tokens: readonly Token[], page: Page) => readonly Span[]

export function tableLines(
  header: readonly Tokens.TableCell[],
  rows: readonly (readonly Tokens.TableCell[])[],
  page: Page,
  inline: Inline,
): readonly string[] {
  const spansOf = ({ tokens }: Tokens.TableCell) => inline(tokens, page)
  const head = header.map((cell) =>
    spansOf(cell).map(({ text, styles }): Span => ({ text, styles: ["bold", ...styles] })),
  )
  const body = rows.map((row) => row.map(spansOf))
  const natural = header.map((_, column) => Math.max(MIN_COLUMN, ...[head, ...body].map((row) => widthOf(row[column]))))
  const widths = fitted(natural, page.width - GAP * (header.length - 1))
  const alignments = header.map(({ align }) => align)
  const line = (cells: readonly (readonly Span[])[]) => rowLines(cells, widths, alignments, page)
  const rule = widths.map((width) => "─".repeat(width)).join(" ".repeat(GAP))
  return [...line(head), rule, ...body.flatMap(line)]
}

function widthOf(spans: readonly Span[] = []): number {
  return spans.reduce((sum, { text }) => sum + columnsOf(text), 0)
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
  { stream }: Page,
): readonly string[] {
  const wrapped = cells.map((spans, column) => wrapSpans(spans, widths[column] ?? MIN_COLUMN))
  const height = Math.max(1, ...wrapped.map((lines) => lines.length))
  return Array.from({ length: height }, (_, at) =>
    wrapped
      .map((lines, column) => {
        const spans = lines[at] ?? []
        const padding = " ".repeat(Math.max(0, (widths[column] ?? 0) - widthOf(spans)))
        const text = paint(spans, stream)
        return alignments[column] === "right" ? padding + text : text + padding
      })
      .join(" ".repeat(GAP))
      .trimEnd(),
  )
}
