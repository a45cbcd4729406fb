// Delays inside a stream. A delay ends at once when the call is aborted; a delay of zero still yields to the event loop,
// so that an abort gets through while a long text is played.
import { setImmediate, setTimeout } from "node:timers/promises"

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await setTimeout(ms, undefined, { signal })
  else await setImmediate()
  signal.throwIfAborted()
}

export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(abortError(signal))
    signal.addEventListener("abort", () => reject(abortError(signal)), { once: true })
  })
}

/** The abort reason if it is an error, else an AbortError, as provider requests reject. */
export function abortError(signal: AbortSignal): Error {
  const reason: unknown = signal.reason
  return reason instanceof Error ? reason : new DOMException("The model call was aborted.", "AbortError")
}
