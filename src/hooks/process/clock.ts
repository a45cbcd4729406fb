// Time as extensions meet it: every limit on them is a sleep that can be called off, so that a test moves the clock
// instead of waiting.
import { setTimeout as sleep } from "node:timers/promises"

export interface Clock {
  now(): number
  /** Rejects when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
}

export const tooLate = Symbol("too late")

/** What comes of the work, unless it takes longer. The work itself goes on: who gives it a limit also calls it off. */
export async function within<Value>(work: Promise<Value>, ms: number, clock: Clock): Promise<Value | typeof tooLate> {
  const stop = new AbortController()
  try {
    return await Promise.race([work, sleepThrough(ms, clock, stop.signal)])
  } finally {
    stop.abort()
  }
}

/** The same for work that gives signs of life: the time begins anew with each of them. */
export async function whileHeard<Value>(
  work: (heard: () => void) => Promise<Value>,
  ms: number,
  clock: Clock,
): Promise<Value | typeof tooLate> {
  let until = clock.now() + ms
  const working = work(() => {
    until = clock.now() + ms
  })
  for (;;) {
    const done = await within(working, until - clock.now(), clock)
    if (done !== tooLate || clock.now() >= until) return done
  }
}

async function sleepThrough(ms: number, clock: Clock, signal: AbortSignal): Promise<typeof tooLate> {
  await clock.sleep(ms, signal).catch(() => {}) // called off: the work was over before
  return tooLate
}
