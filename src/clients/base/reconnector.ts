// Retries a lost connection: the wait doubles with every attempt up to a limit, and half of it is random so that the
// clients of a restarted server do not all return at the same moment.
import { delay } from "./abort.ts"

export interface RetryPolicy {
  /** In a row, until `reset`. */
  readonly attempts: number
  readonly firstMs: number
  readonly maxMs: number
}

export interface Retry {
  readonly connect: () => Promise<void>
  /** Before each wait; `fault` is why the connection is not there. */
  readonly onAttempt: (attempt: number, waitMs: number, fault: unknown) => void
  /** Whether another attempt is pointless. */
  readonly isFinal?: (fault: unknown) => boolean
}

export type RetryOutcome =
  | { readonly kind: "connected" }
  | { readonly kind: "aborted" }
  | { readonly kind: "failed"; readonly fault: unknown }

export class Reconnector {
  readonly #policy: RetryPolicy
  readonly #signal: AbortSignal
  #waiting = new AbortController()
  #attempts = 0

  constructor(policy: RetryPolicy, signal: AbortSignal) {
    this.#policy = policy
    this.#signal = signal
  }

  /** Ends the wait before the next attempt. */
  hurry(): void {
    this.#waiting.abort()
  }

  /** The connection works: the count starts again. */
  reset(): void {
    this.#attempts = 0
  }

  async run(cause: unknown, { connect, onAttempt, isFinal = () => false }: Retry): Promise<RetryOutcome> {
    let fault = cause
    while (this.#attempts < this.#policy.attempts && !isFinal(fault)) {
      const waitMs = backoffMs(this.#attempts, this.#policy, Math.random())
      this.#attempts += 1
      onAttempt(this.#attempts, waitMs, fault)
      try {
        await this.#wait(waitMs)
        await connect()
        return { kind: "connected" }
      } catch (thrown) {
        if (this.#signal.aborted) return { kind: "aborted" }
        fault = thrown
      }
    }
    return { kind: "failed", fault }
  }

  /** Rejects when it is aborted. */
  async #wait(ms: number): Promise<void> {
    this.#waiting = new AbortController()
    await delay(ms, AbortSignal.any([this.#signal, this.#waiting.signal]))
    this.#signal.throwIfAborted()
  }
}

/** `random` is from 0 to 1. */
export function backoffMs(attempt: number, { firstMs, maxMs }: Omit<RetryPolicy, "attempts">, random: number): number {
  const maxDelay = Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30))
  return Math.round(maxDelay * (0.5 + random / 2))
}
