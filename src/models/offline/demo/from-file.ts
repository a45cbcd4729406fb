// What to say about a file that was read: the thing that was asked for, found by key in JSON or by line elsewhere, or
// the first lines when nothing special was asked. What is not there is said not to be there.
import { fileText } from "./file-text.ts"
import { shown } from "./move.ts"

const firstLines = 10

export function fromFile(path: string, output: string, wanted: string | undefined): string {
  const { text, whole } = fileText(output)
  const lines = text.replace(/\n$/, "").split("\n")
  const extent = whole ? `${lines.length} ${lines.length === 1 ? "line" : "lines"}` : "more lines than I was shown"
  if (text === "") return `${path} is empty.`
  if (wanted === undefined) return opening(path, lines, extent)
  if (/^(?:number of lines|lines|line count)$/i.test(wanted)) return `${path} has ${extent}.`
  if (/^first line$/i.test(wanted)) return `The first line of ${path} is:${shown(lines[0] ?? "")}`
  return fromJson(path, text, wanted) ?? fromLines(path, lines, wanted)
}

function opening(path: string, lines: readonly string[], extent: string): string {
  if (lines.length <= firstLines) return `${path} has ${extent}:${shown(lines.join("\n"))}`
  return `${path} has ${extent}. It begins with:${shown(lines.slice(0, firstLines).join("\n"))}`
}

function fromJson(path: string, text: string, wanted: string): string | undefined {
  const value = parsed(text)
  const found = at(value, wanted.split(".")) ?? deep(value, wanted) ?? deep(value, lastWord(wanted))
  if (found === undefined) return undefined
  return typeof found === "object" && found !== null
    ? `In ${path}, ${wanted} is:${shown(JSON.stringify(found, undefined, 2))}`
    : `In ${path}, ${wanted} is ${JSON.stringify(found)}.`
}

function fromLines(path: string, lines: readonly string[], wanted: string): string {
  const has = (word: string) => lines.filter((line) => line.toLowerCase().includes(word.toLowerCase()))
  const exact = has(wanted)
  const found = exact.length > 0 ? exact : has(lastWord(wanted))
  if (found.length === 0) return `I read ${path} and found no "${wanted}" in it.`
  return `In ${path}, "${exact.length > 0 ? wanted : lastWord(wanted)}" stands here:${shown(found.join("\n"))}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not JSON; its lines are searched instead
  }
}

function at(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (current, key) => (isRecord(current) && Object.hasOwn(current, key) ? current[key] : undefined),
    value,
  )
}

/** The first member of that name, the shallowest first. */
function deep(value: unknown, key: string): unknown {
  let level: unknown[] = [value]
  while (level.length > 0) {
    for (const item of level) {
      const found = at(item, [key])
      if (found !== undefined) return found
    }
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []))
  }
  return undefined
}

function lastWord(wanted: string): string {
  return wanted.split(" ").at(-1) ?? wanted
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
