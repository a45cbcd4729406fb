// Callbacks for one kind of event. A listener that throws affects neither the other listeners nor the library: its
// exception is rethrown as an uncaught one, as platforms do.

export class Listeners<Event> {
  readonly #listeners = new Set<(event: Event) => void>()

  /** Returns a function that removes the listener. */
  add(listener: (event: Event) => void): () => void {
    const own = (event: Event) => listener(event) // the same function may be added twice
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  emit(event: Event): void {
    for (const listener of this.#listeners) callListener(listener, event)
  }
}

export function callListener<Event>(listener: (event: Event) => void, event: Event): void {
  try {
    listener(event)
  } catch (fault) {
    queueMicrotask(() => {
      throw fault
    })
  }
}
