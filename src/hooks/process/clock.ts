// Time limits of extensions, built on an injectable clock so that tests move time instead of waiting.
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

/** The result of the work, or `tooLate`. Does not stop the work: the caller aborts it. */
export async function within<Value>(work: Promise<Value>, ms: number, clock: Clock): Promise<Value | typeof tooLate> {
  const stop = new AbortController()
  try {
    return await Promise.race([work, sleepThrough(ms, clock, stop.signal)])
  } finally {
    stop.abort()
  }
}

/** As `within`, but every call of `heard` restarts the limit. */
export async function withinSilence<Value>(
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
  await clock.sleep(ms, signal).catch(() => {}) // aborted: the work has finished
  return tooLate
}
