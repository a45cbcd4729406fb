// Waiting that ends without an exception when its signal is aborted.
import { setTimeout as sleep } from "node:timers/promises"

/** The longest delay a timer can take; longer waits are made of several. */
const MAX_TIMER_MS = 2 ** 31 - 1

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(Math.max(0, ms), undefined, { signal, ref: true })
  } catch (fault) {
    if (!signal.aborted) throw fault
  }
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }))
}

export async function waitUntil(at: number, now: () => number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && now() < at) await pause(Math.min(at - now(), MAX_TIMER_MS), signal)
}
