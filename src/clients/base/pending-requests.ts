// Requests that wait for their response. Each is settled exactly once: by its response, a timeout, the caller's signal,
// or because the connection is gone.
import { onAbort } from "./abort.ts"
import { Fault } from "./fault.ts"

export interface WaitOptions {
  /** Milliseconds; 0 waits without a limit. */
  readonly timeoutMs?: number | undefined
  /** Rejects the promise with its reason; a late response is ignored. */
  readonly signal?: AbortSignal | undefined
}

export interface PendingRequest<Response, Answer> extends WaitOptions {
  /** For error messages. */
  readonly name: string
  /** Called in the same tick as the response, before later messages. What it throws rejects the request. */
  readonly read: (response: Response) => Answer
}

interface Waiter<Response> {
  readonly name: string
  answer(response: Response): void
  reject(fault: unknown): void
}

export class PendingRequests<Key, Response> {
  readonly #waiters = new Map<Key, Waiter<Response>>()
  readonly #timeoutFault: (name: string, ms: number) => Error

  constructor(timeoutFault = (name: string, ms: number): Error => new Fault(`no answer to '${name}' within ${ms} ms`)) {
    this.#timeoutFault = timeoutFault
  }

  get keys(): Iterable<Key> {
    return this.#waiters.keys()
  }

  async wait<Answer>(key: Key, request: PendingRequest<Response, Answer>): Promise<Answer> {
    const { name, read, timeoutMs = 0, signal } = request
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const answer = (response: Response) => {
      try {
        resolve(read(response))
      } catch (fault) {
        reject(fault)
      }
    }
    this.#waiters.set(key, { name, answer, reject })
    const expire = () => reject(this.#timeoutFault(name, timeoutMs))
    const timer = timeoutMs > 0 ? setTimeout(expire, timeoutMs) : undefined
    const removeListener = onAbort(signal, () => reject(signal?.reason))
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      removeListener()
      this.#waiters.delete(key)
    }
  }

  /** False when no request has this key. */
  answer(key: Key, response: Response): boolean {
    const waiter = this.#waiters.get(key)
    this.#waiters.delete(key)
    waiter?.answer(response)
    return waiter !== undefined
  }

  answerAll(response: Response): void {
    for (const key of this.#waiters.keys()) this.answer(key, response)
  }

  reject(key: Key, fault: (name: string) => unknown): void {
    const waiter = this.#waiters.get(key)
    this.#waiters.delete(key)
    waiter?.reject(fault(waiter.name))
  }

  rejectAll(fault: (name: string) => unknown): void {
    for (const key of this.#waiters.keys()) this.reject(key, fault)
  }
}
