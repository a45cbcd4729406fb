// What the turns of all client libraries share: events for one reader, one outcome, a time limit and a signal.
import { onAbort } from "./abort.ts"
import type { EventQueue } from "./event-queue.ts"
import type { WaitOptions } from "./pending-requests.ts"

/** The library's side of a turn. The first end wins. */
export class TurnState<Event, Result> {
  readonly events: EventQueue<Event>
  readonly #result = Promise.withResolvers<Result>()
  readonly #over = Promise.withResolvers<void>()
  readonly result: Promise<Result> = this.#result.promise
  /** Resolves at the end, also after a fault. */
  readonly over: Promise<void> = this.#over.promise
  #isOver = false

  constructor(events: EventQueue<Event>) {
    this.events = events
    this.result.catch(() => {}) // a caller that does not await it is not at fault
  }

  get isOver(): boolean {
    return this.#isOver
  }

  complete(result: Result): void {
    if (!this.#finish()) return
    this.events.end()
    this.#result.resolve(result)
  }

  fail(fault: Error): void {
    if (!this.#finish()) return
    this.events.end(fault)
    this.#result.reject(fault)
  }

  /** Applies the caller's time limit and signal until the end. */
  limit({ timeoutMs = 0, signal }: WaitOptions, onTimeout: (ms: number) => void, onAborted: () => void): void {
    const timer = timeoutMs > 0 ? setTimeout(() => onTimeout(timeoutMs), timeoutMs) : undefined
    const removeListener = onAbort(signal, onAborted)
    void this.over.then(() => clearTimeout(timer)).then(removeListener)
  }

  #finish(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#over.resolve()
    return true
  }
}

/** The caller's side of a turn: its events can be iterated once. Leaving the loop early does not stop the turn. */
export class TurnReader<Event> implements AsyncIterable<Event> {
  readonly #events: EventQueue<Event>
  readonly #alreadyRead: () => Error
  #isRead = false

  constructor(events: EventQueue<Event>, alreadyReadError: () => Error) {
    this.#events = events
    this.#alreadyRead = alreadyReadError
  }

  protected get isRead(): boolean {
    return this.#isRead
  }

  [Symbol.asyncIterator](): AsyncIterator<Event, undefined> {
    if (this.#isRead) throw this.#alreadyRead()
    this.#isRead = true
    return this.#events
  }
}
