// Unified-style diff of two texts for tool results, bounded in time and size. Texts that differ too much are shown as
// the old block followed by the new one.
import type { ChangeObject } from "diff"
import type { DiffLine, FileDiff } from "../../contract/rules/file-diff.ts"

type Change = Pick<ChangeObject<string[]>, "added" | "removed" | "value">

const CONTEXT_LINES = 2
/** Lines, and characters of a line: of results, and of what a person decides about. */
const RESULT_SIZE = { lines: 60, length: 200 } as const
const DECISION_SIZE = { lines: 200, length: 300 } as const
/** Removed plus added lines that are compared one by one. Bounds the time: the comparison is quadratic in this number. */
const MAX_EDITS = 400

export async function fileDiff(before: string, after: string): Promise<FileDiff> {
  const lines = await comparedLines(before, after)
  return { ...countsOf(lines), lines: withoutMiddle(aroundChanges(lines), RESULT_SIZE) }
}

/** For a person who decides about a change: lines between two changes are left out, so that more changes are shown. */
export async function decisionDiff(before: string, after: string): Promise<FileDiff> {
  const lines = await comparedLines(before, after)
  return { ...countsOf(lines), lines: withoutMiddle(withoutUnchanged(aroundChanges(lines)), DECISION_SIZE) }
}

async function comparedLines(before: string, after: string): Promise<readonly NumberedLine[]> {
  const { diffArrays } = await import("diff/lib/diff/array.js")
  const old = linesOf(before)
  const current = linesOf(after)
  const changes: readonly Change[] = diffArrays(old, current, { maxEditLength: MAX_EDITS }) ?? asOneBlock(old, current)
  return numbered(changes)
}

function countsOf(lines: readonly NumberedLine[]): Pick<FileDiff, "added" | "removed"> {
  const count = (sign: DiffLine["sign"]) => lines.filter((line) => line.sign === sign).length
  return { added: count("+"), removed: count("-") }
}

/** As tools show it to the model. */
export function diffText({ lines }: FileDiff): string {
  const [first = 1] = lines.flatMap((line) => (line.sign === "+" || line.sign === "-" ? [line.at] : []))
  const shown = lines.map((line) =>
    line.sign === "…" ? `[… ${line.omitted} lines of this change are not shown …]` : `${line.sign}${line.text}`,
  )
  return [`@@ line ${first} @@`, ...shown].join("\n")
}

type NumberedLine = Extract<DiffLine, { text: string }>

function numbered(changes: readonly Change[]): readonly NumberedLine[] {
  let [oldAt, newAt] = [1, 1]
  return changes.flatMap(({ added, removed, value }) =>
    value.map((text): NumberedLine => {
      if (!added) oldAt += 1
      if (!removed) newAt += 1
      return removed ? { sign: "-", at: oldAt - 1, text } : { sign: added ? "+" : " ", at: newAt - 1, text }
    }),
  )
}

/** From the first to the last change, with the lines around them. */
function aroundChanges(lines: readonly NumberedLine[]): readonly NumberedLine[] {
  const isChange = ({ sign }: NumberedLine) => sign !== " "
  const first = lines.findIndex(isChange)
  const last = lines.findLastIndex(isChange)
  return lines.slice(Math.max(0, first - CONTEXT_LINES), last + 1 + CONTEXT_LINES)
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === "") lines.pop()
  return lines
}

function asOneBlock(old: readonly string[], current: readonly string[]): readonly Change[] {
  const shorter = Math.min(old.length, current.length)
  let start = 0
  while (start < shorter && old[start] === current[start]) start++
  let end = 0
  while (end < shorter - start && old.at(-1 - end) === current.at(-1 - end)) end++
  return [
    { added: false, removed: false, value: old.slice(0, start) },
    { added: false, removed: true, value: old.slice(start, old.length - end) },
    { added: true, removed: false, value: current.slice(start, current.length - end) },
    { added: false, removed: false, value: old.slice(old.length - end) },
  ]
}

function withoutUnchanged(lines: readonly NumberedLine[]): readonly DiffLine[] {
  const shown: DiffLine[] = []
  let unchanged: NumberedLine[] = []
  for (const line of lines) {
    if (line.sign === " ") {
      unchanged.push(line)
      continue
    }
    shown.push(...endsOf(unchanged), line)
    unchanged = []
  }
  return [...shown, ...unchanged]
}

function endsOf(unchanged: readonly NumberedLine[]): readonly DiffLine[] {
  const omitted = unchanged.length - 2 * CONTEXT_LINES
  if (omitted < 2) return unchanged
  const fold: DiffLine = { sign: "…", omitted, unchanged: true }
  return [...unchanged.slice(0, CONTEXT_LINES), fold, ...unchanged.slice(-CONTEXT_LINES)]
}

interface ShownSize {
  readonly lines: number
  /** Characters of a line. */
  readonly length: number
}

function withoutMiddle(lines: readonly DiffLine[], most: ShownSize): readonly DiffLine[] {
  const half = most.lines / 2
  const omitted = lines.slice(half, -half)
  const shown: readonly DiffLine[] =
    lines.length <= most.lines
      ? lines
      : [...lines.slice(0, half), { sign: "…", omitted: totalOf(omitted) }, ...lines.slice(-half)]
  return shown.map((line) => shortened(line, most))
}

function totalOf(lines: readonly DiffLine[]): number {
  return lines.reduce((sum, line) => sum + (line.sign === "…" ? line.omitted : 1), 0)
}

function shortened(line: DiffLine, { length }: ShownSize): DiffLine {
  if (line.sign === "…" || line.text.length < length) return line
  return { ...line, text: `${line.text.slice(0, length).toWellFormed()}…` }
}
