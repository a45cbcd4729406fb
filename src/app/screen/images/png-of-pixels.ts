// A PNG file of pixels.
import { pngHeader, pngOfRows } from "../../../tools/read/png-file.ts"
import type { Pixels } from "../../../tui/images/sixel.ts"

const RGBA = 6

export function pngOfPixels({ width, height, data }: Pixels): Buffer {
  const rows = Buffer.alloc(height * (4 * width + 1))
  for (let y = 0; y < height; y += 1)
    rows.set(data.subarray(4 * width * y, 4 * width * (y + 1)), y * (4 * width + 1) + 1)
  return pngOfRows(pngHeader(width, height, RGBA), rows)
}
