// JSON data and paths in it.
import { isObject } from "../contract/json-object.ts"

export type Plain = Readonly<Record<string, unknown>>
/** Keys and, inside lists, indices as text. */
export type Path = readonly string[]

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string")
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, key) => {
    if (Array.isArray(inner)) return inner[Number(key)]
    return isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined
  }, value)
}

/** `tools.define.lookup.run[0]`. */
export function dotted(path: Path): string {
  return path.map((key, at) => (/^\d+$/.test(key) ? `[${key}]` : at === 0 ? key : `.${key}`)).join("")
}

/** `*` matches one key. */
export function matches(path: Path, pattern: Path): boolean {
  return path.length === pattern.length && pattern.every((key, at) => key === "*" || key === path[at])
}

const replacedWhole: readonly Path[] = [
  ["tools", "mode"],
  ["tools", "define", "*"],
  ["tools", "languageServers", "*"],
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
