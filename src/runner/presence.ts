// Who watches a session, and through which door. A change is told to all watchers, but not each one by itself: when a
// thousand come at once they are told of it together.
import type { SessionDelta } from "../contract/deltas.ts"
import type { By } from "../contract/values.ts"

const tellAfterMs = 250
/** Named in what is told; all are counted. */
const named = 20

export class Presence {
  readonly #tell: (delta: SessionDelta) => void
  readonly #whileWatched: () => () => void
  readonly #present = new Set<{ readonly by: By }>()
  #timer: NodeJS.Timeout | undefined
  #unwatched: (() => void) | undefined

  /** `whileWatched` is begun when the first one comes, and what it gives is called when the last one has left. */
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
