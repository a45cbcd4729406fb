// Merges one configuration over another: objects key by key, lists and other values replaced. A server, a tool or a store
// is replaced as a whole.
import { isObject } from "../contract/json-object.ts"
import { matches, type Path } from "./plain.ts"

const replacedWhole: readonly Path[] = [
  ["tools", "mode"],
  ["tools", "define", "*"],
  ["mcpServers", "*"],
  ["guards", "*"],
  ["agents", "*", "workflow"],
  ["otp", "transport"],
  ["store"],
  ["bus"],
]

export function merge(under: unknown, over: unknown, path: Path = []): unknown {
  if (!isObject(under) || !isObject(over) || replacedWhole.some((pattern) => matches(path, pattern))) return over
  const merged = Object.entries(over).map(([key, value]) => {
    const both = Object.hasOwn(under, key)
    return [key, both ? merge(under[key], value, [...path, key]) : value] as const
  })
  // Not a spread: a key named __proto__ must stay a key.
  return Object.fromEntries([...Object.entries(under), ...merged])
}
