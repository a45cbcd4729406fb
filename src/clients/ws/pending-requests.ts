// Requests that wait for their answer, by id. Each is settled exactly once: by its answer, by an error with its id, by
// its time limit, by its caller's signal, or because the connection is gone.
import { ConnectionLost, InteractionInvalid, RequestRefused, RequestTimedOut } from "./faults.ts"
import type { Said } from "./read-frame.ts"

export interface Patience {
  /** Milliseconds; 0 waits for ever. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

interface Waiting {
  readonly action: string
  resolve(said: Said): void
  reject(fault: unknown): void
}

export class PendingRequests {
  readonly #waiting = new Map<string, Waiting>()

  get size(): number {
    return this.#waiting.size
  }

  async wait(requestId: string, action: string, { timeoutMs, signal }: Patience): Promise<Said> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Said>()
    this.#waiting.set(requestId, { action, resolve, reject })
    const late = timeoutMs > 0 ? setTimeout(() => reject(new RequestTimedOut(action, timeoutMs)), timeoutMs) : undefined
    const stop = () => reject(signal?.reason)
    signal?.addEventListener("abort", stop, { once: true })
    try {
      return await promise
    } finally {
      clearTimeout(late)
      signal?.removeEventListener("abort", stop)
      this.#waiting.delete(requestId)
    }
  }

  /** False when nobody waits for it. */
  answer(requestId: string | undefined, said: Said): boolean {
    const waiting = requestId === undefined ? undefined : this.#waiting.get(requestId)
    if (waiting === undefined) return false
    if (said.kind === "error") waiting.reject(new RequestRefused(waiting.action, said.code, said.message))
    else if (said.kind === "event" && said.event.type === "interaction-invalid")
      waiting.reject(new InteractionInvalid(said.event.errors))
    else waiting.resolve(said)
    return true
  }

  fail(): void {
    for (const waiting of this.#waiting.values()) waiting.reject(new ConnectionLost(waiting.action))
  }
}
