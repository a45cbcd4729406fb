// Warnings that a peer or an outage could repeat without end: each kind at most once per interval, with the number of
// those that were left out.

export class Warnings {
  readonly #warn: (message: string) => void
  readonly #intervalMs: number
  readonly #kinds = new Map<string, { at: number; suppressed: number }>()

  constructor(warn: (message: string) => void, intervalMs: number) {
    this.#warn = warn
    this.#intervalMs = intervalMs
  }

  warn(kind: string, message: string): void {
    const now = performance.now()
    const last = this.#kinds.get(kind)
    if (last !== undefined && now - last.at < this.#intervalMs) return void (last.suppressed += 1)
    this.#kinds.set(kind, { at: now, suppressed: 0 })
    const more = last === undefined || last.suppressed === 0 ? "" : ` (${last.suppressed} more since the last warning)`
    this.#warn(message + more)
  }
}
