// Text on its way to one reader, piece by piece. What nobody takes becomes one piece, so that waiting costs no more
// than the text itself, and of a text without end only its end is kept.

/** Characters. */
export const longestText = 16 * 1024 * 1024
const over = { done: true, value: undefined } as const

interface Reader {
  resolve(result: IteratorResult<string, undefined>): void
  reject(fault: unknown): void
}

export class Chunks implements AsyncIterableIterator<string, undefined> {
  #held = ""
  #readers: Reader[] = []
  #isOver = false
  #fault: Error | undefined

  push(text: string): void {
    if (this.#isOver || text === "") return
    const reader = this.#readers.shift()
    if (reader === undefined) this.#held = (this.#held + text).slice(-longestText)
    else reader.resolve({ done: false, value: text })
  }

  /** What is held is still given. */
  end(fault?: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#fault = fault
    for (const reader of this.#readers) {
      if (fault === undefined) reader.resolve(over)
      else reader.reject(fault)
    }
    this.#readers = []
  }

  next(): Promise<IteratorResult<string, undefined>> {
    const value = this.#held
    this.#held = ""
    if (value !== "") return Promise.resolve({ done: false, value })
    if (!this.#isOver) return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }))
    return this.#fault === undefined ? Promise.resolve(over) : Promise.reject(this.#fault)
  }

  /** Nobody will read any more. */
  return(): Promise<IteratorResult<string, undefined>> {
    this.#held = ""
    this.end()
    return Promise.resolve(over)
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
