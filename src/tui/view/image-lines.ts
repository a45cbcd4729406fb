// An image in the conversation: its name, and below it the rows in which the terminal draws it.
import { cutToWidth, type Line } from "../../display/spans.ts"
import { safe } from "../../display/safe-text.ts"
import { cellsFor } from "../images/image-size.ts"
import type { ImageBook } from "../images/image-store.ts"

interface ImageSpace {
  readonly width: number
  /** Absent where images cannot be drawn. */
  readonly images: ImageBook | undefined
}

/** `label` names it. */
export function imageLines(key: string, label: string, { width, images }: ImageSpace): readonly Line[] {
  const size = images?.sizes.get(key)
  const name = { text: cutToWidth(safe(label), width), styles: ["muted"] } as const
  if (images === undefined || size === "note") return [[name]]
  if (size === undefined) return [[name, { text: "", styles: [], image: { key, row: 0, columns: 0, rows: 0 } }]]
  const { columns, rows } = cellsFor(size, images.cell, width)
  const blanks = " ".repeat(columns)
  const drawn = Array.from({ length: rows }, (_, row): Line => [
    { text: blanks, styles: [], image: { key, row, columns, rows } },
  ])
  return [[name], ...drawn]
}
