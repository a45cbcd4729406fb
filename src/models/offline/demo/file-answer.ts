// What the demo says about a file that it has read: its first lines, or the value that the user asked for.
import { shown } from "./move.ts"

const FIRST_LINES = 10
const NUMBERED = /^ *\d+\t/

export function openingOfFile(path: string, output: string): string {
  const lines = linesOf(output)
  const isWhole = lines.length === output.trimEnd().split("\n").length
  if (lines.length === 0) return output
  const extent = isWhole ? `${lines.length} ${lines.length === 1 ? "line" : "lines"}` : "more lines than I was shown"
  if (lines.length <= FIRST_LINES) return `${path} has ${extent}:${shown(lines.join("\n"))}`
  return `${path} has ${extent}. It begins with:${shown(lines.slice(0, FIRST_LINES).join("\n"))}`
}

export function answerFromFile(path: string, key: string, output: string): string {
  const lines = linesOf(output)
  const value = memberAt(lines.join("\n"), key.split("."))
  if (typeof value === "object" && value !== null)
    return `In ${path}, ${key} is:${shown(JSON.stringify(value, undefined, 2))}`
  if (value !== undefined) return `In ${path}, ${key} is ${JSON.stringify(value)}.`
  const found = lines.filter((line) => line.toLowerCase().includes(key.toLowerCase()))
  if (found.length === 0) return `I read ${path} and found no "${key}" in it.`
  return `In ${path}, "${key}" stands here:${shown(found.join("\n"))}`
}

/** The read tool numbers the lines of a file; its own notices have no number. */
function linesOf(output: string): readonly string[] {
  const lines = output.split("\n").filter((line) => NUMBERED.test(line))
  return lines.map((line) => line.replace(NUMBERED, ""))
}

function memberAt(text: string, keys: readonly string[]): unknown {
  try {
    return keys.reduce<unknown>(
      (value, key) => (Object.hasOwn(Object(value), key) ? Reflect.get(Object(value), key) : undefined),
      JSON.parse(text),
    )
  } catch {
    return undefined // not JSON
  }
}
