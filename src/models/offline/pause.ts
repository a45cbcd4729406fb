// Waiting inside a stream. Every wait ends at once when the call is aborted; a wait of zero still gives the event loop
// its turn, because an abort that arrives by socket or timer must get through while a long text is played.
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

/** What a provider's request rejects with: the reason when it is an error, else an AbortError. */
export function abortError(signal: AbortSignal): Error {
  const reason: unknown = signal.reason
  return reason instanceof Error ? reason : new DOMException("The model call was aborted.", "AbortError")
}
