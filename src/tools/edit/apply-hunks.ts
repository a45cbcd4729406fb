// Applies the changes of a patch to the lines of a file. Each is looked for behind the one before it: exactly, then
// without white space at the end of lines, then without any around them. Pure.
import type { Hunk } from "./patch-format.ts"

export type AppliedHunks =
  | { readonly kind: "text"; readonly text: string }
  /** Lines that do not occur. */
  | { readonly kind: "no"; readonly missing: string }

const exact = (line: string) => line
const comparisons = [exact, (line: string) => line.trimEnd(), (line: string) => line.trim()]

export function applyHunks(text: string, hunks: readonly Hunk[]): AppliedHunks {
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n"
  const lines = text.split(/\r?\n/)
  const hasLastLineEnd = lines.at(-1) === ""
  if (hasLastLineEnd) lines.pop()
  const changed: string[] = []
  let at = 0
  for (const hunk of hunks) {
    const start = anchored(lines, hunk, at)
    if (typeof start === "string") return { kind: "no", missing: start }
    const place = hunk.before.length === 0 ? insertionPlace(lines, hunk, start) : placeOf(lines, hunk, start)
    if (place === undefined) return { kind: "no", missing: hunk.before.join("\n") }
    changed.push(...lines.slice(at, place), ...withContextOf(hunk, lines, place))
    at = place + hunk.before.length
  }
  changed.push(...lines.slice(at))
  const end = changed.length > 0 && (hasLastLineEnd || text === "") ? lineEnd : ""
  return { kind: "text", text: changed.join(lineEnd) + end }
}

/** The first line behind the anchors, or the anchor that does not occur. */
function anchored(lines: readonly string[], { anchors }: Hunk, from: number): number | string {
  let start = from
  for (const anchor of anchors) {
    const found = lines.findIndex((line, index) => index >= start && line.trim() === anchor)
    if (found === -1) return anchor
    start = found + 1
  }
  return start
}

/** A change without context goes behind its anchor, or to the end. */
function insertionPlace(lines: readonly string[], { anchors, atEnd }: Hunk, start: number): number {
  return anchors.length === 0 || atEnd ? lines.length : start
}

/** An anchor may be the first of the lines itself. */
function placeOf(lines: readonly string[], { before, anchors, atEnd }: Hunk, start: number): number | undefined {
  const last = lines.length - before.length
  const first = atEnd ? Math.max(start, last) : Math.max(0, anchors.length > 0 ? start - 1 : start)
  for (const comparable of comparisons)
    for (let at = first; at <= last; at++)
      if (before.every((line, index) => comparable(line) === comparable(lines[at + index] ?? ""))) return at
  return undefined
}

/** Context keeps the lines of the file, which may differ in white space. */
function withContextOf({ before, after }: Hunk, lines: readonly string[], place: number): readonly string[] {
  let from = 0
  return after.map((line) => {
    const index = before.indexOf(line, from)
    if (index === -1) return line
    from = index + 1
    return lines[place + index] ?? line
  })
}
