// Calls that use the same resource run one after another, in call order.

import { untilAborted } from "../waiting.ts"

export interface Taken {
  release(): void
}

export class Resources {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Resolves when it is this call's turn, or when it is cancelled. Its place in the queue stays taken until all before
   *  it are done, since an interrupted call may still be ending. */
  async take(names: readonly string[], signal: AbortSignal): Promise<Taken> {
    if (names.length === 0) return { release: () => {} }
    const { promise: mine, resolve: release } = Promise.withResolvers<void>()
    const before = Promise.all(names.flatMap((name) => this.#last.get(name) ?? []))
    const over = Promise.all([before, mine])
    for (const name of names) this.#last.set(name, over)
    void this.#forget(names, over)
    await Promise.race([before, untilAborted(signal)])
    return { release }
  }

  async #forget(names: readonly string[], over: Promise<unknown>): Promise<void> {
    await over
    for (const name of names) if (this.#last.get(name) === over) this.#last.delete(name)
  }
}
