// Text from outside, made safe to draw: nothing in it may move the cursor, act on the terminal, reverse the order of
// characters or be invisible. A tab becomes spaces, because its width depends on its column.
import { printable } from "../contract/text/text.ts"

/** Invisible characters and line separators. Joiners stay: scripts and emoji need them. */
const INVISIBLE =
  /[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028\u2029\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Cs}/gu

/** Line feeds stay. */
export function safe(text: string): string {
  return printable(text).replaceAll(INVISIBLE, "\u{fffd}").replaceAll("\t", "    ")
}
