// Who may find which documents. A document belongs to one organisation. Without an audience everybody of that
// organisation finds it; with one, whoever is in one of its groups; with an empty one, nobody. Documents with the same
// organisation and audience form a class, and everything that a search counts or compares is kept per class: what lies
// in a class that somebody may not see has no way to reach their answer.
export interface Rights {
  readonly org: string
  /** `all`: of a person of the house, who finds whatever is not locked. */
  readonly groups: readonly string[] | "all"
}

/** The groups that find a document; nothing means everybody of its organisation, none means nobody. */
export type Audience = readonly string[] | undefined

/** How an audience is written down: the same groups in any order are the same audience. */
export function audienceKey(audience: Audience): string {
  return audience === undefined ? publicKey : JSON.stringify([...new Set(audience)].toSorted())
}

export function audienceOf(key: string): Audience {
  if (key === publicKey) return undefined
  const groups: unknown = JSON.parse(key)
  return Array.isArray(groups) ? groups.map(String) : []
}

export function mayFind({ groups }: Rights, audience: Audience): boolean {
  if (audience === undefined) return true
  return groups === "all" ? audience.length > 0 : audience.some((group) => groups.includes(group))
}

const publicKey = "*"
