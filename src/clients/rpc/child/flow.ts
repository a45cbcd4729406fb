// Backpressure: decides whether the child's output may be read. When a queue is full, reading stops and the pipe fills.
// While a response is awaited, reading continues up to a second, higher limit, because the response comes after those
// events: a loop that sends a request between two events would otherwise wait for itself.
import { EventQueue, type QueueOptions } from "../../base/event-queue.ts"

/** Characters of unread events at which reading stops. */
const MAX_UNREAD = 256 * 1024
/** The limit while a response is awaited, and of a queue whose child is closing. */
const MAX_UNREAD_AWAITING = 16 * 1024 * 1024

export class Flow {
  readonly #queues = new Set<{ readonly weight: number }>()
  #awaited = 0
  #isOpen = false
  #changed: () => void = () => {}

  /** `changed` is called whenever `mayRead` may have changed. */
  onChange(changed: () => void): void {
    this.#changed = changed
  }

  createQueue<Event>(options: Pick<QueueOptions<Event>, "onReturn"> = {}): EventQueue<Event> {
    const onDrain = () => {
      if (queue.isEnded) this.#queues.delete(queue)
      this.#changed()
    }
    const queue: EventQueue<Event> = new EventQueue({ ...options, onDrain })
    this.#queues.add(queue)
    return queue
  }

  /** When reading can no longer stop, a full queue ends early; its reader gets what it holds. */
  push<Event>(queue: EventQueue<Event>, event: Event, weight: number): void {
    if (this.#isOpen && queue.weight >= MAX_UNREAD_AWAITING) queue.end()
    else queue.push(event, weight)
  }

  /** Raises the limit until `settled` is settled. */
  async awaiting<Value>(settled: Promise<Value>): Promise<Value> {
    this.#awaited += 1
    this.#changed()
    try {
      return await settled
    } finally {
      this.#awaited -= 1
      this.#changed()
    }
  }

  /** From now on, reading does not wait for readers. */
  openPermanently(): void {
    this.#isOpen = true
    this.#changed()
  }

  mayRead(): boolean {
    if (this.#isOpen) return true
    const limit = this.#awaited > 0 ? MAX_UNREAD_AWAITING : MAX_UNREAD
    for (const queue of this.#queues) if (queue.weight >= limit) return false
    return true
  }
}
