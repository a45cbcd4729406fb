// The argument that says most about a call: a command, a path, a pattern. It is what people are shown in a line and
// what a permission given in advance is matched against.
import type { JsonValue } from "./values.ts"

const telling = ["command", "path", "pattern", "task"] as const

export function mainArgument(input: JsonValue): string {
  if (isObject(input)) {
    for (const name of telling) if (typeof input[name] === "string") return input[name]
  }
  return JSON.stringify(input)
}

function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue | undefined } {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
