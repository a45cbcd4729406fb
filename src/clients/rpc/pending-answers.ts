// Commands that wait for their answer, by id. Each is settled exactly once: by its response, by an error frame with its
// id, by its time limit, by its caller's signal, or because the child is gone. What comes for an id that nobody waits
// for is not for us.
import type { Flow } from "./flow.ts"
import { RpcRefused, RpcTimeout } from "./faults.ts"
import type { ChildEvent } from "./read-event.ts"

export type Response = Extract<ChildEvent, { type: "response" }>

export interface Patience {
  /** Milliseconds; 0 waits for ever. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

interface Waiting {
  readonly command: string
  resolve(response: Response): void
  reject(fault: unknown): void
}

export class PendingAnswers {
  readonly #flow: Flow
  readonly #waiting = new Map<string, Waiting>()

  constructor(flow: Flow) {
    this.#flow = flow
  }

  async wait(id: string, command: string, { timeoutMs, signal }: Patience): Promise<Response> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    const answered = this.#flow.awaitAnswer()
    this.#waiting.set(id, { command, resolve, reject })
    const late = timeoutMs > 0 ? setTimeout(() => reject(new RpcTimeout(command, timeoutMs)), timeoutMs) : undefined
    const given = () => reject(signal?.reason)
    signal?.addEventListener("abort", given, { once: true })
    try {
      return await promise
    } finally {
      clearTimeout(late)
      signal?.removeEventListener("abort", given)
      this.#waiting.delete(id)
      answered()
    }
  }

  answer(response: Response): void {
    const waiting = this.#waiting.get(response.id)
    if (waiting === undefined) return
    if (response["ok"] === false) waiting.reject(new RpcRefused(waiting.command, reasonIn(response)))
    else waiting.resolve(response)
  }

  refuse(id: string, message: string): void {
    const waiting = this.#waiting.get(id)
    waiting?.reject(new RpcRefused(waiting.command, message))
  }

  fail(fault: Error): void {
    for (const waiting of this.#waiting.values()) waiting.reject(fault)
  }
}

export function reasonIn(response: Response): string {
  return typeof response["error"] === "string" ? response["error"] : "no reason was given"
}
