// What a project's file may set: it can deny more, spend less, and add its own model, tools, servers and extensions. It
// cannot loosen the user's settings or reach the user's keys, servers and guards.
import { isObject } from "../contract/json-object.ts"
import { limits } from "../contract/limits.ts"
import type { Problem } from "./explain.ts"
import { merge, dotted, isTexts, matches, type Path, type Plain, valueAt } from "./plain.ts"

const mayBeSet: readonly Path[] = [
  ["$schema"],
  ["model"],
  ["system"],
  ["tools", "deny"],
  ["tools", "confirm"],
  ["tools", "approve"],
  ["tools", "define"],
  ["mcpServers"],
  ["extensions", "paths"],
  ["budget"],
  ["limits"],
]
const addedTo: readonly Path[] = [
  ["tools", "deny"],
  ["tools", "confirm"],
  ["tools", "approve"],
  ["extensions", "paths"],
]
const neverSet: Path = ["mcpServers", "*", "trust"]

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
  const added = addedTo.reduce((value, path) => withAdded(value, under, path), project)
  const lowered = withLowered(under, added)
  return { value: merge(under, lowered.value), warnings: lowered.warnings }
}

function forbiddenIn(value: unknown, path: Path): readonly Path[] {
  if (matches(path, neverSet)) return [path]
  const allowed = mayBeSet.some((other) => startsWith(path, other))
  const onTheWay = mayBeSet.some((other) => startsWith(other, path))
  if (!allowed && !(onTheWay && isObject(value))) return path.length === 0 ? [] : [path]
  return isObject(value) ? Object.keys(value).flatMap((key) => forbiddenIn(value[key], [...path, key])) : []
}

function startsWith(path: Path, beginning: Path): boolean {
  return beginning.length <= path.length && beginning.every((key, at) => key === path[at])
}

function withAdded(value: unknown, under: unknown, path: Path): unknown {
  const more = valueAt(value, path)
  const before = valueAt(under, path)
  if (!isTexts(more) || !isTexts(before)) return value
  return withValueAt(value, path, [...new Set([...before, ...more])])
}

function withLowered(under: unknown, project: unknown): Laid {
  const numbers = ["budget", "limits"].flatMap((section) => {
    const own = valueAt(project, [section])
    return isObject(own) ? Object.keys(own).map((key): Path => [section, key]) : []
  })
  return numbers.reduce<Laid>(
    (laid, path) => {
      const wanted = valueAt(project, path)
      const most = valueAt(under, path) ?? valueAt({ limits: limits.sessionDefaults }, path)
      if (typeof wanted !== "number" || typeof most !== "number" || wanted <= most) return laid
      const warning = `${dotted(path)} stays ${most}: a project's file can lower it, not raise it to ${wanted}.`
      return { value: withValueAt(laid.value, path, most), warnings: [...laid.warnings, warning] }
    },
    { value: project, warnings: [] },
  )
}

function withValueAt(value: unknown, [key, ...rest]: Path, put: unknown): unknown {
  if (key === undefined) return put
  const outer: Plain = isObject(value) ? value : {}
  return { ...outer, [key]: withValueAt(outer[key], rest, put) }
}
