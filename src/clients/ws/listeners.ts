// Who wants to hear of one thing. A listener that throws harms no other and not the session; its fault is not swallowed
// but thrown where it belongs to nobody, as platforms do with the faults of listeners.

export class Listeners<Told> {
  readonly #listeners = new Set<(told: Told) => void>()

  /** Gives the way to turn away again. */
  add(listener: (told: Told) => void): () => void {
    const own = (told: Told) => listener(told) // the same function may listen twice
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  tell(told: Told): void {
    for (const listener of this.#listeners) {
      try {
        listener(told)
      } catch (fault) {
        queueMicrotask(() => {
          throw fault
        })
      }
    }
  }
}
