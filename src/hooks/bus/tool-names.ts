// An extension's tool has two names: `extension:tool`, by which extensions know it, and one that models can take. The
// second has no sign but letters, digits, "_" and "-"; where two would be the same, the later one gets a number.
const longest = 128

/** From the first name to the second, for all tools of a session. `taken` are the names of its other tools. */
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
