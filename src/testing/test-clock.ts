// A clock that a test moves. Sleepers wake in the order of their time, each at exactly that time, and what they start
// gets a turn of the event loop before the clock moves on.
import { setImmediate } from "node:timers/promises"

export interface TestClock {
  now(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Moves the clock and wakes the sleepers that are due. */
  advance(ms: number): Promise<void>
}

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

export function testClock(start = 1_700_000_000_000): TestClock {
  let now = start
  const sleepers = new Set<Sleeper>()
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const sleeper = { at: now + ms, wake: resolve }
      const abort = () => {
        sleepers.delete(sleeper)
        reject(signal?.reason instanceof Error ? signal.reason : new DOMException("Aborted.", "AbortError"))
      }
      if (signal?.aborted === true) return abort()
      sleepers.add(sleeper)
      signal?.addEventListener("abort", abort, { once: true })
    })
  const advance = async (ms: number) => {
    const until = now + ms
    for (let next = earliest(sleepers, until); next !== undefined; next = earliest(sleepers, until)) {
      now = Math.max(now, next.at)
      sleepers.delete(next)
      next.wake()
      await setImmediate()
    }
    now = until
  }
  return { now: () => now, sleep, advance }
}

function earliest(sleepers: ReadonlySet<Sleeper>, until: number): Sleeper | undefined {
  const due = [...sleepers].filter((sleeper) => sleeper.at <= until)
  return due.toSorted((one, other) => one.at - other.at)[0]
}
