// Who watches a session, and through which door. Changes are published in batches, so that a thousand clients that join
// at once cause one delta.
import type { SessionDelta } from "../contract/deltas.ts"
import type { By } from "../contract/values.ts"

const PUBLISH_DELAY_MS = 250
/** Names in the delta; it counts all watchers. */
const MAX_NAMES = 20

export class Presence {
  readonly #publish: (delta: SessionDelta) => void
  readonly #whileWatched: () => () => void
  readonly #present = new Set<{ readonly by: By }>()
  #timer: NodeJS.Timeout | undefined
  #onLastLeave: (() => void) | undefined

  /** `whileWatched` is called when the first watcher joins; the function it returns, when the last one leaves. */
  constructor(publish: (delta: SessionDelta) => void, whileWatched: () => () => void = () => () => {}) {
    this.#publish = publish
    this.#whileWatched = whileWatched
  }

  get who(): readonly By[] {
    return Array.from(this.#present, ({ by }) => by)
  }

  enter(by: By): () => void {
    const entry = { by }
    this.#present.add(entry)
    this.#onLastLeave ??= this.#whileWatched()
    this.#changed()
    return () => {
      if (!this.#present.delete(entry)) return
      if (this.#present.size === 0) this.#notifyUnwatched()
      this.#changed()
    }
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#notifyUnwatched()
  }

  #notifyUnwatched(): void {
    this.#onLastLeave?.()
    this.#onLastLeave = undefined
  }

  #changed(): void {
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      const who = this.who
      this.#publish({ type: "presence.changed", watching: who.length, who: who.slice(0, MAX_NAMES) })
    }, PUBLISH_DELAY_MS)
    this.#timer.unref()
  }
}
