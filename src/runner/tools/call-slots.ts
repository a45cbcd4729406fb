// Bounds how many calls of a session pass their gates or run at the same time; the others wait in call order. A call that
// waits for an approval has left its slot.
import { limits } from "../../contract/limits.ts"
import type { SessionContext } from "../session-context.ts"
import { untilAborted } from "../waiting.ts"

class CallSlots {
  #taken = 0
  readonly #waiting = new Set<() => void>()

  /** False where the call was cancelled before it got a slot. */
  async acquire(signal: AbortSignal): Promise<boolean> {
    if (this.#taken < limits.parallelCalls) {
      this.#taken += 1
      return true
    }
    const { promise: free, resolve } = Promise.withResolvers<void>()
    this.#waiting.add(resolve)
    await Promise.race([free, untilAborted(signal)])
    const isWaiting = this.#waiting.delete(resolve)
    if (!signal.aborted) return true
    if (!isWaiting) this.release()
    return false
  }

  /** The slot passes to the call that waits longest. */
  release(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#taken -= 1
      return
    }
    this.#waiting.delete(next)
    next()
  }
}

const slotsOf = new WeakMap<SessionContext, CallSlots>()

/** Runs the work once there is a slot for it; not at all where it is cancelled before. */
export async function inSlot(session: SessionContext, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const slots = slotsOf.get(session) ?? new CallSlots()
  slotsOf.set(session, slots)
  if (!(await slots.acquire(signal))) return
  try {
    await work()
  } finally {
    slots.release()
  }
}
