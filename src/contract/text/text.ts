// Text made safe to cut, to show and to print.
import { limits } from "../limits.ts"

/** Whether a UTF-16 unit is the first of a surrogate pair. */
export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

/** Names, reasons and descriptions of clients are cut instead of refused. */
export function boundedName(text: string): string {
  return text.slice(0, limits.nameLength).toWellFormed()
}

/** The first `max` units of a text without splitting a character, and an ellipsis where some are left out. */
export function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, cutBefore(text, max))}…`
}

/** A text in pieces of at most `max` units, without splitting a character. */
export function splitText(text: string, max: number): readonly string[] {
  if (text.length <= max) return text === "" ? [] : [text]
  const pieces: string[] = []
  for (let from = 0; from < text.length;) {
    const to = Math.max(from + 1, cutBefore(text, from + max))
    pieces.push(text.slice(from, to))
    from = to
  }
  return pieces
}

/** At most `end`, and not within a character. */
function cutBefore(text: string, end: number): number {
  return end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end
}

/** Linear; a regular expression such as /x+$/ takes quadratic time on long runs of x. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

/** For a terminal or a log: removes what moves the cursor, sets a terminal's title or reverses the order of characters. */
export function printable(text: string): string {
  return text.replaceAll(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "\u{fffd}")
}

/** Without colours and other sequences by which programs control a terminal. Linear. */
export function withoutEscapes(text: string): string {
  return text.replaceAll(ESCAPES, "")
}

const ESCAPE = "\u001b"
const BELL = "\u0007"
const ESCAPES = new RegExp(
  String.raw`${ESCAPE}(?:\[[0-?]*[ -/]*[@-~]|\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\)?|[@-Z\\-_])`,
  "g",
)

export function oneLine(text: string, width: number): string {
  const line = printable(text.replaceAll(/\s+/g, " ").trim())
  return line.length > width ? `${line.slice(0, width - 1).toWellFormed()}…` : line
}

/** Control, format and other characters that are not seen, and blanks that look like others. */
export const HIDDEN_CHARACTERS = /(?![\n ])[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{DI}\u2800]/gu

/**
 * For a person who decides by what is shown: hidden and direction-changing characters are shown as their escapes, which
 * JSON reads as the same text. Line ends stay.
 */
export function withVisibleCharacters(text: string): string {
  return text.replaceAll(HIDDEN_CHARACTERS, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  )
}
