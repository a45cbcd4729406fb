// Requests that wait until the clients of a session were sent its events up to a number.

export class SeqWaiters {
  #waiting: { readonly seq: number; readonly resolve: () => void }[] = []

  /** Resolves when `resolveUpTo` was called with this number or a higher one. */
  waitFor(seq: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ seq, resolve }))
  }

  resolveUpTo(seq: number): void {
    if (this.#waiting.length === 0) return
    const due = this.#waiting.filter((waiting) => waiting.seq <= seq)
    this.#waiting = this.#waiting.filter((waiting) => waiting.seq > seq)
    for (const { resolve } of due) resolve()
  }
}
