// Members of an answer that must be there. Where one is not, the other side does not speak the house wire: a fault.
import type { JsonValue } from "../../contract/values.ts"

export function numberIn(value: JsonValue, name: string): number {
  const member = memberOf(value, name)
  if (typeof member === "number") return member
  throw new Error(`an answer has no number '${name}'`)
}

export function textIn(value: JsonValue, name: string): string {
  const member = memberOf(value, name)
  if (typeof member === "string") return member
  throw new Error(`an answer has no text '${name}'`)
}

export function memberOf(value: JsonValue, name: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue | undefined } {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
