// Keeps the newest events of a session: reads them once, then only those that were added. Knows nothing of the page.
import type { Recorded } from "../../../src/contract/events.ts"

export interface EventReaderOptions {
  /** Events after `start`, up to `end`; a sentence where they cannot be read. */
  readonly read: (start: number, end: number) => Promise<readonly Recorded[] | string>
  readonly show: (events: readonly Recorded[] | string) => void
  /** Between two readings, so that a busy session is not drawn with each event. */
  readonly rest: () => Promise<void>
  readonly maxEvents: number
  /** Read by an earlier reader. */
  readonly known?: readonly Recorded[]
}

export class EventReader {
  readonly #options: EventReaderOptions
  #events: readonly Recorded[]
  #wanted = 0
  #isReading = false
  #isClosed = false

  constructor(options: EventReaderOptions) {
    this.#options = options
    this.#events = options.known ?? []
  }

  /** Resolves when the events up to `seq` were shown, or are being read by an earlier call. */
  async readTo(seq: number): Promise<void> {
    this.#wanted = Math.max(this.#wanted, seq)
    if (this.#isReading) return
    this.#isReading = true
    while (!this.#isClosed && (await this.#readMore())) await this.#options.rest()
    this.#isReading = false
  }

  close(): void {
    this.#isClosed = true
  }

  /** False where there is nothing more. */
  async #readMore(): Promise<boolean> {
    const { read, show, maxEvents } = this.#options
    const end = this.#wanted
    const start = Math.max(this.#events.at(-1)?.seq ?? 0, end - maxEvents)
    if (end > 0 && end <= start) return false
    const more = await read(start, end)
    if (this.#isClosed) return false
    if (typeof more !== "string") this.#events = [...this.#events, ...more].slice(-maxEvents)
    show(typeof more === "string" ? more : this.#events)
    return typeof more !== "string" && more.length > 0
  }
}
