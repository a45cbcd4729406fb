// A token bucket: `capacity` at once, then `perSecond`.
export class TokenBucket {
  readonly #capacity: number
  readonly #perSecond: number
  #left: number
  #at: number

  constructor(capacity: number, perSecond: number, now: number) {
    this.#capacity = capacity
    this.#perSecond = perSecond
    this.#left = capacity
    this.#at = now
  }

  has(now: number): boolean {
    this.#fill(now)
    return this.#left >= 1
  }

  take(now: number): boolean {
    if (!this.has(now)) return false
    this.#left -= 1
    return true
  }

  /** Takes what another node has given out already: fewer than none may be left. */
  drain(count: number, now: number): void {
    this.#fill(now)
    this.#left -= count
  }

  isFull(now: number): boolean {
    this.#fill(now)
    return this.#left >= this.#capacity
  }

  #fill(now: number): void {
    if (this.#capacity === Infinity) return
    const seconds = Math.max(0, now - this.#at) / 1000
    this.#left = Math.min(this.#capacity, this.#left + seconds * this.#perSecond)
    this.#at = Math.max(this.#at, now)
  }
}
