// Splits text into the pieces that a model would stream. The pieces joined are the text.

/** Word by word, with the white space before each word; trailing white space belongs to the last one. */
export function words(text: string): readonly string[] {
  const end = text.trimEnd().length
  if (text === "") return []
  const found = text.slice(0, end).split(/(?<=\S)(?=\s)/)
  return [...found.slice(0, -1), `${found.at(-1) ?? ""}${text.slice(end)}`]
}

/** A few fragments, as tool input is streamed. */
export function fragments(text: string): readonly string[] {
  const size = Math.max(4, Math.ceil(text.length / 4))
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size))
  return pieces
}
