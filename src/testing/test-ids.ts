// Ids that are the same in every run, counted per prefix. Session ids are valid UUIDv7s.

export interface TestIds {
  /** `next("trn_")` gives `trn_1`, `trn_2` … */
  next<Prefix extends string>(prefix: Prefix): `${Prefix}${number}`
  session(): string
}

export function testIds(): TestIds {
  const counts = new Map<string, number>()
  const count = (name: string) => {
    const number = (counts.get(name) ?? 0) + 1
    counts.set(name, number)
    return number
  }
  return {
    next: (prefix) => `${prefix}${count(prefix)}`,
    session: () => `00000000-0000-7000-8000-${count("session").toString(16).padStart(12, "0")}`,
  }
}
