// Where a piece occurs in a text, or lines in the lines of a file. Linear (Knuth-Morris-Pratt): patterns and pieces come
// from models and may have parts that are all alike. Pure.

/** A string, by its UTF-16 code units, or a list of lines. */
type Sequence = ArrayLike<string>

/** Where `wanted` begins in `items`, at or after `from`, in order. Overlapping ones count: "aa" occurs twice in "aaa". */
export function* placesIn(items: Sequence, wanted: Sequence, from = 0): Generator<number> {
  if (wanted.length === 0) return
  const borders = bordersOf(wanted)
  let matched = 0
  for (let at = from; at < items.length; at++) {
    if (matched === wanted.length) matched = borders[matched - 1] ?? 0
    matched = extended(wanted, borders, matched, items[at])
    if (matched === wanted.length) yield at + 1 - matched
  }
}

/** Places in a text. */
export function placesOf(text: string, piece: string): number[] {
  const first = text.indexOf(piece) // much faster, and mostly the only one
  return first === -1 ? [] : [...placesIn(text, piece, first)]
}

/** For each beginning: the length of its longest proper beginning that is also its end. */
function bordersOf(wanted: Sequence): readonly number[] {
  const borders = [0]
  for (let at = 1; at < wanted.length; at++) borders.push(extended(wanted, borders, borders[at - 1] ?? 0, wanted[at]))
  return borders
}

function extended(wanted: Sequence, borders: readonly number[], matched: number, item: string | undefined): number {
  let length = matched
  while (length > 0 && wanted[length] !== item) length = borders[length - 1] ?? 0
  return wanted[length] === item ? length + 1 : 0
}

export function lineAt(text: string, index: number): number {
  let line = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < index; at = text.indexOf("\n", at + 1)) line++
  return line
}
