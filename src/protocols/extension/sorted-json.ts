// Compact JSON with sorted keys, the text that a manifest's `input_contains` searches. Keys are sorted as bytes, also
// those that look like numbers.
import type { JsonValue } from "../../contract/values.ts"

export function sortedJson(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`
  const members = Object.entries(value).flatMap(([key, member]): [string, JsonValue][] =>
    member === undefined ? [] : [[key, member]],
  )
  const sorted = members.toSorted(([a], [b]) => compareBytes(a, b))
  return `{${sorted.map(([key, member]) => `${JSON.stringify(key)}:${sortedJson(member)}`).join(",")}}`
}

export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
