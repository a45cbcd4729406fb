// Who can find which documents. A document belongs to one organisation; its audience is everyone there, some groups, or
// no one. Documents with the same organisation and audience form a class, and a search counts and compares per class,
// so that a class the searcher cannot see has no influence on the result.
export interface Rights {
  readonly org: string
  /** `all`: a local user, who finds every document that is not locked. */
  readonly groups: readonly string[] | "all"
}

/** Groups that find a document; undefined: the whole organisation; empty: no one. */
export type Audience = readonly string[] | undefined

/** Canonical form: the same groups in any order are the same audience. */
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
