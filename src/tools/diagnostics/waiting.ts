// Waiting that ends without an exception when its signal is aborted.
import { setTimeout as sleep } from "node:timers/promises"

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {}) // aborted
}

/** Until the work is done or the signal is aborted. The work goes on. */
export async function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  if (signal.aborted) return undefined
  const stop = Promise.withResolvers<undefined>()
  const abort = () => stop.resolve(undefined)
  signal.addEventListener("abort", abort, { once: true })
  try {
    return await Promise.race([work, stop.promise])
  } finally {
    signal.removeEventListener("abort", abort)
  }
}
