// Unified-style diff of two texts for tool results, bounded in time and size. Texts that differ too much are shown as
// the old block followed by the new one.
import type { ChangeObject } from "diff"

type Change = Pick<ChangeObject<string[]>, "added" | "removed" | "value">

const CONTEXT_LINES = 2
const MAX_LINES = 60
const MAX_LINE_LENGTH = 200
/** Removed plus added lines that are compared one by one. Bounds the time: the comparison is quadratic in this number. */
const MAX_EDITS = 400

export async function lineDiff(before: string, after: string): Promise<string> {
  const { diffArrays } = await import("diff/lib/diff/array.js")
  const old = linesOf(before)
  const current = linesOf(after)
  const changes: readonly Change[] = diffArrays(old, current, { maxEditLength: MAX_EDITS }) ?? asOneBlock(old, current)
  const isChange = ({ added, removed }: Change) => added || removed
  const first = changes.findIndex(isChange)
  const last = changes.findLastIndex(isChange)
  const unchangedBefore = changes[first - 1]?.value ?? []
  const lines = [
    ...unchangedBefore.slice(-CONTEXT_LINES).map((line) => ` ${line}`),
    ...changes.slice(first, last + 1).flatMap(withSign),
    ...(changes[last + 1]?.value ?? []).slice(0, CONTEXT_LINES).map((line) => ` ${line}`),
  ]
  return [`@@ line ${unchangedBefore.length + 1} @@`, ...withoutMiddle(lines.map(shorten))].join("\n")
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

function withSign({ added, removed, value }: Change): string[] {
  const sign = removed ? "-" : added ? "+" : " "
  return value.map((line) => `${sign}${line}`)
}

function shorten(line: string): string {
  return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH + 1).toWellFormed()}…` : line
}

function withoutMiddle(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_LINES) return lines
  const half = MAX_LINES / 2
  return [
    ...lines.slice(0, half),
    `[… ${lines.length - MAX_LINES} lines of this change are not shown …]`,
    ...lines.slice(-half),
  ]
}
