// Cutting text without splitting a character that takes two UTF-16 units.

/** Whether a UTF-16 unit is the first of a surrogate pair. */
export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

/** The first `max` units of a text, and an ellipsis where some are left out. */
export function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, cutBefore(text, max))}…`
}

/** A text in pieces of at most `max` units. */
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
