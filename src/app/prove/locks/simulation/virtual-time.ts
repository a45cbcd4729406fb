// The time of a simulation: it stands still while anything can be done, and then moves to the next timer. Which of several
// timers of one instant comes first is random.
import { setImmediate as allSettled } from "node:timers/promises"

interface Timer {
  readonly at: number
  readonly order: number
  readonly act: () => void
}

export class VirtualTime {
  now = 0
  readonly #below: (below: number) => number
  readonly #timers = new Set<Timer>()

  constructor(below: (below: number) => number) {
    this.#below = below
  }

  /** Returns a function that prevents it. */
  schedule(ms: number, act: () => void): () => void {
    const timer = { at: this.now + ms, order: this.#below(1_000_000), act }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.schedule(ms, resolve))
  }

  /** Until the work is done; the work must only wait for this time. */
  async run<Value>(work: Promise<Value>): Promise<Value> {
    let isOver = false
    const over = work.finally(() => (isOver = true))
    over.catch(() => {}) // thrown below
    for (;;) {
      await allSettled()
      if (isOver) return over
      const next = this.#next()
      if (next === undefined) throw new Error("the simulation waits for something that does not come")
      this.#timers.delete(next)
      this.now = next.at
      next.act()
    }
  }

  #next(): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers)
      if (first === undefined || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
        first = timer
    return first
  }
}
