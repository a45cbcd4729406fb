// Redacts a JSON value. Parts without a change are passed on, not copied.
import type { JsonValue } from "../contract/values.ts"

export function redactJson(value: JsonValue, text: (text: string) => string): JsonValue {
  if (typeof value === "string") return text(value)
  if (typeof value !== "object" || value === null) return value
  if (isList(value)) {
    const items = value.map((item) => redactJson(item, text))
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  const before = Object.entries(value)
  const after = before.map(([key, item]) => [text(key), item === undefined ? item : redactJson(item, text)] as const)
  const changed = after.some(([key, item], at) => key !== before[at]?.[0] || item !== before[at]?.[1])
  return changed ? Object.fromEntries(withDistinctKeys(after)) : value
}

export function someText(value: JsonValue, test: (text: string) => boolean): boolean {
  if (typeof value === "string") return test(value)
  if (typeof value !== "object" || value === null) return false
  if (isList(value)) return value.some((item) => someText(item, test))
  return Object.entries(value).some(([key, item]) => test(key) || (item !== undefined && someText(item, test)))
}

type Entry = readonly [key: string, value: JsonValue | undefined]

/** Two forms of one secret as keys get the same placeholder; neither entry may be lost. */
function withDistinctKeys(entries: readonly Entry[]): Entry[] {
  const used = new Set<string>()
  return entries.map(([key, item]) => {
    let distinct = key
    for (let count = 2; used.has(distinct); count++) distinct = `${key}#${count}`
    used.add(distinct)
    return [distinct, item]
  })
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
