// How many characters of the screen an image takes. Pure.

export interface PixelSize {
  readonly width: number
  readonly height: number
}

export interface CellSize {
  readonly columns: number
  readonly rows: number
}

/** Also the most that the marks of the kitty protocol have to number. */
export const MAX_COLUMNS = 60
export const MAX_ROWS = 14

/** In its own size or smaller, never larger, with its own ratio. */
export function cellsFor(image: PixelSize, cell: PixelSize, columns: number): CellSize {
  const most = { width: Math.max(1, Math.min(MAX_COLUMNS, columns)) * cell.width, height: MAX_ROWS * cell.height }
  const fitted = fittedSize(image, most)
  return { columns: Math.ceil(fitted.width / cell.width), rows: Math.ceil(fitted.height / cell.height) }
}

export function fittedSize(image: PixelSize, most: PixelSize): PixelSize {
  const scale = Math.min(1, most.width / image.width, most.height / image.height)
  return { width: Math.max(1, Math.round(image.width * scale)), height: Math.max(1, Math.round(image.height * scale)) }
}
