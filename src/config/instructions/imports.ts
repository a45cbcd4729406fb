// Finds the imports of an instruction file: `@path` after a space or at the beginning of a line, as Claude Code writes
// them. Code spans and fenced code have none. Pure.
import { withoutTrailing } from "../../contract/text/text.ts"

/** Paths of one file that are looked up; further ones are ignored. */
const MAX_PATHS = 100

const importMark = /(?:^|\s)@((?:\\ |[^\s\\])+)/g
const fenceMark = /^ {0,3}(`{3,}|~{3,})/
const pathStart = /^(?:~\/|\/|\.{1,2}\/|[\w.-])/
const punctuation = ".,;:!?)]}'\""

/** Each with the spellings to try, in order: punctuation after a path is probably not part of it. */
export function importsIn(text: string): readonly (readonly string[])[] {
  const found = new Map<string, readonly string[]>()
  for (const [, written = ""] of withoutCode(text).matchAll(importMark)) {
    const path = written.replaceAll("\\ ", " ")
    if (!pathStart.test(path) || found.has(path)) continue
    const bare = withoutTrailing(path, punctuation)
    found.set(path, bare === path || bare === "" ? [path] : [path, bare])
    if (found.size >= MAX_PATHS) break
  }
  return [...found.values()]
}

function withoutCode(text: string): string {
  const lines: string[] = []
  let fence: string | undefined
  for (const line of text.split("\n")) {
    const mark = fenceMark.exec(line)?.[1]
    if (fence === undefined && mark === undefined) lines.push(withoutSpans(line))
    else if (fence === undefined) fence = mark
    else if (mark !== undefined && mark.startsWith(fence) && line.trim() === mark) fence = undefined
  }
  return lines.join("\n")
}

/** A span ends with as many backticks as it began with; without such an end it is plain text. */
function withoutSpans(line: string): string {
  const pieces = line.split(/(`+)/)
  const kept: string[] = []
  for (let at = 0; at < pieces.length; at += 1) {
    const piece = pieces[at] ?? ""
    const end = piece.startsWith("`") ? pieces.indexOf(piece, at + 1) : -1
    if (end === -1) kept.push(piece)
    else at = end
  }
  return kept.join("")
}
