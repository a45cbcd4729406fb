// The change of a file as lines of a terminal, with line numbers. Signs carry the meaning where there is no colour.
import type { DiffLine, FileDiff } from "../../contract/rules/file-diff.ts"
import { printable } from "../../contract/text/text.ts"
import { cutToWidth, paint, type Style } from "./wrap.ts"

const MAX_SHOWN = 24
const NEW_FILE_LINES = 8

export function diffLines({ lines }: FileDiff, width: number, stream: NodeJS.WriteStream): readonly string[] {
  return numberedLines(withoutMiddle(lines), width, stream)
}

/** The beginning of a file that did not exist. */
export function newFileLines(content: string, width: number, stream: NodeJS.WriteStream): readonly string[] {
  const all = content.replace(/\n$/, "").split("\n")
  if (content === "") return []
  const shown = all.length <= NEW_FILE_LINES + 1 ? all : all.slice(0, NEW_FILE_LINES)
  const lines = shown.map((text, at): DiffLine => ({ sign: "+", at: at + 1, text }))
  const hidden = all.length - shown.length
  return numberedLines(hidden === 0 ? lines : [...lines, { sign: "…", omitted: hidden }], width, stream)
}

function withoutMiddle(lines: readonly DiffLine[]): readonly DiffLine[] {
  if (lines.length <= MAX_SHOWN + 1) return lines
  const half = MAX_SHOWN / 2
  const hidden = lines.slice(half, -half)
  const omitted = hidden.reduce((sum, line) => sum + (line.sign === "…" ? line.omitted : 1), 0)
  return [...lines.slice(0, half), { sign: "…", omitted }, ...lines.slice(-half)]
}

function numberedLines(lines: readonly DiffLine[], width: number, stream: NodeJS.WriteStream): readonly string[] {
  const digits = Math.max(2, ...lines.map((line) => (line.sign === "…" ? 0 : String(line.at).length)))
  return lines.map((line) => {
    const bar = { text: "  │ ", styles: ["dim"] as const }
    if (line.sign === "…")
      return paint([bar, { text: `${" ".repeat(digits)} +${line.omitted} lines`, styles: ["dim"] }], stream)
    const text = printable(line.text).replaceAll("\t", "    ")
    const shown = cutToWidth(`${String(line.at).padStart(digits)} ${line.sign} ${text}`.trimEnd(), width - 4)
    return paint([bar, { text: shown, styles: styleOf(line.sign) }], stream)
  })
}

function styleOf(sign: "+" | "-" | " "): readonly Style[] {
  if (sign === " ") return ["dim"]
  return sign === "+" ? ["green"] : ["red"]
}
