// Calls an offered tool by the words of its name: "refund order 1002" calls `refund_order` with 1002 as its only input.
import type { JsonValue } from "../../../contract/values.ts"

export interface OfferedTool {
  readonly name: string
  readonly inputSchema: unknown
}

/** Words of a message; longer ones name no tool. */
const MAX_WORDS = 20

export function callByName(
  message: string,
  tools: readonly OfferedTool[],
): { readonly tool: string; readonly input: JsonValue } | undefined {
  const words = message
    .trim()
    .replace(/[.!?]$/, "")
    .split(/\s+/, MAX_WORDS + 1)
  if (words.length > MAX_WORDS) return undefined
  for (const { name, inputSchema } of tools) {
    const letters = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "")
    const end = words.findIndex(
      (_, index) =>
        words
          .slice(0, index + 1)
          .join("")
          .toLowerCase() === letters,
    )
    const input = end < 1 ? undefined : inputOf(words.slice(end + 1).join(" "), inputSchema)
    if (input !== undefined) return { tool: name, input }
  }
  return undefined
}

/** Undefined unless the schema accepts exactly the rest of the message: one value, or none. */
function inputOf(text: string, schema: unknown): JsonValue | undefined {
  const [field, ...otherFields] = Object.keys(Object(Reflect.get(Object(schema), "properties")))
  if (text === "") return field === undefined ? {} : undefined
  return field === undefined || otherFields.length > 0 ? undefined : { [field]: text }
}
