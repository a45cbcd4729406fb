// Calls that use the same resource run one after another, in call order.

import { untilAborted } from "../waiting.ts"

export interface ResourceHold {
  release(): void
}

export class Resources {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Resolves when it is this call's turn, or when it is cancelled. Its place in the queue stays taken until all before
   *  it are done, since an interrupted call may still be ending. */
  async acquire(names: readonly string[], signal: AbortSignal): Promise<ResourceHold> {
    if (names.length === 0) return { release: () => {} }
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const before = Promise.all(names.flatMap((name) => this.#last.get(name) ?? []))
    const finished = Promise.all([before, released])
    for (const name of names) this.#last.set(name, finished)
    void this.#forget(names, finished)
    await Promise.race([before, untilAborted(signal)])
    return { release }
  }

  async #forget(names: readonly string[], finished: Promise<unknown>): Promise<void> {
    await finished
    for (const name of names) if (this.#last.get(name) === finished) this.#last.delete(name)
  }
}
