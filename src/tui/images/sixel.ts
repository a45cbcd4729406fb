// Pixels as sixels: bands of six rows, each colour of a band for itself. Colours are those of a cube with six steps a side,
// dithered. Pure.

export interface Pixels {
  readonly width: number
  readonly height: number
  /** Red, green, blue and opacity of each pixel, by rows. */
  readonly data: Uint8Array
}

const STEPS = 6
const BAND = 6
const OPAQUE = 128
/** Shifts of a colour within a step, by place: neighbours mix to colours between two steps. */
const DITHER = [
  [0, 8, 2, 10],
  [12, 4, 14, 6],
  [3, 11, 1, 9],
  [15, 7, 13, 5],
]

export function sixelImage(pixels: Pixels): string {
  const { width, height } = pixels
  const colours = coloursOf(pixels)
  const used = [...new Set(colours)].filter((colour) => colour >= 0)
  const palette = used.map((colour) => `#${colour};2;${shares(colour).join(";")}`).join("")
  const bands: string[] = []
  for (let top = 0; top < height; top += BAND) bands.push(bandText(colours, width, top, Math.min(height, top + BAND)))
  return `\u001bP0;1;0q"1;1;${width};${height}${palette}${bands.join("-")}\u001b\\`
}

/** The number of each pixel's colour; -1 where the background shows. */
function coloursOf({ width, height, data }: Pixels): Int16Array {
  const colours = new Int16Array(width * height)
  for (let at = 0; at < colours.length; at += 1) {
    const shift = ((DITHER[Math.floor(at / width) % 4]?.[(at % width) % 4] ?? 0) + 0.5) / 16 - 0.5
    const step = (channel: number) => {
      const level = ((data[4 * at + channel] ?? 0) / 255) * (STEPS - 1) + shift
      return Math.max(0, Math.min(STEPS - 1, Math.round(level)))
    }
    colours[at] = (data[4 * at + 3] ?? 0) < OPAQUE ? -1 : (step(0) * STEPS + step(1)) * STEPS + step(2)
  }
  return colours
}

/** Percent of red, green and blue. */
function shares(colour: number): readonly number[] {
  const steps = [Math.floor(colour / STEPS ** 2), Math.floor(colour / STEPS) % STEPS, colour % STEPS]
  return steps.map((step) => Math.round((step / (STEPS - 1)) * 100))
}

function bandText(colours: Int16Array, width: number, top: number, bottom: number): string {
  const rows = new Map<number, Uint8Array>()
  for (let y = top; y < bottom; y += 1)
    for (let x = 0; x < width; x += 1) {
      const colour = colours[y * width + x] ?? -1
      if (colour < 0) continue
      const row = rows.get(colour) ?? new Uint8Array(width)
      row[x] = (row[x] ?? 0) | (1 << (y - top))
      rows.set(colour, row)
    }
  return [...rows].map(([colour, row]) => `#${colour}${runs(row)}`).join("$")
}

const FIRST = 63
const MIN_RUN = 4

/** Equal columns are counted. */
function runs(row: Uint8Array): string {
  let text = ""
  let end = row.length
  while (end > 0 && row[end - 1] === 0) end -= 1
  for (let at = 0; at < end;) {
    let next = at + 1
    while (next < end && row[next] === row[at]) next += 1
    const character = String.fromCharCode(FIRST + (row[at] ?? 0))
    const count = next - at
    text += count < MIN_RUN ? character.repeat(count) : `!${count}${character}`
    at = next
  }
  return text
}
