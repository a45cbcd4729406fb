// Whether the child may be read. Events wait in queues until somebody takes them; when one of them has had enough,
// reading stops, the pipe fills and the child feels it. While an answer is awaited reading goes on up to a second,
// higher limit, because the answer stands behind those events: a loop that asks something between two events would
// else wait for itself.
export interface Weighed {
  readonly weight: number
}

const enough = 256 * 1024
const tooMuch = 16 * 1024 * 1024

export class Flow {
  readonly #queues = new Set<Weighed>()
  #awaited = 0
  #isOpen = false
  #changed: () => void = () => {}

  /** `changed` is called whenever the answer of `mayRead` may be another. */
  onChange(changed: () => void): void {
    this.#changed = changed
  }

  add(queue: Weighed): void {
    this.#queues.add(queue)
  }

  remove(queue: Weighed): void {
    this.#queues.delete(queue)
    this.#changed()
  }

  changed(): void {
    this.#changed()
  }

  /** Call what it returns when the answer is there, or not waited for any more. */
  awaitAnswer(): () => void {
    this.#awaited += 1
    this.#changed()
    return () => {
      this.#awaited -= 1
      this.#changed()
    }
  }

  /** From now on no reader is waited for. */
  openForGood(): void {
    this.#isOpen = true
    this.#changed()
  }

  /** True when reading can not be stopped any more and this queue holds as much as it may. */
  isOverfull(queue: Weighed): boolean {
    return this.#isOpen && queue.weight >= tooMuch
  }

  mayRead(): boolean {
    if (this.#isOpen) return true
    const limit = this.#awaited > 0 ? tooMuch : enough
    for (const queue of this.#queues) if (queue.weight >= limit) return false
    return true
  }
}
