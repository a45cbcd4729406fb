// What a provider package must be given to be where our reader is: the events so far. Deltas are joined, since their
// parts have been delivered; the rest of a format's events are few.
import { limits } from "../../contract/limits.ts"

/** Characters. More than the input of the calls of one answer may have. */
export const MAX_LENGTH = 2 * limits.answerInputLength

interface Entry {
  /** Entries with the same key in a row are one. */
  readonly key: string | undefined
  data: string
  /** Parts that the package makes of it. */
  readonly parts: number
  /** Where the joined texts count: the event that has them all. */
  readonly render?: (text: string) => string
}

export class Replay {
  #entries: Entry[] = []
  #length = 0
  #isTooLong = false

  /** An event that is repeated as it is. */
  store(data: string, parts: number): void {
    this.#add({ key: undefined, data, parts })
  }

  /** A delta whose text does not matter to what follows: the newest of a row stands for all of them. */
  storeLast(key: string, data: string, parts: number): void {
    const last = this.#entries.at(-1)
    if (last?.key === key) last.data = data
    else this.#add({ key, data, parts })
  }

  /** A delta whose text is repeated later: the texts of a row are joined in one event with one part. */
  append(key: string, text: string, render: (text: string) => string): void {
    const last = this.#entries.at(-1)
    if (last?.key !== key) return this.#add({ key, data: text, parts: 1, render })
    last.data += text
    this.#count(text)
  }

  #add(entry: Entry): void {
    if (this.#isTooLong) return
    this.#entries.push(entry)
    this.#count(entry.data)
  }

  #count(text: string): void {
    this.#length += text.length
    if (this.#length <= MAX_LENGTH) return
    this.#isTooLong = true
    this.#entries = []
  }

  /** Undefined if they are too long to be kept. */
  events(): readonly string[] | undefined {
    if (this.#isTooLong) return undefined
    return this.#entries.map(({ data, render }) => render?.(data) ?? data)
  }

  get parts(): number {
    return this.#entries.reduce((sum, { parts }) => sum + parts, 0)
  }
}
