// Random numbers that are the same at every run (mulberry32).
export function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below)
  }
}

export function pick<Item>(items: readonly Item[], below: (below: number) => number): Item {
  const item = items[below(items.length)]
  if (item === undefined) throw new Error("there is nothing to choose from")
  return item
}
