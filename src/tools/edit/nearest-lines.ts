// Finds the lines of a text that resemble a piece that does not occur in it, for the message that says so. Pure.

/** Lines of the text and of the piece that are compared. */
const MAX_LINES = 20_000
const MAX_PIECE_LINES = 30
/** Lines and characters of a line that are shown. */
const SHOWN_LINES = 8
const SHOWN_LENGTH = 200
/** Share of common pairs of letters from which two lines resemble each other. */
const MIN_LIKENESS = 0.5

/** Numbered lines; undefined where nothing resembles the piece. */
export function nearestLines(text: string, piece: string): string | undefined {
  const lines = text.split(/\r?\n/, MAX_LINES)
  const wanted = piece.split(/\r?\n/, MAX_PIECE_LINES).map((line) => line.trim())
  const anchor = anchorOf(wanted)
  if (anchor === undefined) return undefined
  const pairs = pairsOf(wanted[anchor] ?? "")
  let best = { at: -1, likeness: MIN_LIKENESS }
  for (const [at, line] of lines.entries()) {
    const likeness = likenessOf(pairs, line.trim())
    if (likeness > best.likeness) best = { at, likeness }
  }
  if (best.at === -1) return undefined
  const first = Math.max(0, best.at - anchor)
  const shown = lines.slice(first, first + Math.min(wanted.length, SHOWN_LINES))
  return shown.map((line, index) => `${String(first + index + 1).padStart(6)}\t${shortened(line)}`).join("\n")
}

/** The longest line says most. */
function anchorOf(lines: readonly string[]): number | undefined {
  let anchor: number | undefined
  for (const [at, line] of lines.entries())
    if (line !== "" && line.length > (anchor === undefined ? 0 : (lines[anchor] ?? "").length)) anchor = at
  return anchor
}

/** Pairs of neighbouring letters, each with the number of its occurrences. */
function pairsOf(line: string): Map<string, number> {
  const pairs = new Map<string, number>()
  const text = line.slice(0, SHOWN_LENGTH).toLowerCase()
  for (let at = 0; at + 1 < text.length; at++) {
    const pair = text.slice(at, at + 2)
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  return pairs
}

/** Dice's coefficient of the pairs of letters: 1 for equal lines. */
function likenessOf(wanted: ReadonlyMap<string, number>, line: string): number {
  const pairs = pairsOf(line)
  let common = 0
  let total = 0
  for (const count of wanted.values()) total += count
  for (const [pair, count] of pairs) {
    common += Math.min(count, wanted.get(pair) ?? 0)
    total += count
  }
  return total === 0 ? 0 : (2 * common) / total
}

function shortened(line: string): string {
  return line.length > SHOWN_LENGTH ? `${line.slice(0, SHOWN_LENGTH).toWellFormed()}…` : line
}
