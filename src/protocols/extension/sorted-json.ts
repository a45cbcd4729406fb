// Compact JSON with sorted keys, the text in which a manifest's `input_contains` looks. Keys are sorted as bytes, and a
// key that looks like a number is a key like any other.
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
