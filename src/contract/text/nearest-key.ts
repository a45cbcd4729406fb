// Finds the known key with the smallest edit distance.

export function nearestKey(target: string, candidates: readonly string[]): { key: string; close: boolean } | undefined {
  const ranked = candidates.map((key) => ({ key, steps: stepsBetween(target.toLowerCase(), key.toLowerCase()) }))
  const nearest = ranked.toSorted((a, b) => a.steps - b.steps)[0]
  if (nearest === undefined) return undefined
  return { key: nearest.key, close: nearest.steps <= Math.max(2, Math.floor(target.length / 3)) }
}

function stepsBetween(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let row = 1; row <= from.length; row++) {
    const now = [row]
    for (let at = 1; at <= to.length; at++) {
      const same = from[row - 1] === to[at - 1]
      const swapped = from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1]
      const steps = [(last[at] ?? 0) + 1, (now[at - 1] ?? 0) + 1, (last[at - 1] ?? 0) + (same ? 0 : 1)]
      if (row > 1 && at > 1 && swapped) steps.push((beforeLast[at - 2] ?? 0) + 1)
      now.push(Math.min(...steps))
    }
    beforeLast = last
    last = now
  }
  return last[to.length] ?? 0
}
