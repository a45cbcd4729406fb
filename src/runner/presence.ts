// Who watches a session, and through which door. Changes are published in batches, so that a thousand clients that join
// at once cause one delta.
import type { SessionDelta } from "../contract/deltas.ts"
import type { By } from "../contract/values.ts"

const tellAfterMs = 250
/** Names in the delta; it counts all watchers. */
const named = 20

export class Presence {
  readonly #tell: (delta: SessionDelta) => void
  readonly #whileWatched: () => () => void
  readonly #present = new Set<{ readonly by: By }>()
  #timer: NodeJS.Timeout | undefined
  #unwatched: (() => void) | undefined

  /** `whileWatched` is called when the first watcher joins; the function it returns, when the last one leaves. */
  constructor(tell: (delta: SessionDelta) => void, whileWatched: () => () => void = () => () => {}) {
    this.#tell = tell
    this.#whileWatched = whileWatched
  }

  get who(): readonly By[] {
    return Array.from(this.#present, ({ by }) => by)
  }

  enter(by: By): () => void {
    const entry = { by }
    this.#present.add(entry)
    this.#unwatched ??= this.#whileWatched()
    this.#changed()
    return () => {
      if (!this.#present.delete(entry)) return
      if (this.#present.size === 0) this.#leave()
      this.#changed()
    }
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#leave()
  }

  #leave(): void {
    this.#unwatched?.()
    this.#unwatched = undefined
  }

  #changed(): void {
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      const who = this.who
      this.#tell({ type: "presence.changed", watching: who.length, who: who.slice(0, named) })
    }, tellAfterMs)
    this.#timer.unref()
  }
}
