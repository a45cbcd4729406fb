// What a running call has printed, as clients know it: pieces with positions, folded into a bounded tail. A client that
// gets the tail first and pieces afterwards has each character once, and notices what was skipped.
import { limits } from "../limits.ts"
import { isHighSurrogate, withoutEscapes } from "../text/text.ts"

export interface OutputPiece {
  /** Its position in the whole output. It continues another piece that ends here; otherwise some was skipped. */
  readonly from: number
  readonly text: string
}

/** The newest part of the output after a piece. What both have is kept once. */
export function addOutput(tail: OutputPiece | undefined, piece: OutputPiece): OutputPiece {
  const end = tail === undefined ? piece.from : tail.from + tail.text.length
  if (tail === undefined || piece.from > end || piece.from < tail.from) return newestPart(piece)
  const fresh = piece.text.slice(end - piece.from)
  return fresh === "" ? tail : newestPart({ from: tail.from, text: tail.text + fresh })
}

/** The last lines that are not blank, without colours, for a display of a few lines. Of a line that the program wrote
 *  several times, as progress bars do, the newest; a line that the tail begins within is left out. */
export function lastLines({ from, text }: OutputPiece, count: number): readonly string[] {
  const lines = withoutEscapes(text).split("\n")
  if (from > 0 && lines.length > 1) lines.shift()
  return lines.flatMap((line) => line.split("\r").findLast(isNotBlank) ?? []).slice(-count)
}

function isNotBlank(line: string): boolean {
  return line.trim() !== ""
}

/** Not longer than a client keeps, and without splitting a character. */
export function newestPart(piece: OutputPiece): OutputPiece {
  const excess = piece.text.length - limits.liveOutputLength
  if (excess <= 0) return piece
  const at = isHighSurrogate(piece.text.charCodeAt(excess - 1)) ? excess + 1 : excess
  return { from: piece.from + at, text: piece.text.slice(at) }
}
