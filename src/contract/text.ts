// Cutting text without splitting a character that takes two UTF-16 units.

/** Whether a UTF-16 unit is the first of a surrogate pair. */
export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

/** The first `max` units of a text, and an ellipsis where some are left out. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text
  return `${text.slice(0, isHighSurrogate(text.charCodeAt(max - 1)) ? max - 1 : max)}…`
}
