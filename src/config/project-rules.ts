// What a project's file may set: it can deny more, spend less, and add its own model, tools, servers and extensions. It
// cannot loosen the user's settings or reach the user's keys, servers and guards.
import { isObject } from "../contract/json-object.ts"
import { hookNames } from "../contract/rules/hook-settings.ts"
import { limits } from "../contract/limits.ts"
import type { Problem } from "./explain.ts"
import { narrowNetwork } from "./narrow-network.ts"
import { merge, dotted, matches, type Path, type Plain, valueAt } from "./plain.ts"

const allowedPaths: readonly Path[] = [
  ["$schema"],
  ["model"],
  ["thinking"],
  ["system"],
  ["tools", "deny"],
  ["tools", "confirm"],
  ["tools", "approve"],
  ["tools", "define"],
  ["tools", "format"],
  ["tools", "languageServers"],
  ["tools", "network"],
  ["mcpServers"],
  ["extensions", "paths"],
  ["hooks"],
  ["budget"],
  ["limits"],
]
const extendedPaths: readonly Path[] = [
  ["tools", "deny"],
  ["tools", "confirm"],
  ["tools", "approve"],
  ["extensions", "paths"],
  ...hookNames.map((hook) => ["hooks", hook]),
]
const forbiddenPaths: readonly Path[] = [
  ["mcpServers", "*", "trust"],
  ["mcpServers", "*", "shared"],
]

export function projectProblems(value: unknown): readonly Problem[] {
  return forbiddenIn(value, []).map((path) => ({
    path,
    at: "key",
    what: `${dotted(path)} cannot be set in a project's file; set it in your own config.json, or name the file with --config`,
    missing: false,
  }))
}

export interface Laid {
  readonly value: unknown
  readonly warnings: readonly string[]
}

/** Merges a project's file over the user's configuration. */
export function layProject(under: unknown, project: unknown): Laid {
  const added = extendedPaths.reduce((value, path) => withAdded(value, under, path), project)
  const lowered = withLowered(under, added)
  const narrowed = withNarrowedNetwork(under, lowered.value)
  return { value: merge(under, narrowed.value), warnings: [...lowered.warnings, ...narrowed.warnings] }
}

function withNarrowedNetwork(under: unknown, project: unknown): Laid {
  const path: Path = ["tools", "network"]
  const requested = valueAt(project, path)
  if (requested === undefined) return { value: project, warnings: [] }
  const { value, warning } = narrowNetwork(valueAt(under, path), requested)
  return { value: withValueAt(project, path, value), warnings: warning === undefined ? [] : [warning] }
}

function forbiddenIn(value: unknown, path: Path): readonly Path[] {
  if (forbiddenPaths.some((other) => matches(path, other))) return [path]
  const allowed = allowedPaths.some((other) => startsWith(path, other))
  const isParentOfAllowed = allowedPaths.some((other) => startsWith(other, path))
  if (!allowed && !(isParentOfAllowed && isObject(value))) return path.length === 0 ? [] : [path]
  return isObject(value) ? Object.keys(value).flatMap((key) => forbiddenIn(value[key], [...path, key])) : []
}

function startsWith(path: Path, prefix: Path): boolean {
  return prefix.length <= path.length && prefix.every((key, at) => key === path[at])
}

function withAdded(value: unknown, under: unknown, path: Path): unknown {
  const more = valueAt(value, path)
  const before = valueAt(under, path)
  if (!Array.isArray(more) || !Array.isArray(before)) return value
  return withValueAt(value, path, [...new Set<unknown>([...before, ...more])])
}

function withLowered(under: unknown, project: unknown): Laid {
  const numbers = ["budget", "limits"].flatMap((section) => {
    const own = valueAt(project, [section])
    return isObject(own) ? Object.keys(own).map((key): Path => [section, key]) : []
  })
  return numbers.reduce<Laid>(
    (laid, path) => {
      const requested = valueAt(project, path)
      const limit = valueAt(under, path) ?? valueAt({ limits: limits.sessionDefaults }, path)
      if (typeof requested !== "number" || typeof limit !== "number" || requested <= limit) return laid
      const warning = `${dotted(path)} stays ${limit}: a project's file can lower it, not raise it to ${requested}.`
      return { value: withValueAt(laid.value, path, limit), warnings: [...laid.warnings, warning] }
    },
    { value: project, warnings: [] },
  )
}

function withValueAt(value: unknown, [key, ...rest]: Path, put: unknown): unknown {
  if (key === undefined) return put
  const outer: Plain = isObject(value) ? value : {}
  return { ...outer, [key]: withValueAt(outer[key], rest, put) }
}
