// The time that a server has for a call. It begins again with each sign of progress, and stands still while the call waits for
// a person or for the session's model.

/** The longest call, however much progress the server reports. */
const MAX_CALL_MS = 3_600_000

export class CallTimer {
  readonly #timeoutMs: number
  readonly #expired = new AbortController()
  #leftMs = MAX_CALL_MS
  #runsSince = 0
  #waits = 0
  #isEnded = false
  #timer: NodeJS.Timeout | undefined

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
    this.#run()
  }

  get expired(): AbortSignal {
    return this.#expired.signal
  }

  progressed(): void {
    if (this.#waits > 0 || this.#isEnded) return
    this.#hold()
    this.#run()
  }

  async holdDuring<Value>(work: Promise<Value>): Promise<Value> {
    if (this.#waits++ === 0) this.#hold()
    try {
      return await work
    } finally {
      if (--this.#waits === 0 && !this.#isEnded) this.#run()
    }
  }

  end(): void {
    this.#isEnded = true
    clearTimeout(this.#timer)
  }

  #run(): void {
    this.#runsSince = performance.now()
    this.#timer = setTimeout(() => this.#expired.abort(), Math.min(this.#timeoutMs, this.#leftMs))
  }

  #hold(): void {
    clearTimeout(this.#timer)
    this.#leftMs -= performance.now() - this.#runsSince
  }
}
