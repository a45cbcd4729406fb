// How long an extension took over its hooks: how often it was asked, the usual time and the worst. The usual one is that
// of its newest calls, so that a long session costs no more than a short one.
export interface HookTimes {
  readonly calls: number
  readonly medianMs: number
  readonly longestMs: number
}

const mostKept = 500

export class HookStopwatch {
  readonly #newest: number[] = []
  #calls = 0
  #longestMs = 0

  add(ms: number): void {
    this.#newest[this.#calls % mostKept] = ms
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
