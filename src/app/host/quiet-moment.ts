// Waits until a process has nothing to do: the requests that wait for it when it is ready come before what can be done later.
import { setTimeout as pause } from "node:timers/promises"

/** A timer of this length is on time. */
const QUIET_MS = 25
/** On a busy machine none is. */
const MAX_LATE = 20

/** Resolves at once when the signal is aborted. */
export async function quietMoment(signal?: AbortSignal): Promise<void> {
  for (let late = 0; late < MAX_LATE; late++) {
    const begun = performance.now()
    await pause(QUIET_MS, undefined, signal === undefined ? {} : { signal }).catch(() => {})
    if (signal?.aborted === true || performance.now() - begun < 2 * QUIET_MS) return
  }
}
