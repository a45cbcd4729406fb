// The arguments of a call for the user who decides about it: nothing folded or cut. Characters that a terminal would hide,
// reverse or act on are shown as JSON escapes.
import { withVisibleCharacters } from "../contract/text/text.ts"
import type { JsonValue } from "../contract/values.ts"

export function exactArguments(input: JsonValue, indent = 2): string {
  return withVisibleCharacters(JSON.stringify(input, null, indent))
}

export function indented(text: string, by: number): string {
  const margin = " ".repeat(by)
  return `${margin}${text.replaceAll("\n", `\n${margin}`)}`
}
