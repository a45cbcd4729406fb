// Applies the changes of a patch to the lines of a file. Each is looked for behind the one before it: exactly, then
// without white space at the end of lines, then without any around them. Pure.
import type { Hunk } from "./patch-format.ts"
import { placesIn } from "../../contract/text/places.ts"

export type AppliedHunks =
  | { readonly kind: "text"; readonly text: string }
  /** Lines that do not occur. */
  | { readonly kind: "no"; readonly missing: string }

const exact = (line: string) => line
const comparisons = [exact, (line: string) => line.trimEnd(), (line: string) => line.trim()]

export function applyHunks(text: string, hunks: readonly Hunk[]): AppliedHunks {
  const { lines, ends } = linesOf(text)
  const changed: string[][] = []
  let at = 0
  for (const hunk of hunks) {
    const start = anchored(lines, hunk, at)
    if (typeof start === "string") return { kind: "no", missing: start }
    const found = foundHunk(lines, hunk, start)
    if (found === undefined) return { kind: "no", missing: hunk.before.join("\n") }
    const { place, before, after } = found
    changed.push(withEnds(lines, ends, at, place), addedLines({ before, after }, lines, ends, place))
    at = place + before.length
  }
  changed.push(withEnds(lines, ends, at, lines.length))
  const all = changed.flat().join("")
  const isEnded = text === "" || text.endsWith("\n")
  return { kind: "text", text: isEnded ? all : all.replace(/\r?\n$/, "") }
}

interface Lines {
  readonly lines: readonly string[]
  /** The line end of each line, so that those of lines that do not change are kept. */
  readonly ends: readonly string[]
}

/** A last line without a line end gets one here. */
function linesOf(text: string): Lines {
  const ends = text.match(/\r?\n/g) ?? []
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === "") lines.pop()
  return { lines, ends: lines.map((_, at) => ends[at] ?? ends[0] ?? "\n") }
}

function withEnds(lines: readonly string[], ends: readonly string[], from: number, to: number): string[] {
  return lines.slice(from, to).map((line, at) => line + (ends[from + at] ?? "\n"))
}

interface FoundHunk extends Pick<Hunk, "before" | "after"> {
  readonly place: number
}

/** Models often leave an empty line behind a change, which is no line of the file. */
function foundHunk(lines: readonly string[], hunk: Hunk, start: number): FoundHunk | undefined {
  const { before, after } = hunk
  if (before.length === 0) return { place: insertionPlace(lines, hunk, start), before, after }
  const place = placeOf(lines, hunk, start)
  if (place !== undefined) return { place, before, after }
  if (before.at(-1) !== "" || after.at(-1) !== "") return undefined
  return foundHunk(lines, { ...hunk, before: before.slice(0, -1), after: after.slice(0, -1) }, start)
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
  const last = Math.max(0, lines.length - before.length)
  const first = atEnd ? Math.max(start, last) : Math.max(0, anchors.length > 0 ? start - 1 : start)
  for (const comparable of comparisons) {
    const [place] = placesIn(lines.map(comparable), before.map(comparable), first)
    if (place !== undefined) return place
  }
  return undefined
}

/** Context keeps the lines of the file, which may differ in white space. Other lines get the line end of their place. */
function addedLines(
  { before, after }: Pick<Hunk, "before" | "after">,
  lines: readonly string[],
  ends: readonly string[],
  place: number,
): string[] {
  let from = 0
  return after.map((line) => {
    const index = before.indexOf(line, from)
    const at = place + (index === -1 ? from : index)
    const end = ends[at] ?? ends.at(-1) ?? "\n"
    if (index === -1) return line + end
    from = index + 1
    return (lines[at] ?? line) + end
  })
}
