// Ends one attempt on the caller's abort or after a timeout, at once, even if the provider ignores its abort signal.
export class Lifeline {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal
  readonly #onAbort = () => this.cut(this.#outer.reason)
  #cut: { readonly reason: unknown } | undefined
  #reject: ((reason: unknown) => void) | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(outer: AbortSignal) {
    this.#outer = outer
    if (outer.aborted) this.cut(outer.reason)
    else outer.addEventListener("abort", this.#onAbort, { once: true })
  }

  /** For the request of this attempt. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get isCut(): boolean {
    return this.#cut !== undefined
  }

  /** Settles with the promise, or rejects as soon as the attempt is cut. One promise at a time. */
  hold<Value>(work: PromiseLike<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#reject = reject
      work.then(resolve, reject)
      if (this.#cut !== undefined) reject(this.#cut.reason)
    })
  }

  /** Cuts the attempt after this time without a `refresh`. */
  listen(ms: number, timeoutError: () => Error): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.cut(timeoutError()), ms)
  }

  refresh(): void {
    this.#timer?.refresh()
  }

  /** First reason wins; returns it. */
  cut(reason: unknown): unknown {
    if (this.#cut !== undefined) return this.#cut.reason
    this.#cut = { reason }
    this.release()
    this.#reject?.(reason)
    this.#controller.abort(reason)
    return reason
  }

  /** Stops the timer and the abort listener. */
  release(): void {
    clearTimeout(this.#timer)
    this.#outer.removeEventListener("abort", this.#onAbort)
  }
}
