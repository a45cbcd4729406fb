// The change of a file as lines of a terminal, with line numbers. Signs carry the meaning where there is no colour.
import type { DiffLine, FileDiff } from "../contract/rules/file-diff.ts"
import { safe } from "./safe-text.ts"
import { cutToWidth, type Line, type Style } from "./spans.ts"

const MAX_SHOWN = 24
const NEW_FILE_LINES = 8
/** Characters of a line that are looked at. */
const MAX_LINE = 2000

export interface LineSpace {
  readonly width: number
  /** Nothing is folded. */
  readonly isExpanded?: boolean
}

export function diffLines({ lines }: FileDiff, space: LineSpace): readonly Line[] {
  return numberedLines(space.isExpanded === true ? lines : withoutMiddle(lines), space.width)
}

/** The beginning of a file that did not exist. */
export function newFileLines(content: string, { width, isExpanded = false }: LineSpace): readonly Line[] {
  const all = content.replace(/\n$/, "").split("\n")
  if (content === "") return []
  const shown = isExpanded || all.length <= NEW_FILE_LINES + 1 ? all : all.slice(0, NEW_FILE_LINES)
  const lines = shown.map((text, at): DiffLine => ({ sign: "+", at: at + 1, text }))
  const hidden = all.length - shown.length
  return numberedLines(hidden === 0 ? lines : [...lines, { sign: "…", omitted: hidden }], width)
}

function withoutMiddle(lines: readonly DiffLine[]): readonly DiffLine[] {
  if (lines.length <= MAX_SHOWN + 1) return lines
  const half = MAX_SHOWN / 2
  const hidden = lines.slice(half, -half)
  const omitted = hidden.reduce((sum, line) => sum + (line.sign === "…" ? line.omitted : 1), 0)
  return [...lines.slice(0, half), { sign: "…", omitted }, ...lines.slice(-half)]
}

function numberedLines(lines: readonly DiffLine[], width: number): readonly Line[] {
  const digits = Math.max(2, ...lines.map((line) => (line.sign === "…" ? 0 : String(line.at).length)))
  return lines.map((line) => {
    const bar = { text: "  │ ", styles: ["muted"] as const }
    if (line.sign === "…") return [bar, { text: `${" ".repeat(digits)} +${line.omitted} lines`, styles: ["muted"] }]
    const text = safe(line.text.slice(0, MAX_LINE))
    const shown = cutToWidth(`${String(line.at).padStart(digits)} ${line.sign} ${text}`.trimEnd(), width - 4)
    return [bar, { text: shown, styles: styleOf(line.sign) }]
  })
}

function styleOf(sign: "+" | "-" | " "): readonly Style[] {
  if (sign === " ") return ["muted"]
  return sign === "+" ? ["added"] : ["removed"]
}
