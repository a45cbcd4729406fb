// Cutting text into what a model would stream. The pieces joined are always the text again.

/** Word by word, white space in front of the word it precedes. */
export function words(text: string): readonly string[] {
  return text.match(/\s*\S+(?:\s+$)?|^\s+$/g) ?? []
}

/** A few fragments, the way tool input arrives. */
export function fragments(text: string): readonly string[] {
  const size = Math.max(4, Math.ceil(text.length / 4))
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size))
  return pieces
}
