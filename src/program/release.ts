// Compares two releases.
export function isNewer(one: string, other: string | undefined): boolean {
  const [a, b] = [partsOf(one), partsOf(other ?? "")]
  for (const [index, part] of a.entries()) {
    const against = b[index] ?? 0
    if (part !== against) return part > against
  }
  return false
}

function partsOf(release: string): readonly number[] {
  return [0, 1, 2].map((index) => Number.parseInt(release.split(".")[index] ?? "", 10) || 0)
}
