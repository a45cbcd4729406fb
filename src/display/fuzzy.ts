// Fuzzy search: the letters of the query in order, not necessarily together. Matches at the beginning of words and in
// the last part of a path count more.

/** Undefined if the text does not match; higher is better. */
export function fuzzyScore(query: string, text: string): number | undefined {
  const wanted = query.toLowerCase()
  const lower = text.toLowerCase()
  if (wanted === "") return 0
  const whole = lower.lastIndexOf(wanted)
  if (whole >= 0) return WHOLE + (isWordStart(text, whole) ? START : 0) - text.length
  let score = 0
  let from = 0
  for (const letter of wanted) {
    const at = lower.indexOf(letter, from)
    if (at < 0) return undefined
    score += at === from && from > 0 ? RUN : isWordStart(text, at) ? START : 0
    from = at + letter.length
  }
  return score - text.length
}

const WHOLE = 10_000
const START = 200
const RUN = 100

function isWordStart(text: string, at: number): boolean {
  return at === 0 || /[\s/._-]/.test(text[at - 1] ?? "")
}

/** The best matches, the best first; equal ones stay in order. */
export function fuzzyFilter<Item>(
  items: readonly Item[],
  query: string,
  textOf: (item: Item) => string,
  limit: number,
): readonly Item[] {
  if (query === "") return items.slice(0, limit)
  const scored = items.flatMap((item) => {
    const score = fuzzyScore(query, textOf(item))
    return score === undefined ? [] : [{ item, score }]
  })
  return scored
    .toSorted((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ item }) => item)
}
