// Bytes that were received while the reader is paused, in one buffer of the size of the window: many small messages take
// no more memory than a large one.
import { WINDOW_BYTES } from "./limits.ts"

export class Backlog {
  #buffer: Buffer | undefined
  #from = 0
  #to = 0

  get bytes(): number {
    return this.#to - this.#from
  }

  /** False when they do not fit: the peer has ignored the window. */
  push(chunk: Uint8Array): boolean {
    if (this.bytes + chunk.length > WINDOW_BYTES) return false
    const buffer = (this.#buffer ??= Buffer.allocUnsafe(WINDOW_BYTES))
    if (this.#to + chunk.length > WINDOW_BYTES) {
      buffer.copyWithin(0, this.#from, this.#to)
      this.#to -= this.#from
      this.#from = 0
    }
    buffer.set(chunk, this.#to)
    this.#to += chunk.length
    return true
  }

  /** The next bytes, valid until the next `push`. */
  take(max: number): Uint8Array {
    const taken = this.#buffer?.subarray(this.#from, Math.min(this.#to, this.#from + max)) ?? new Uint8Array(0)
    this.#from += taken.length
    if (this.#from === this.#to) this.clear()
    return taken
  }

  clear(): void {
    this.#buffer = undefined
    this.#from = this.#to = 0
  }
}
