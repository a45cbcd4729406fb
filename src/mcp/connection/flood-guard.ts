// Recognises a server that sends more than any use needs, so that reading it does not occupy the host.

const WINDOW_MS = 10_000
/** In a window. A call sends a few lines; progress at 100 a second is 1,000. */
const MAX_LINES = 50_000
const MAX_BYTES = 128 * 1024 * 1024

export class FloodGuard {
  readonly #now: () => number
  #windowStart: number
  #lines = 0
  #bytes = 0

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#windowStart = now()
  }

  /** What is wrong; undefined while it is not. */
  count(lines: number, bytes: number): string | undefined {
    const now = this.#now()
    if (now - this.#windowStart > WINDOW_MS) {
      this.#windowStart = now
      this.#lines = 0
      this.#bytes = 0
    }
    this.#lines += lines
    this.#bytes += bytes
    return this.#lines > MAX_LINES || this.#bytes > MAX_BYTES ? "it sends too much" : undefined
  }
}

const lf = 0x0a

export function lineCount(chunk: Uint8Array): number {
  let count = 0
  for (let at = chunk.indexOf(lf); at !== -1; at = chunk.indexOf(lf, at + 1)) count++
  return count
}
