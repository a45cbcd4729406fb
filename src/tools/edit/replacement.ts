// Replaces one piece of a text that must occur exactly once. Line endings are ignored in the search, and the new piece
// gets the line endings of the text. Pure.
export type Replacement =
  | { readonly kind: "replaced"; readonly text: string }
  /** Number of occurrences (not one), and the lines of the first ones. */
  | { readonly kind: "ambiguous"; readonly times: number; readonly lines: readonly number[] }

const namedLines = 20

export function replaceOnce(text: string, oldPiece: string, newPiece: string): Replacement {
  const plain = withLineFeeds(text)
  const piece = withLineFeeds(oldPiece)
  const { times, places } = placesOf(plain, piece)
  const [place] = places
  if (place === undefined || times > 1)
    return { kind: "ambiguous", times, lines: places.map((index) => lineAt(plain, index)) }
  const toOriginal = originalIndex(text)
  const [from, to] = [toOriginal(place), toOriginal(place + piece.length)]
  return { kind: "replaced", text: text.slice(0, from) + withLineEndsOf(newPiece, text, oldPiece) + text.slice(to) }
}

/** The first line that reads like the piece's first line when white space is ignored. */
export function similarLine(text: string, piece: string): number | undefined {
  const firstLine = piece
    .split("\n")
    .map((line) => line.trim())
    .find((line) => line !== "")
  if (firstLine === undefined) return undefined
  const index = text.split("\n").findIndex((line) => line.trim() === firstLine)
  return index === -1 ? undefined : index + 1
}

function withLineFeeds(text: string): string {
  return text.replaceAll("\r\n", "\n")
}

/** Overlapping ones count: "aa" occurs twice in "aaa". */
function placesOf(text: string, piece: string): { times: number; places: number[] } {
  const places: number[] = []
  let times = 0
  for (let at = text.indexOf(piece); at !== -1; at = text.indexOf(piece, at + 1)) {
    if (times < namedLines) places.push(at)
    times++
  }
  return { times, places }
}

function lineAt(text: string, index: number): number {
  let line = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < index; at = text.indexOf("\n", at + 1)) line++
  return line
}

/** From an index in the text with plain line feeds to the index in the original text. */
function originalIndex(text: string): (index: number) => number {
  return (index) => {
    let original = index
    for (let at = text.indexOf("\r\n"); at !== -1 && at < original; at = text.indexOf("\r\n", at + 2)) original++
    return original
  }
}

function withLineEndsOf(piece: string, text: string, oldPiece: string): string {
  const pairs = text.split("\r\n").length - 1
  if (pairs === 0 && !oldPiece.includes("\r\n")) return piece
  const plain = withLineFeeds(piece)
  const single = text.split("\n").length - 1 - pairs
  return pairs > single ? plain.replaceAll("\n", "\r\n") : plain
}
