// The graphics protocol of kitty, with placeholders: the image is sent once, and drawn wherever certain characters with its
// number as their colour are. They are text: they scroll, are cut and erased like text, also by tmux. Pure.
import type { CellSize } from "./image-size.ts"

const ESC = "\u001b"
const END = `${ESC}\\`
/** As many characters of base64 as the protocol takes in one sequence. */
const CHUNKS = /.{1,4096}/gs
const PLACEHOLDER = "\u{10eeee}"
/** Marks for the numbers 0 to 59, from the table of the protocol. */
const NUMBERS = [
  0x305, 0x30d, 0x30e, 0x310, 0x312, 0x33d, 0x33e, 0x33f, 0x346, 0x34a, 0x34b, 0x34c, 0x350, 0x351, 0x352, 0x357, 0x35b,
  0x363, 0x364, 0x365, 0x366, 0x367, 0x368, 0x369, 0x36a, 0x36b, 0x36c, 0x36d, 0x36e, 0x36f, 0x483, 0x484, 0x485, 0x486,
  0x487, 0x592, 0x593, 0x594, 0x595, 0x597, 0x598, 0x599, 0x59c, 0x59d, 0x59e, 0x59f, 0x5a0, 0x5a1, 0x5a8, 0x5a9, 0x5ab,
  0x5ac, 0x5af, 0x5c4, 0x610, 0x611, 0x612, 0x613, 0x614, 0x615,
].map((code) => String.fromCodePoint(code))

/** Sends a PNG file, to be drawn in so many characters. `base64` has only characters of base64. */
export function kittyUpload(number: number, base64: string, { columns, rows }: CellSize): readonly string[] {
  const chunks = base64.match(CHUNKS) ?? []
  return chunks.map((chunk, at) => {
    const more = `m=${at + 1 < chunks.length ? 1 : 0}`
    const keys = at === 0 ? `a=T,U=1,q=2,f=100,t=d,i=${number},c=${columns},r=${rows},${more}` : `q=2,${more}`
    return `${ESC}_G${keys};${chunk}${END}`
  })
}

export function kittyDelete(number: number): string {
  return `${ESC}_Ga=d,d=I,i=${number},q=2${END}`
}

/** One row of an image. */
export function kittyRow(number: number, row: number, columns: number): string {
  const colour = [number >> 16, number >> 8, number].map((part) => part & 255).join(";")
  const cells = NUMBERS.slice(0, columns).map((column) => `${PLACEHOLDER}${NUMBERS[row] ?? ""}${column}`)
  return `${ESC}[38;2;${colour}m${cells.join("")}${ESC}[39m`
}

/** Sequences for the terminal outside of tmux. */
export function passedThrough(sequence: string): string {
  return `${ESC}Ptmux;${sequence.replaceAll(ESC, `${ESC}${ESC}`)}${END}`
}
