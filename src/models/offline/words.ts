// Cutting text into what a model would stream. The pieces joined are always the text again.

/** Word by word, white space in front of the word it precedes and, at the end, behind the last word. */
export function words(text: string): readonly string[] {
  const end = text.trimEnd().length
  if (text === "") return []
  const found = text.slice(0, end).split(/(?<=\S)(?=\s)/)
  return [...found.slice(0, -1), `${found.at(-1) ?? ""}${text.slice(end)}`]
}

/** A few fragments, the way tool input arrives. */
export function fragments(text: string): readonly string[] {
  const size = Math.max(4, Math.ceil(text.length / 4))
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size))
  return pieces
}
