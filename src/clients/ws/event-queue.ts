// Events on their way to their reader. Words that follow each other are joined while nobody takes them; past a limit of
// events the queue is given up with a fault for its reader, and the turn goes on without it.
import { TurnTooLong } from "./faults.ts"
import type { TurnEvent } from "./turn-events.ts"

type Result = IteratorResult<TurnEvent, undefined>

interface Reader {
  resolve(result: Result): void
  reject(fault: unknown): void
}

type Ending = { readonly kind: "end" } | { readonly kind: "fault"; readonly fault: Error }

const over = { done: true, value: undefined } as const

export class EventQueue implements AsyncIterableIterator<TurnEvent, undefined> {
  readonly #limit: number
  #held: TurnEvent[] = []
  #next = 0
  #readers: Reader[] = []
  #ending: Ending | undefined

  constructor(limit: number) {
    this.#limit = limit
  }

  push(event: TurnEvent): void {
    if (this.#ending !== undefined) return
    const reader = this.#readers.shift()
    if (reader !== undefined) return reader.resolve({ done: false, value: event })
    const last = this.#next < this.#held.length ? this.#held.at(-1) : undefined
    const joined = last === undefined ? undefined : joinedWords(last, event)
    if (joined !== undefined) this.#held[this.#held.length - 1] = joined
    else this.#held.push(event)
    if (this.#held.length - this.#next > this.#limit) this.#giveUp()
  }

  end(): void {
    this.#finish({ kind: "end" })
  }

  fail(fault: Error): void {
    this.#finish({ kind: "fault", fault })
  }

  next(): Promise<Result> {
    const value = this.#held[this.#next]
    if (value !== undefined) {
      this.#next += 1
      if (this.#next > 1000 || this.#next === this.#held.length) this.#trim()
      return Promise.resolve({ done: false, value })
    }
    if (this.#ending?.kind === "fault") return Promise.reject(this.#ending.fault)
    if (this.#ending !== undefined) return Promise.resolve(over)
    return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }))
  }

  /** Its reader has turned away: what waits is dropped, and what comes too. */
  return(): Promise<Result> {
    this.#held = []
    this.#next = 0
    this.#finish({ kind: "end" })
    return Promise.resolve(over)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #trim(): void {
    this.#held = this.#held.slice(this.#next) // so that taking costs the same however much is held
    this.#next = 0
  }

  #giveUp(): void {
    this.#held = []
    this.#next = 0
    this.fail(new TurnTooLong(`nobody took the events of the turn, and more than ${this.#limit} are not kept`))
  }

  #finish(ending: Ending): void {
    if (this.#ending !== undefined) return
    this.#ending = ending
    const readers = this.#readers
    this.#readers = []
    for (const reader of readers) {
      if (ending.kind === "fault") reader.reject(ending.fault)
      else reader.resolve(over)
    }
  }
}

function joinedWords(last: TurnEvent, event: TurnEvent): TurnEvent | undefined {
  if (last.type === "alive" && event.type === "alive") return last
  if (last.type === "token" && event.type === "token") return { type: "token", text: last.text + event.text }
  if (last.type === "reasoning" && event.type === "reasoning")
    return { type: "reasoning", text: last.text + event.text }
  return undefined
}
