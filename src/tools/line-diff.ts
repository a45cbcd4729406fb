// A short look at what changed between two texts, in the manner of a unified diff. Made for people and models to check
// a change at a glance: it is bounded, and where the texts differ too much it shows the old block and then the new one.
interface Line {
  readonly sign: " " | "-" | "+"
  readonly text: string
}

const context = 2
const shownLines = 60
const shownLength = 200
/** Above this many comparisons the middle is shown as one block. */
const mostComparisons = 250_000

export function lineDiff(before: string, after: string): string {
  const old = linesOf(before)
  const now = linesOf(after)
  const start = commonStart(old, now)
  const end = commonEnd(old, now, start)
  const from = Math.max(0, start - context)
  const changed = compared(old.slice(start, old.length - end), now.slice(start, now.length - end))
  const lines = [
    ...old.slice(from, start).map(same),
    ...changed,
    ...old.slice(old.length - end, old.length - end + context).map(same),
  ]
  return [`@@ line ${start + 1} @@`, ...shorten(lines).map(show)].join("\n")
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === "") lines.pop()
  return lines
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  let count = 0
  while (count < a.length && count < b.length && a[count] === b[count]) count++
  return count
}

function commonEnd(a: readonly string[], b: readonly string[], start: number): number {
  const most = Math.min(a.length, b.length) - start
  let count = 0
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count++
  return count
}

/** The longest common run of lines stays, the rest was taken out or put in. */
function compared(old: readonly string[], now: readonly string[]): Line[] {
  if (old.length * now.length > mostComparisons) return [...old.map(removed), ...now.map(added)]
  const width = now.length + 1
  const common = new Uint32Array((old.length + 1) * width) // lines in common from (i, j) on
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i * width + j] =
        old[i] === now[j]
          ? (common[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0)
  return walked(old, now, (i, j) => common[i * width + j] ?? 0)
}

function walked(old: readonly string[], now: readonly string[], common: (i: number, j: number) => number): Line[] {
  const lines: Line[] = []
  let i = 0
  let j = 0
  while (i < old.length || j < now.length) {
    const [before, after] = [old[i], now[j]]
    if (before !== undefined && before === after) {
      lines.push(same(before))
      i++
      j++
    } else if (before !== undefined && (after === undefined || common(i + 1, j) >= common(i, j + 1))) {
      lines.push(removed(before))
      i++
    } else {
      lines.push(added(after ?? ""))
      j++
    }
  }
  return lines
}

function shorten(lines: readonly Line[]): (Line | { readonly left: number })[] {
  if (lines.length <= shownLines) return [...lines]
  const half = shownLines / 2
  return [...lines.slice(0, half), { left: lines.length - 2 * half }, ...lines.slice(-half)]
}

function show(line: Line | { readonly left: number }): string {
  if ("left" in line) return `[… ${line.left} lines of this change are not shown …]`
  const text = line.text.length > shownLength ? `${line.text.slice(0, shownLength).toWellFormed()}…` : line.text
  return `${line.sign}${text}`
}

const same = (text: string): Line => ({ sign: " ", text })
const removed = (text: string): Line => ({ sign: "-", text })
const added = (text: string): Line => ({ sign: "+", text })
