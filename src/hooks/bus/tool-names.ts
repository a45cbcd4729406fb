// Maps `extension:tool` names to names that models accept (letters, digits, "_" and "-"). Where two would be equal, the
// later one gets a number.
const MAX_NAME_LENGTH = 128

/** For all tools of a session; `usedNames` are the names of its other tools. */
export function modelNames(runtimeNames: readonly string[], usedNames: Iterable<string>): ReadonlyMap<string, string> {
  const used = new Set(usedNames)
  const names = new Map<string, string>()
  for (const runtimeName of runtimeNames.toSorted()) {
    const name = freeName(runtimeName.replaceAll(/[^A-Za-z0-9_-]/g, "_"), used)
    used.add(name)
    names.set(runtimeName, name)
  }
  return names
}

function freeName(base: string, used: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const ending = number === 1 ? "" : `_${number}`
    const name = base.slice(0, MAX_NAME_LENGTH - ending.length) + ending
    if (!used.has(name)) return name
  }
}
