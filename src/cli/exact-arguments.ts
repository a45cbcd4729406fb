// The arguments of a call, for somebody who decides about it: nothing folded, nothing cut, and nothing that a terminal
// would hide, turn around or act on. Such characters are shown by their number, which JSON reads as the same text.
import { seen } from "../contract/seen.ts"
import type { JsonValue } from "../contract/values.ts"

export function exactArguments(input: JsonValue, indent = 2): string {
  return seen(JSON.stringify(input, null, indent))
}

export function indented(text: string, by: number): string {
  const margin = " ".repeat(by)
  return `${margin}${text.replaceAll("\n", `\n${margin}`)}`
}
