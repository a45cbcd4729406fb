// Events on their way to one reader. One that does not keep up loses what it has not taken and is told how much; the
// viewer's state has it all, so nobody is held back and memory has a bound.
import type { ViewerEvent } from "./viewer-event.ts"

const mostHeld = 4096
const mostWeight = 16 * 1024 * 1024
const over = { done: true, value: undefined } as const

type Result = IteratorResult<ViewerEvent, undefined>

export class EventReader implements AsyncIterableIterator<ViewerEvent, undefined> {
  readonly #onReturn: () => void
  #held: ViewerEvent[] = []
  #weight = 0
  #missed = 0
  #readers: ((result: Result) => void)[] = []
  #isOver = false

  /** `onReturn` is called when its reader has turned away. */
  constructor(onReturn: () => void) {
    this.#onReturn = onReturn
  }

  /** `weight` is about what it takes to hold it. */
  push(event: ViewerEvent, weight: number): void {
    if (this.#isOver) return
    const reader = this.#readers.shift()
    if (reader !== undefined) return reader({ done: false, value: event })
    if (this.#held.length === mostHeld || this.#weight > mostWeight) {
      this.#missed += this.#held.length
      this.#held = []
      this.#weight = 0
    }
    this.#held.push(event)
    this.#weight += weight
  }

  end(): void {
    this.#isOver = true
    for (const reader of this.#readers.splice(0)) reader(over)
  }

  next(): Promise<Result> {
    const missed = this.#missed
    this.#missed = 0
    if (missed > 0) return Promise.resolve({ done: false, value: { kind: "gap", missed } })
    const value = this.#held.shift()
    if (this.#held.length === 0) this.#weight = 0
    if (value !== undefined) return Promise.resolve({ done: false, value })
    return this.#isOver ? Promise.resolve(over) : new Promise((resolve) => this.#readers.push(resolve))
  }

  return(): Promise<Result> {
    this.#held = []
    this.#missed = 0
    this.end()
    this.#onReturn()
    return Promise.resolve(over)
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
