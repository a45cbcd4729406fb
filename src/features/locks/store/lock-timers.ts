// How a process waits for locks.
import { setTimeout as sleep } from "node:timers/promises"

/** A simulation has timers of its own. */
export interface LockTimers {
  /** Milliseconds; never set back. */
  now(): number
  /** Ends early when the signal is aborted. */
  pause(ms: number, signal: AbortSignal): Promise<void>
  /** Returns a function that stops it. */
  every(ms: number, act: () => void): () => void
}

export const systemTimers: LockTimers = {
  now: () => performance.now(),
  pause: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}), // aborted
  every: (ms, act) => {
    const timer = setInterval(act, ms).unref()
    return () => clearInterval(timer)
  },
}
