// Call count, median and maximum duration of an extension's hooks. The median covers the newest calls only, so that
// memory does not grow with the session.
export interface HookTimes {
  readonly calls: number
  readonly medianMs: number
  readonly longestMs: number
}

const MAX_SAMPLES = 500

export class HookStopwatch {
  readonly #newest: number[] = []
  #calls = 0
  #longestMs = 0

  add(ms: number): void {
    this.#newest[this.#calls % MAX_SAMPLES] = ms
    this.#calls++
    this.#longestMs = Math.max(this.#longestMs, ms)
  }

  get times(): HookTimes {
    const sorted = this.#newest.toSorted((a, b) => a - b)
    const medianMs = sorted[Math.floor(sorted.length / 2)] ?? 0
    return { calls: this.#calls, medianMs: rounded(medianMs), longestMs: rounded(this.#longestMs) }
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100
}
