// Ties one attempt to what may end it: the caller's abort and a silence that lasts too long. Whatever ends it wins at
// once, also over a provider that ignores its abort signal; what such a provider still says later is dropped.
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

  /** Settles as the work does, or rejects the moment the line is cut. One work at a time. */
  hold<Value>(work: PromiseLike<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#reject = reject
      work.then(resolve, reject)
      if (this.#cut !== undefined) reject(this.#cut.reason)
    })
  }

  /** Cuts the line after this time without a `heard`. */
  listen(ms: number, complaint: () => Error): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.cut(complaint()), ms)
  }

  heard(): void {
    this.#timer?.refresh()
  }

  /** What comes first counts; gives back what that was. */
  cut(reason: unknown): unknown {
    if (this.#cut !== undefined) return this.#cut.reason
    this.#cut = { reason }
    this.release()
    this.#reject?.(reason)
    this.#controller.abort(reason)
    return reason
  }

  /** The attempt is over; nothing watches it any more. */
  release(): void {
    clearTimeout(this.#timer)
    this.#outer.removeEventListener("abort", this.#onAbort)
  }
}
