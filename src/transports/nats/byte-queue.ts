// Bytes that wait to be sent, in the pieces in which they came; taken out in any sizes.

/** Taken pieces are removed from the array once there are this many. */
const COMPACT_PIECES = 1024

export class ByteQueue {
  #pieces: Uint8Array[] = []
  /** The first piece that is not taken, and how much of it is. */
  #first = 0
  #taken = 0
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  push(piece: Uint8Array): void {
    if (piece.length === 0) return
    this.#pieces.push(piece)
    this.#bytes += piece.length
  }

  /** Moves up to `max` bytes to `target`, from index `at` on. Returns how many. */
  take(target: Uint8Array, at: number, max: number): number {
    let moved = 0
    for (let piece = this.#pieces[this.#first]; piece !== undefined && moved < max; piece = this.#pieces[this.#first]) {
      const end = Math.min(piece.length, this.#taken + max - moved)
      target.set(this.#taken === 0 && end === piece.length ? piece : piece.subarray(this.#taken, end), at + moved)
      moved += end - this.#taken
      if (end === piece.length) this.#next()
      else this.#taken = end
    }
    this.#bytes -= moved
    return moved
  }

  clear(): void {
    this.#pieces = []
    this.#first = this.#taken = this.#bytes = 0
  }

  #next(): void {
    this.#first += 1
    this.#taken = 0
    if (this.#first < this.#pieces.length && this.#first < COMPACT_PIECES) return
    this.#pieces.splice(0, this.#first)
    this.#first = 0
  }
}
