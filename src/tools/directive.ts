// What a tool wants the visitor's client to do. A tool that prints one JSON object with a member `directive` speaks to
// two: the directive is for the client and is kept beside the result, the rest is for the model. Only where there is a
// visitor; anywhere else, and whenever it is not exactly that, what was printed is the result as it stands.
import { isJsonObject, type JsonObject } from "../contract/json-object.ts"
import type { JsonValue } from "../contract/values.ts"
import type { ToolContext, ToolResult } from "./tool.ts"

export function withDirective(result: ToolResult, { visitor }: ToolContext): ToolResult {
  if (visitor === undefined || result.outcome !== "done") return result
  const printed = objectIn(result.output)
  const directive = printed?.["directive"]
  if (printed === undefined || !isJsonObject(directive)) return result
  const { directive: _, ...rest } = printed
  const details = isJsonObject(result.details) ? result.details : {}
  return { ...result, output: wordsOf(rest), details: { ...details, directive } }
}

/** `output` alone stands for the whole rest. */
function wordsOf(rest: JsonObject): string {
  const { output } = rest
  if (output === undefined) return Object.keys(rest).length === 0 ? "Done." : JSON.stringify(rest)
  return typeof output === "string" ? output : JSON.stringify(output)
}

function objectIn(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith("{")) return undefined
  try {
    const value: JsonValue = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined // words that begin with a brace
  }
}
