/** Calls `listener` once when the signal is aborted. Returns a function that removes it. */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  signal?.addEventListener("abort", listener, { once: true })
  return () => signal?.removeEventListener("abort", listener)
}

/** The value of the promise, or a rejection with the signal's reason, whichever is first. */
export async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  const removeListener = onAbort(signal, abort)
  try {
    return await Promise.race([aborted, promise])
  } finally {
    removeListener()
  }
}

/** Rejects with the signal's reason when it is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  try {
    await unlessAborted(promise, signal)
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves after the time, or when the signal is aborted. */
export async function delay(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await pause(ms, signal)
  } catch (fault) {
    if (!signal.aborted) throw fault
  }
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => void onAbort(signal, resolve))
}
