// Values as other agents' tools take them, brought to what ours take: a number in a text, lines counted from 0,
// milliseconds, null or an empty text for a field that is left out. Pure.
import type { JsonObject } from "../json-object.ts"
import type { JsonValue } from "../values.ts"

const numbers = new Set(["offset", "limit", "column", "page", "timeout", "context", "before", "after"])
const switches = new Set(["replace_all", "ignore_case", "literal", "multiline", "run_in_background"])
/** Tools that search or list the working folder if no path is given. */
const folderTools = new Set(["grep", "find", "ls"])
/** Seconds; a larger timeout of bash is in milliseconds, as in Claude Code. */
const MAX_TIMEOUT = 3600

/** `input` has our names of the fields. */
export function ownValues(tool: string, input: JsonObject): JsonObject {
  const given = Object.entries(input).flatMap(([name, value]) => {
    return value === undefined || isLeftOut(tool, name, value) ? [] : [[name, ownValue(tool, name, value)] as const]
  })
  return Object.fromEntries(given)
}

function isLeftOut(tool: string, name: string, value: JsonValue): boolean {
  return value === null || (value === "" && name === "path" && folderTools.has(tool))
}

function ownValue(tool: string, name: string, value: JsonValue): JsonValue {
  const plain = typeof value === "string" ? plainValue(name, value) : value
  if (tool === "read" && (name === "offset" || name === "column") && plain === 0) return 1
  if (tool === "bash" && name === "timeout" && typeof plain === "number" && plain > MAX_TIMEOUT)
    return Math.min(MAX_TIMEOUT, Math.ceil(plain / 1000))
  return tool === "bash" && name === "command" && Array.isArray(plain) ? (scriptOf(plain) ?? plain) : plain
}

function plainValue(name: string, text: string): JsonValue {
  if (numbers.has(name) && /^\d{1,9}$/.test(text)) return Number(text)
  return switches.has(name) && (text === "true" || text === "false") ? text === "true" : text
}

/** Codex gives the words of a command: `["bash", "-lc", "npm test"]`. */
function scriptOf([shell, flag, script, ...others]: readonly JsonValue[]): string | undefined {
  const isShell = typeof shell === "string" && /^(?:\/(?:usr\/)?bin\/)?(?:ba|z)?sh$/.test(shell)
  const isScript = (flag === "-c" || flag === "-lc") && typeof script === "string" && others.length === 0
  return isShell && isScript ? script : undefined
}
