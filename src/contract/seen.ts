// Text for somebody who decides by what they see: characters that would be hidden, turn the line around or be acted on
// are shown by their number, which JSON reads as the same text. Line ends stay.

/** Controls, invisible and direction-changing characters, odd line ends, and halves of characters. */
const unseen = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu

export function seen(text: string): string {
  return text.replaceAll(unseen, byNumber)
}

function byNumber(character: string): string {
  return Array.from({ length: character.length }, (_, index) => escaped(character.charCodeAt(index))).join("")
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`
}
