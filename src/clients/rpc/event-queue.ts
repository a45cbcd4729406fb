// Events on their way to one reader. The queue has no limit of its own: it tells the flow what it weighs, and the flow
// stops the source. A queue that was cut off gives what it has, then ends.
import type { Flow } from "./flow.ts"

interface Held<Event> {
  readonly event: Event
  readonly weight: number
}

interface Reader<Event> {
  resolve(result: IteratorResult<Event, undefined>): void
  reject(fault: unknown): void
}

type Ending = { readonly kind: "end" } | { readonly kind: "fault"; readonly fault: Error }

const over = { done: true, value: undefined } as const

export class EventQueue<Event> implements AsyncIterableIterator<Event, undefined> {
  readonly #flow: Flow
  readonly #onReturn: () => void
  #held: Held<Event>[] = []
  #next = 0
  #readers: Reader<Event>[] = []
  #ending: Ending | undefined
  #weight = 0

  /** `onReturn` is called when its reader has turned away. */
  constructor(flow: Flow, onReturn: () => void = () => {}) {
    this.#flow = flow
    this.#onReturn = onReturn
    flow.add(this)
  }

  get weight(): number {
    return this.#weight
  }

  push(event: Event, weight: number): void {
    if (this.#ending !== undefined) return
    if (this.#flow.isOverfull(this)) return this.end()
    const reader = this.#readers.shift()
    if (reader !== undefined) return reader.resolve({ done: false, value: event })
    this.#held.push({ event, weight })
    this.#weight += weight
  }

  end(): void {
    this.#finish({ kind: "end" })
  }

  fail(fault: Error): void {
    this.#finish({ kind: "fault", fault })
  }

  /** Nobody will read: what waits is dropped, and what comes too. */
  discard(): void {
    this.#held = []
    this.#next = 0
    this.#weight = 0
    this.#finish({ kind: "end" })
  }

  next(): Promise<IteratorResult<Event, undefined>> {
    const first = this.#take()
    if (first !== undefined) return Promise.resolve({ done: false, value: first.event })
    if (this.#ending === undefined) {
      return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }))
    }
    return this.#ending.kind === "fault" ? Promise.reject(this.#ending.fault) : Promise.resolve(over)
  }

  return(): Promise<IteratorResult<Event, undefined>> {
    this.discard()
    this.#onReturn()
    return Promise.resolve(over)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #take(): Held<Event> | undefined {
    const first = this.#held[this.#next]
    if (first === undefined) return undefined
    this.#next += 1
    this.#weight -= first.weight
    if (this.#next === this.#held.length || this.#next > 1000) {
      this.#held = this.#held.slice(this.#next) // so that taking costs the same however much is held
      this.#next = 0
    }
    this.#flow.changed()
    return first
  }

  #finish(ending: Ending): void {
    this.#ending ??= ending
    this.#flow.remove(this)
    const readers = this.#readers
    this.#readers = []
    for (const reader of readers) {
      if (this.#ending.kind === "fault") reader.reject(this.#ending.fault)
      else reader.resolve(over)
    }
  }
}
