// Maps `extension:tool` names to names that models accept (letters, digits, "_" and "-"). Where two would be equal, the
// later one gets a number.
const longest = 128

/** For all tools of a session; `taken` are the names of its other tools. */
export function modelNames(runtimeNames: readonly string[], taken: Iterable<string>): ReadonlyMap<string, string> {
  const used = new Set(taken)
  const names = new Map<string, string>()
  for (const runtimeName of runtimeNames.toSorted()) {
    const name = free(runtimeName.replaceAll(/[^A-Za-z0-9_-]/g, "_"), used)
    used.add(name)
    names.set(runtimeName, name)
  }
  return names
}

function free(wanted: string, used: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const ending = number === 1 ? "" : `_${number}`
    const name = wanted.slice(0, longest - ending.length) + ending
    if (!used.has(name)) return name
  }
}
