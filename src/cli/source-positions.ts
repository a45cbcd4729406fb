// Positions in src/ for a stack trace of the built program, whose files have other names and lines. Read from the source
// maps only when there is a stack to print, so that starting costs nothing.
import { existsSync, readFileSync } from "node:fs"
import { SourceMap } from "node:module"
import { fileURLToPath } from "node:url"

export function withSourcePositions(stack: string): string {
  return stack.replace(
    /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/g,
    (place, url: string, line: string, column: string) => sourceOf(url, Number(line), Number(column)) ?? place,
  )
}

/** Undefined if there is no readable source map: the stack that is being printed matters more. */
function sourceOf(url: string, line: number, column: number): string | undefined {
  try {
    return positionIn(fileURLToPath(`${url}.map`), line, column)
  } catch {
    return undefined
  }
}

function positionIn(map: string, line: number, column: number): string | undefined {
  if (!existsSync(map)) return undefined
  const entry = new SourceMap(JSON.parse(readFileSync(map, "utf8"))).findEntry(line - 1, column - 1)
  if (!("originalSource" in entry)) return undefined
  return `${entry.originalSource.replace(/^(\.\.\/)+/, "")}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
}
