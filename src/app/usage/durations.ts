// Counts of durations by size, from which a median can be read: small to store, and to add up over many sessions.

/** How many durations there are of each size: `STEPS` sizes for each doubling, so that a median is exact to about 10 %. */
export type Durations = Map<number, number>

const STEPS = 4

export function addDuration(durations: Durations, ms: number): void {
  const size = Math.round(STEPS * Math.log2(Math.max(1, ms)))
  durations.set(size, (durations.get(size) ?? 0) + 1)
}

export function addDurations(durations: Durations, more: Durations): void {
  for (const [size, count] of more) durations.set(size, (durations.get(size) ?? 0) + count)
}

/** 0 without durations. */
export function medianMs(durations: Durations): number {
  const sizes = [...durations].toSorted(([one], [other]) => one - other)
  const half = sizes.reduce((sum, [, count]) => sum + count, 0) / 2
  let seen = 0
  for (const [size, count] of sizes) {
    seen += count
    if (seen >= half) return Math.round(2 ** (size / STEPS))
  }
  return 0
}

/** `12:3 15:1`. */
export function storedDurations(durations: Durations): string {
  return [...durations].map(([size, count]) => `${size}:${count}`).join(" ")
}

export function readDurations(text: string): Durations {
  return new Map(
    text.split(" ").flatMap((part) => {
      const [size = NaN, count = NaN] = part.split(":").map(Number)
      return Number.isInteger(size) && Number.isInteger(count) ? [[size, count] as const] : []
    }),
  )
}
