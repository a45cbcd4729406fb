// Keeps an index of sessions up to date in the background. A query waits for it a short time and is then answered from what
// is indexed.
import { setImmediate } from "node:timers/promises"
import type { EventLog, SessionRow } from "../../log/event-log.ts"
import { accepted } from "../app-fault.ts"
import type { SessionIndex } from "../search/session-index.ts"

export class Upkeep {
  readonly #index: SessionIndex
  readonly #log: EventLog
  #rows: readonly SessionRow[] = []
  #running: Promise<void> | undefined
  #behind = 0

  constructor(index: SessionIndex, log: EventLog) {
    this.#index = index
    this.#log = log
  }

  /** The sessions of the newest update. */
  get rows(): readonly SessionRow[] {
    return this.#rows
  }

  /** Resolves with the number of sessions that are still behind. Everything stored before the call is indexed where it is 0. */
  async catchUp(withinMs: number): Promise<number> {
    const end = performance.now() + withinMs
    await this.#wait(this.#running, end) // it may have begun before the newest events
    if (this.#running === undefined) await this.#wait(this.#update(), end)
    return this.#running === undefined ? 0 : Math.max(1, this.#behind)
  }

  #update(): Promise<void> {
    const running = this.#updated().finally(() => (this.#running = undefined))
    this.#running = running
    running.catch(() => {}) // thrown by the query that waits for it; the next query tries again
    return running
  }

  async #updated(): Promise<void> {
    this.#rows = accepted(await this.#log.list()).value
    await this.#index.update(this.#log, this.#rows, async (done, all) => {
      this.#behind = all - done
      await setImmediate() // queries are answered meanwhile
    })
  }

  async #wait(work: Promise<void> | undefined, end: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.max(0, end - performance.now()))
    })
    try {
      await Promise.race([work ?? Promise.resolve(), late])
    } finally {
      clearTimeout(timer)
    }
  }
}
