// Polls for a condition that sends no event, such as a new file or a process that exits, up to a generous limit.
import { setTimeout as sleep } from "node:timers/promises"

const limitMs = 50_000

export async function eventually<Found>(
  what: string | (() => string),
  look: () => Found | undefined | Promise<Found | undefined>,
  pauseMs = 25,
): Promise<Found> {
  for (const deadline = performance.now() + limitMs; ; await sleep(pauseMs)) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`it did not happen: ${typeof what === "string" ? what : what()}`)
  }
}

/** Does the same with all, a few at a time. */
export async function inTurn<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  const waiting = items.entries()
  const worker = async () => {
    for (const [index, item] of waiting) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return results
}
