// Checkpoint timer shared by all streaming sessions of a host, so that their writes share one sync.
// Runs only while it has subscribers.
export class CheckpointTimer {
  readonly #everyMs: number
  readonly #subscribers = new Set<() => void>()
  #timer: NodeJS.Timeout | undefined

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  /** Returns the function that unsubscribes. The first tick may come early. */
  subscribe(run: () => void): () => void {
    const subscriber = () => run() // the same function may subscribe twice
    this.#subscribers.add(subscriber)
    this.#timer ??= setInterval(() => this.#tick(), this.#everyMs)
    return () => this.#unsubscribe(subscriber)
  }

  #tick(): void {
    for (const subscriber of this.#subscribers) subscriber()
  }

  #unsubscribe(subscriber: () => void): void {
    this.#subscribers.delete(subscriber)
    if (this.#subscribers.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
