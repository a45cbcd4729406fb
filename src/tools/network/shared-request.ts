// One piece of work that several callers wait for. It is stopped when none of them waits any more.

export class SharedRequest<Result> {
  readonly #stop = new AbortController()
  readonly #result: Promise<Result>
  #waiting = 0
  #isSettled = false

  constructor(work: (signal: AbortSignal) => Promise<Result>) {
    this.#result = this.#settled(work(this.#stop.signal))
  }

  /** It was stopped before it had a result. */
  get isAbandoned(): boolean {
    return this.#stop.signal.aborted
  }

  /** The caller stops waiting when its signal is aborted; it gets the result anyway. */
  join(signal: AbortSignal): Promise<Result> {
    if (this.#isSettled) return this.#result
    this.#waiting += 1
    const leave = () => {
      this.#waiting -= 1
      if (this.#waiting === 0 && !this.#isSettled) this.#stop.abort()
    }
    if (signal.aborted) leave()
    else signal.addEventListener("abort", leave, { once: true })
    return this.#result
  }

  async #settled(working: Promise<Result>): Promise<Result> {
    try {
      return await working
    } finally {
      this.#isSettled = true
    }
  }
}
