// JSON with sorted keys: equal values have equal texts.
import { isJsonObject, type JsonObject } from "./json-object.ts"
import type { JsonValue } from "./values.ts"

export function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_key, member: JsonValue) => (isJsonObject(member) ? sorted(member) : member))
}

function sorted(value: JsonObject): JsonValue {
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
