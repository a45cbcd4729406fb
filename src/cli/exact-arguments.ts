// The arguments of a call, for somebody who decides about it: nothing folded, nothing cut, and nothing that a terminal
// would hide, turn around or act on. Such characters are shown by their number, which JSON reads as the same text.
import type { JsonValue } from "../contract/values.ts"

/** Controls, invisible and direction-changing characters, odd line ends, and halves of characters. */
const unseen = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu

export function exactArguments(input: JsonValue, indent = 2): string {
  return JSON.stringify(input, null, indent).replaceAll(unseen, byNumber)
}

export function indented(text: string, by: number): string {
  const margin = " ".repeat(by)
  return `${margin}${text.replaceAll("\n", `\n${margin}`)}`
}

function byNumber(character: string): string {
  return Array.from({ length: character.length }, (_, index) => escaped(character.charCodeAt(index))).join("")
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`
}
