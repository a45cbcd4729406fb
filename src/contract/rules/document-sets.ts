// In which document sets a session searches. Undefined: in all; an empty list: in none.

/** A child has no documents that its parent does not have. */
export function commonSets(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): string[] | undefined {
  if (one === undefined || other === undefined) return (one ?? other)?.slice()
  return one.filter((set) => other.includes(set))
}
