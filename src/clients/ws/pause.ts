// Waiting that can be called off.

/** Rejects with the signal's reason when it is called off. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const stop = () => reject(signal.reason)
  signal.addEventListener("abort", stop, { once: true })
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener("abort", stop)
  }
}

/** What the promise gives, unless the signal is faster. */
export async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener("abort", stop, { once: true })
  try {
    return await Promise.race([stopped, promise])
  } finally {
    signal.removeEventListener("abort", stop)
  }
}

/** Between half of it and all of it, so that clients of a server that went away do not all come back at once. */
export function backoffMs(attempt: number, firstMs: number, maxMs: number, chance: number): number {
  const most = Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30))
  return most * (0.5 + chance / 2)
}
